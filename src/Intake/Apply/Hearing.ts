/**
 * Payments don't wait for their batch. The ledger hears the events that wait in the inbox before their rows are
 * written, and while the rows of others are. So an entry is on disk some 20 ms after its delivery, even while thousands
 * of events are applied, and soon after an outage.
 *
 * Other events are heard with the next payment, a hundred together, or with their batch: a transaction for each would
 * be most of the work at a hundred events a second. No more than a hundred are left to a payment, because it waits
 * until those before it are heard.
 *
 * Only the order of the work changes: events are heard in stored order, and each is still applied in its turn. Its
 * batch hears it again unless this process knows that it was heard, so nothing is lost if the process dies in between.
 * The type in an event's header decides whether it is looked at ahead. The header proves nothing: an event with a wrong
 * label is heard in its turn.
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

/** Reading a large body takes long, and all others would wait for it. */
const largest = 64 * 1024

/** The first event is heard at once; those that arrive soon after it are heard together, in one transaction. */
const apart = Duration.millis(10)

/** This many take some 20 ms. */
const mostLeft = 100

/** Hearing some a second time costs less than remembering any number of them. These take 4 MB. */
const mostRemembered = 100_000

export class Hearing {
  readonly #heard = new Set<number>()
  #after: number | undefined
  #seen: number | undefined
  /** How many were looked at but not heard. */
  #left = 0
  /** When it last looked, on a clock that can't be set back. */
  #at = Number.NEGATIVE_INFINITY

  /** Events after this sequence haven't been heard. Undefined: none has. */
  get after(): number | undefined {
    return this.#after
  }

  /** Events after this sequence haven't been looked at. Undefined: none has. */
  get seen(): number | undefined {
    return this.#seen === undefined || (this.#after ?? 0) > this.#seen ? this.#after : this.#seen
  }

  /** Also false if the event has been redelivered since: the new headers may change how it is read. */
  has({ deliveries, sequence }: Event): boolean {
    return deliveries === 1 && this.#heard.has(sequence)
  }

  /** Whether that many more may also wait for a payment. */
  hasRoom(more: number): boolean {
    return this.#left + more < mostLeft
  }

  /** How long events that arrive now wait for others. */
  pause(nowMs: number): Duration.Duration {
    return Duration.millis(Math.max(0, this.#at + Duration.toMillis(apart) - nowMs))
  }

  /**
   * Events up to this sequence are left to their batch, or to the next payment. If `count` is 0, all of them have been
   * heard.
   */
  looked(count: number, through: number, nowMs: number): void {
    const isAll = count === 0 && this.seen === this.#after
    this.#at = nowMs
    this.#seen = through
    this.#left += count
    if (isAll) this.#after = through
  }

  /**
   * Records that the events that were looked at, up to this sequence, have been heard, even if a batch has gone further
   * meanwhile.
   */
  heard(readings: ReadonlyArray<ReadEvent>, through: number, nowMs: number): void {
    this.#at = nowMs
    for (const reading of readings) if (heard(reading).length > 0) this.#heard.add(reading.event.sequence)
    // Another worker may have applied the oldest.
    if (this.#heard.size > mostRemembered) {
      // Removes half of them at once: a set skips all entries deleted at its beginning each time its first one is asked
      // for.
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

/**
 * Returns whether more wait. Of several workers, only the leader looks ahead, so that no event is heard by each of
 * them.
 */
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

/** Not the wall clock: if it were set back by an hour, events would wait for an hour. */
const runningNow = Effect.map(Clock.Clock, runningMs)

/**
 * Payments go first: while events come faster than both can handle, four fifths of the time go to hearing ahead. The
 * rest keeps rows coming.
 */
const sharePerBatch = 4

/**
 * Hears until the next batch is due after its pause; if many events wait, for up to four times as long as the last
 * batch took.
 */
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
 * Keeps hearing while a batch is written, because a batch may wait for its engine for seconds. If more events wait than
 * one look covers, hearing takes half of the time, so that both make progress. Also returns how long the batch itself
 * took.
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
      // Cancelling a statement costs its connection.
      const next = Effect.uninterruptible(Effect.retry(hearNext(hearing), atOnce))
      const [lasted, hasMore] = yield* Effect.timed(next)
      heard.ms += Duration.toMillis(lasted)
      if (!hasMore) continue
      yield* Effect.sleep(lasted)
      yield* arrived.open
    }
  })
  yield* looking.pipe(
    // If hearing fails now, it is tried again after the batch.
    Effect.ignore,
    // The event still has to be applied.
    Effect.ensuring(Effect.suspend(() => (isHeard ? arrived.open : Effect.void)))
  )
})
