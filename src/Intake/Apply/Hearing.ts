/**
 * Payments don't wait for their batch: the ledger hears of what waits in the inbox before its rows are written, and while
 * those of others are. So an entry is on disk some 20 ms after its delivery, also while thousands of events are applied, and
 * soon after an outage.
 *
 * Others are heard with the next payment, a hundred together, or with their batch: a transaction for each would be most of the
 * work at a hundred a second. More aren't left to a payment, which waits until those before it are heard.
 *
 * Only the order of the work changes: events are heard in stored order, and each is applied in its turn like any other. There
 * it is heard again, unless this process knows that it was, so one that dies in between loses nothing. Which events are
 * looked at is chosen by the type in their header, which proves nothing: one with a wrong label is heard in its turn.
 */
import { Clock, Duration, Effect, Fiber } from "effect"
import { type Event, EventReader } from "../../Domain/Event.ts"
import { runningMs } from "../../Runtime/Boot.ts"
import { Leadership } from "../../Runtime/Leadership.ts"
import type { TakenBatch } from "../../Stores/Deliveries.ts"
import { Store } from "../../Stores/Store.ts"
import { Inbox } from "../Inbox.ts"
import { atOnce, hear } from "./Batch.ts"
import { heard, read, type ReadEvent } from "./Readings.ts"
import { withinMemory } from "./WithinMemory.ts"

/** To read a large body takes long, and those who wait would wait for it. */
const largest = 64 * 1024

/** The first one is heard at once, and those that arrive soon after it together, in one transaction. */
const apart = Duration.millis(10)

/** They take some 20 ms. */
const mostLeft = 100

/** Some that are heard a second time cost less than to remember any number of them: 4 MB. */
const mostRemembered = 100_000

export class Hearing {
  readonly #heard = new Set<number>()
  #after: number | undefined
  #seen: number | undefined
  /** How many were looked at and not heard. */
  #left = 0
  /** When it was last looked, on a clock that can't be set back. */
  #at = Number.NEGATIVE_INFINITY

  /** What waits after this one hasn't been heard. Undefined: nothing has. */
  get after(): number | undefined {
    return this.#after
  }

  /** What waits after this one hasn't been looked at. Undefined: nothing has. */
  get seen(): number | undefined {
    return this.#seen === undefined || (this.#after ?? 0) > this.#seen ? this.#after : this.#seen
  }

  /** False also if it has been delivered again since: what came with it may change how it is read. */
  has({ deliveries, sequence }: Event): boolean {
    return deliveries === 1 && this.#heard.has(sequence)
  }

  /** Whether so many more may wait for a payment, too. */
  hasRoom(more: number): boolean {
    return this.#left + more < mostLeft
  }

