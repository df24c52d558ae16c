/**
 * Payments don't wait for their batch: the ledger hears of what waits in the inbox before its rows are written. So an entry
 * is on disk some 20 ms after its delivery, also while thousands of events are applied, and soon after an outage.
 *
 * Only the order of the work changes: events of an IPC are heard in stored order, and each is applied in its turn like any other. There
 * it is heard again, unless this process knows that it was, so one that dies in between loses nothing. Which events are
 * looked at is chosen by the type in their header, which proves nothing: one with a wrong label is heard in its turn.
 */
import { Clock, Duration, Effect } from "effect"
import { type Event, EventReader } from "../../Domain/Event.ts"
import { type AppliedEvent, factsOf } from "../../Ledger/EventFacts.ts"
import { Ledger } from "../../Ledger/Ledger.ts"
import { runningMs } from "../../Runtime/Boot.ts"
import { Leadership } from "../../Runtime/Leadership.ts"
import type { TakenBatch } from "../../Stores/Deliveries.ts"
import { Store } from "../../Stores/Store.ts"
import { Inbox } from "../Inbox.ts"
import { atOnce } from "./Batch.ts"
import { heard, read, type ReadEvent } from "./Readings.ts"
import { withinMemory } from "./WithinMemory.ts"

/** To read a large body takes long, and those who wait would wait for it. */
const largest = 64 * 1024

/** Those that arrive close together are heard at once, in one transaction. */
const apart = Duration.millis(20)

/** What only names a project moves no money: it is heard in its turn, unless money of its IPC comes before. */
interface Waits {
  readonly sequence: number
  readonly said: AppliedEvent
}

/** More are heard in their turn: some 10 MB. */
const mostWaiting = 20_000

/** At once: what a map has lost at its beginning is passed over again each time that one looks for its first key. */
const firstHalf = (all: ReadonlySet<number> | ReadonlyMap<number, unknown>): ReadonlyArray<number> =>
  [...all.keys()].slice(0, Math.ceil(all.size / 2))

/** By sequence and by IPC, in stored order. */
class Waiting {
  readonly #all = new Map<number, Waits>()
  readonly #byIpc = new Map<string, ReadonlyArray<number>>()

  add(each: Waits): void {
    const { id } = each.said.change
    this.#all.set(each.sequence, each)
    this.#byIpc.set(id, [...(this.#byIpc.get(id) ?? []), each.sequence])
    if (this.#all.size > mostWaiting) for (const oldest of firstHalf(this.#all)) this.delete(oldest)
  }

  /** All of an IPC. */
  take(ipcId: string): ReadonlyArray<Waits> {
    const found = (this.#byIpc.get(ipcId) ?? []).map((sequence) => this.#all.get(sequence)!)
    for (const { sequence } of found) this.delete(sequence)
    return found
  }

  delete(sequence: number): void {
    const id = this.#all.get(sequence)?.said.change.id
    if (id === undefined) return
    this.#all.delete(sequence)
    const others = this.#byIpc.get(id)?.filter((each) => each !== sequence) ?? []
    if (others.length === 0) this.#byIpc.delete(id)
    else this.#byIpc.set(id, others)
  }
}

/** Some that are heard a second time cost less than to remember any number of them: 4 MB. */
const mostRemembered = 100_000

export class Hearing {
  readonly #heard = new Set<number>()
  readonly #waiting = new Waiting()
  #after: number | undefined

  /** What waits after this one hasn't been looked at. Undefined: nothing has. */
  get after(): number | undefined {
    return this.#after
  }

  /** False also if it has been delivered again since: what came with it may change how it is read. */
  has({ deliveries, sequence }: Event): boolean {
    return deliveries === 1 && this.#heard.has(sequence)
  }

  /** What is to be heard now of these: money, and what came before about the same IPC. */
  due(readings: ReadonlyArray<ReadEvent>): ReadonlyArray<Waits> {
    const due: Array<Waits> = []
    for (const reading of readings) {
      for (const said of heard(reading)) {
        const each = { sequence: reading.event.sequence, said }
        if (factsOf(said).some(({ kind }) => kind !== "project")) due.push(...this.#waiting.take(said.change.id), each)
        else this.#waiting.add(each)
      }
    }
    return due
  }

  heard(these: ReadonlyArray<Waits>, through: number): void {
    for (const { sequence } of these) this.#heard.add(sequence)
    // Another worker may have applied them.
    if (this.#heard.size > mostRemembered) for (const oldest of firstHalf(this.#heard)) this.#heard.delete(oldest)
    this.#after = through
  }

  applied({ taken }: TakenBatch): void {
    for (const { event, place } of taken) {
      this.#heard.delete(event.sequence)
      this.#waiting.delete(event.sequence)
      if (this.#after !== undefined && place > this.#after) this.#after = place
    }
  }
}

/** Returns whether more may wait. Of several workers, the leader looks ahead for all of them. */
const hearNext = Effect.fnUntraced(function* (hearing: Hearing) {
  if (!(yield* (yield* Leadership).isLeading)) return false
  const reader = yield* EventReader
  const { events, hasMore, through } = yield* (yield* Store).deliveries.peek(reader.ledgerTypes, hearing.after)
  const small = events.filter(({ body }) => body.byteLength <= largest)
  const nowMicros = (yield* Clock.currentTimeMillis) * 1000
  const readings = yield* withinMemory(small, (event) => read(event, reader, nowMicros))
  const due = hearing.due(readings)
  yield* (yield* Ledger).hear(due.map(({ said }) => said))
  const last = readings.length < small.length ? readings.at(-1)?.event.sequence : undefined
  hearing.heard(due, last ?? through)
  return hasMore
})

/** Until the next batch is due, which is after a pause; but if many wait, for as long as the last batch took. */
export const hearMeanwhile = Effect.fnUntraced(function* (
  hearing: Hearing,
  pause: Duration.Duration,
  lasted: Duration.Duration
) {
  const { arrived } = yield* Inbox
  // Not by the wall clock: after it was set back by an hour, events would wait for an hour.
  const now = Effect.map(Clock.Clock, runningMs)
  const begun = yield* now
  const left = Effect.map(now, (ms) => Duration.millis(begun + Duration.toMillis(pause) - ms))
  const busy = Duration.max(pause, lasted)
  while (true) {
    const hasMore = yield* Effect.retry(hearNext(hearing), atOnce)
    const hasTime = (yield* now) - begun < Duration.toMillis(hasMore ? busy : pause)
    if (!hasTime) return
    if (hasMore) yield* Effect.yieldNow
    else {
      yield* Effect.raceFirst(arrived.await, Effect.sleep(yield* left))
      yield* Effect.sleep(Duration.min(apart, yield* left))
      yield* arrived.close
    }
  }
})
