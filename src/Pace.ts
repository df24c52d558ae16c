/**
 * Pace spends the plan's requests: evenly spaced, by lanes, one limiter for the whole process.
 *
 * Guarantees: never more than the limit in any sliding 60 seconds as sent from here, also across restarts
 * (each second's share is on disk before it is spent, so a crash can only make us slower); at least 98 % of
 * the limit while there is demand. The highest waiting lane goes first. A 429 stops every lane.
 */
import { Clock, Context, Deferred, Effect, Latch, Layer } from "effect"
import { sql } from "kysely"
import { ServiceSettings } from "../config/Settings.ts"
import { Reasons } from "./Reasons.ts"
import { Store } from "./Store.ts"

/** From the most to the least urgent. */
export const lanes = ["ledger", "event", "gap", "reconcile", "backfill"] as const
export type Lane = (typeof lanes)[number]

export interface PaceOptions {
  readonly requestsPerMinute: number
}

export class Pace extends Context.Service<
  Pace,
  {
    /** Waits for a turn; the request must start at once after it. */
    readonly take: (lane: Lane) => Effect.Effect<void>
    /** The service answered 429: every lane waits, by its word or 1 s doubling to 60 s. */
    readonly rejected: (retryAfterMs: number | undefined) => Effect.Effect<void>
    /** The service took a request: the next 429 without a word starts at 1 s again. */
    readonly accepted: Effect.Effect<void>
    /** The service's rate headers said that nothing is left until then. */
    readonly pauseUntil: (millis: number) => Effect.Effect<void>
    readonly usage: Effect.Effect<{ readonly limitPerMinute: number; readonly usedLastMinute: number }>
  }
>()("siteledger/Pace") {
  static readonly layerWith = ({ requestsPerMinute }: PaceOptions) => Layer.effect(Pace, make(requestsPerMinute))

  static readonly layer = Layer.unwrap(Effect.map(ServiceSettings, Pace.layerWith))
}

const windowMs = 60_000

/** Spacing for 99 % of the plan: the rest absorbs requests that the network brings closer together. */
const share = 0.99

/** A late timer may be made up for by this much, or the plan would go unused. */
const catchUpMs = 250

const firstBackoffMs = 1_000
const longestBackoffMs = 60_000

/** A request that isn't on disk may be sent twice over by a restart, so it waits for the store. */
const storePauseMs = 1_000
const reasonKey = "pace"

interface Waiter {
  readonly turn: Deferred.Deferred<void>
}

type Queues = ReadonlyMap<Lane, Set<Waiter>>

const make = (limit: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    const now = steady(yield* Clock.Clock)
    const slots = makeSlots(limit, yield* loadSent(store, limit, now()))
    const reservation = yield* makeReservation(store, slots.mostPerSecond)
    const queues: Queues = new Map(lanes.map((lane) => [lane, new Set()]))
    const demand = yield* Latch.make(false)

    const dispatch = Effect.gen(function* () {
      yield* demand.await
      for (let wait = slots.delay(now()); wait > 0; wait = slots.delay(now())) {
        yield* Effect.sleep(Math.min(wait, windowMs))
      }
      // From here to the turn nothing yields, so that neither the waiter nor the second can pass unnoticed.
      const queue = firstQueue(queues)
      const at = now()
      if (queue === undefined) return void demand.closeUnsafe()
      if (!reservation.take(at)) return yield* reservation.make(at)
      slots.take(at)
      const [next] = queue
      if (next === undefined) return
      queue.delete(next)
      Deferred.doneUnsafe(next.turn, Effect.void)
    })
    yield* Effect.forkScoped(Effect.forever(dispatch))

    return Pace.of({
      take: (lane) =>
        Effect.uninterruptibleMask((restore) => {
          const waiter: Waiter = { turn: Deferred.makeUnsafe() }
          const queue = queues.get(lane)
          queue?.add(waiter)
          demand.openUnsafe()
          return Effect.onInterrupt(restore(Deferred.await(waiter.turn)), () =>
            Effect.sync(() => queue?.delete(waiter))
          )
        }),
      rejected: (retryAfterMs) => Effect.sync(() => slots.rejected(now(), retryAfterMs)),
      accepted: Effect.sync(slots.accepted),
      pauseUntil: (millis) =>
        Effect.map(Clock.currentTimeMillis, (wallMs) => slots.pauseUntil(now() + Math.max(0, millis - wallMs))),
      usage: Effect.sync(() => ({ limitPerMinute: limit, usedLastMinute: slots.usedSince(now() - windowMs) }))
    })
  })

/** The wall clock, but never back: nobody waits for an hour because a clock was set back by one. */
const steady = (clock: Clock.Clock) => {
  let ahead = 0
  let last = Number.NEGATIVE_INFINITY
  return (): number => {
    const wallMs = clock.currentTimeMillisUnsafe()
    if (wallMs + ahead < last) ahead = last - wallMs
    last = wallMs + ahead
    return last
  }
}