  /** How long those that arrive now wait for others. */
  pause(nowMs: number): Duration.Duration {
    return Duration.millis(Math.max(0, this.#at + Duration.toMillis(apart) - nowMs))
  }

  /** What waits up to this sequence is left to its batch, or to the next payment. Where it is nothing, all has been heard. */
  looked(count: number, through: number, nowMs: number): void {
    const isAll = count === 0 && this.seen === this.#after
    this.#at = nowMs
    this.#seen = through
    this.#left += count
    if (isAll) this.#after = through
  }

  /** Of what was looked at, up to this sequence; also if a batch has gone further meanwhile. */
  heard(readings: ReadonlyArray<ReadEvent>, through: number, nowMs: number): void {
    this.#at = nowMs
    for (const reading of readings) if (heard(reading).length > 0) this.#heard.add(reading.event.sequence)
    // Another worker may have applied them.
    if (this.#heard.size > mostRemembered) {
      // Half of them at once: what a set has lost at its beginning is passed over each time that one looks for its first.
      for (const oldest of [...this.#heard].slice(0, mostRemembered / 2)) this.#heard.delete(oldest)
    }
    this.#after = Math.max(through, this.#after ?? 0)
    this.#left = 0
  }

  applied({ taken }: TakenBatch): void {
    for (const { event, place } of taken) {
      this.#heard.delete(event.sequence)
      if (this.#after !== undefined && place > this.#after) this.#after = place
    }
    if (this.seen === this.#after) this.#left = 0
  }
}

/** Returns whether more wait. Of several workers, the leader looks ahead for all of them, so that nothing is heard by each. */
const hearNext = Effect.fnUntraced(function* (hearing: Hearing) {
  if (!(yield* (yield* Leadership).isLeading)) return false
  const reader = yield* EventReader
  const { peek } = (yield* Store).deliveries
  const isAwaited = ({ headerType }: Event) => headerType === null || reader.awaitedTypes.includes(headerType)
  const newest = yield* peek(reader.ledgerTypes, hearing.seen)
  const count = newest.events.length
  if (!newest.hasMore && !newest.events.some(isAwaited) && hearing.hasRoom(count)) {
    hearing.looked(count, newest.through, yield* runningNow)
    return false
  }
  const isAll = hearing.seen === hearing.after
  const { events, hasMore, through } = isAll ? newest : yield* peek(reader.ledgerTypes, hearing.after)
  const small = events.filter(({ body }) => body.byteLength <= largest)
  const nowMicros = (yield* Clock.currentTimeMillis) * 1000
  const readings = yield* withinMemory(small, (event) => read(event, reader, nowMicros))
  yield* hear(readings.flatMap(heard))
  const last = readings.length < small.length ? readings.at(-1)?.event.sequence : undefined
  hearing.heard(readings, last ?? through, yield* runningNow)
  return hasMore
})

/** Not by the wall clock: after it was set back by an hour, events would wait for an hour. */
const runningNow = Effect.map(Clock.Clock, runningMs)

/**
 * Payments go first: while events come faster than both can take, four fifths of the time are spent on hearing ahead. What
 * is left keeps rows coming.
 */
const sharePerBatch = 4

/** Until the next batch is due, which is after a pause; but if many wait, for up to four times as long as the last batch took. */
export const hearMeanwhile = Effect.fnUntraced(function* (
  hearing: Hearing,
  pause: Duration.Duration,
  lasted: Duration.Duration
) {
  const { arrived } = yield* Inbox
  const begun = yield* runningNow
  const left = Effect.map(runningNow, (ms) => Duration.millis(begun + Duration.toMillis(pause) - ms))
  const busy = Duration.max(pause, Duration.times(lasted, sharePerBatch))
  while (true) {
    const hasMore = yield* Effect.retry(hearNext(hearing), atOnce)
    const hasTime = (yield* runningNow) - begun < Duration.toMillis(hasMore ? busy : pause)
    if (!hasTime) return
    if (hasMore) yield* Effect.yieldNow
    else {
      yield* Effect.raceFirst(arrived.await, Effect.sleep(yield* left))
      yield* Effect.sleep(Duration.min(hearing.pause(yield* runningNow), yield* left))
      yield* arrived.close
    }
  }
})

/**
 * Goes on hearing while a batch is written; if more waits than is looked at in one go, for half of the time, so that both go
 * on: a batch may wait for its engine for seconds. Returns also how long the batch took by itself.
 */
export const hearBeside = Effect.fnUntraced(function* <A, E, R>(hearing: Hearing, batch: Effect.Effect<A, E, R>) {
  const heard = { ms: 0 }
  const [lasted, result] = yield* Effect.timed(
    Effect.acquireUseRelease(Effect.forkChild(listening(hearing, heard)), () => batch, Fiber.interrupt)
  )
  return [Duration.max(Duration.zero, Duration.subtract(lasted, Duration.millis(heard.ms))), result] as const
})

const listening = Effect.fnUntraced(function* (hearing: Hearing, heard: { ms: number }) {
  const { arrived } = yield* Inbox
  let isHeard = false
  const looking = Effect.gen(function* () {
    while (true) {
      yield* arrived.await
      yield* Effect.sleep(hearing.pause(yield* runningNow))
      isHeard = true
      yield* arrived.close
      // A statement that is cancelled costs its connection.
      const next = Effect.uninterruptible(Effect.retry(hearNext(hearing), atOnce))
      const [lasted, hasMore] = yield* Effect.timed(next)
      heard.ms += Duration.toMillis(lasted)
      if (!hasMore) continue
      yield* Effect.sleep(lasted)
      yield* arrived.open
    }
  })
  yield* looking.pipe(
    // What fails now is tried again after the batch.
    Effect.ignore,
    // It is still to be applied.
    Effect.ensuring(Effect.suspend(() => (isHeard ? arrived.open : Effect.void)))
  )
})