const firstQueue = (queues: Queues): Set<Waiter> | undefined =>
  lanes.map((lane) => queues.get(lane)).find((queue) => queue !== undefined && queue.size > 0)

/** When the next request may start; knows nothing of who waits. */
const makeSlots = (limit: number, sent: ReturnType<typeof ring>) => {
  const interval = windowMs / (limit * share)
  let nextSlot = 0
  let pausedUntil = 0
  let backoffMs = firstBackoffMs
  const pauseUntil = (millis: number): void => {
    pausedUntil = Math.max(pausedUntil, millis)
  }
  return {
    mostPerSecond: Math.floor((1000 + catchUpMs) / interval) + 1,
    /** Milliseconds until the next request may start; 0 is now. */
    delay: (now: number): number => Math.max(nextSlot, pausedUntil, sent.nth(limit) + windowMs + 1, now) - now,
    take: (now: number): void => {
      sent.push(now)
      nextSlot = Math.max(nextSlot, now - catchUpMs) + interval
    },
    usedSince: sent.since,
    pauseUntil,
    rejected: (now: number, retryAfterMs: number | undefined): void => {
      if (retryAfterMs !== undefined) return pauseUntil(now + retryAfterMs)
      // Requests that were under way together are rejected together: they are one rejection.
      if (now < pausedUntil) return
      pauseUntil(now + backoffMs)
      backoffMs = Math.min(backoffMs * 2, longestBackoffMs)
    },
    accepted: (): void => {
      backoffMs = firstBackoffMs
    }
  }
}

/** As many requests as a second can hold are on disk before its first one; what it didn't use is taken back later. */
const makeReservation = (store: Store["Service"], mostPerSecond: number) =>
  Effect.gen(function* () {
    const reasons = yield* Reasons
    let current = { second: -1, left: 0 }
    return {
      /** False when the second of `at` has nothing left: make a reservation and ask again. */
      take: (at: number): boolean => {
        if (current.second !== Math.floor(at / 1000) || current.left === 0) return false
        current.left--
        return true
      },
      make: Effect.fnUntraced(function* (at: number) {
        const next = { second: Math.floor(at / 1000), left: mostPerSecond }
        const saved = yield* Effect.result(store.transaction((tx) => saveSeconds(tx, current, next)))
        if (saved._tag === "Success") {
          current = next
          return yield* reasons.clear(reasonKey)
        }
        yield* reasons.set(reasonKey, `Requests wait, as they can't be counted. ${saved.failure.message}`)
        yield* Effect.sleep(storePauseMs)
      })
    }
  })

/** The times of the last `capacity` requests, in a ring. */
const ring = (capacity: number) => {
  const times = new Float64Array(capacity).fill(Number.NEGATIVE_INFINITY)
  let count = 0
  return {
    push: (time: number): void => {
      times[count % capacity] = time
      count++
    },
    /** The time of the nth last request; minus infinity when there were fewer. */
    nth: (n: number): number => (n > count ? Number.NEGATIVE_INFINITY : (times[(count - n) % capacity] ?? 0)),
    since: (time: number): number => times.reduce((sum, each) => (each > time ? sum + 1 : sum), 0)
  }
}

const loadSent = (store: Store["Service"], limit: number, now: number) =>
  Effect.gen(function* () {
    const recent = Math.floor((now - windowMs) / 1000)
    const seconds = yield* store
      .run((db) => db.selectFrom("pace").selectAll().where("second", ">=", recent).orderBy("second").execute())
      .pipe(Effect.orElseSucceed(() => []))
    const times = ring(limit)
    // A second counts as sent at its end: the restart may only be too careful.
    for (const { second, sent } of seconds) {
      for (let i = 0; i < sent; i++) times.push(Math.min(second * 1000 + 999, now))
    }
    return times
  })

interface Second {
  readonly second: number
  readonly left: number
}

type Tx = Parameters<Parameters<Store["Service"]["transaction"]>[0]>[0]

/** Counts are moved, never set: a second may hold requests of a process before this one. */
const saveSeconds = async (tx: Tx, previous: Second, next: Second): Promise<void> => {
  await tx
    .deleteFrom("pace")
    .where("second", "<", next.second - 61)
    .execute()
  await tx
    .updateTable("pace")
    .set({ sent: sql`sent - ${previous.left}` })
    .where("second", "=", previous.second)
    .execute()
  await tx
    .insertInto("pace")
    .values({ second: next.second, sent: next.left })
    .onConflict((conflict) => conflict.column("second").doUpdateSet({ sent: sql`sent + excluded.sent` }))
    .execute()
}
