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

const longestBackoffMs = 60_000

interface Waiter {
  readonly turn: Deferred.Deferred<void>
}

const make = (limit: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    const waiting = new Map<Lane, Set<Waiter>>(lanes.map((lane) => [lane, new Set()]))
    const demand = yield* Latch.make(false)
    const sent = yield* loadSent(store, limit)
    const interval = windowMs / (limit * share)
    const state = { nextSlot: 0, pausedUntil: 0, backoffMs: 1000, reservedSecond: -1, sentInSecond: 0 }

    const reserve = Effect.fnUntraced(function* (now: number) {
      const second = Math.floor(now / 1000)
      if (second === state.reservedSecond) return
      const previous = { second: state.reservedSecond, sent: state.sentInSecond }
      const most = Math.ceil((1000 + catchUpMs) / interval) + 1
      yield* Effect.ignore(store.transaction((tx) => saveSeconds(tx, previous, { second, sent: most })))
      state.reservedSecond = second
      state.sentInSecond = 0
    })

    /** Milliseconds until the next request may start; 0 is now. */
    const delay = (now: number): number => {
      const windowFree = sent.nth(limit) + windowMs + 1
      return Math.max(state.nextSlot, state.pausedUntil, windowFree, now) - now
    }

    const dispatch = Effect.gen(function* () {
      yield* demand.await
      let now = yield* Clock.currentTimeMillis
      for (let wait = delay(now); wait > 0; wait = delay(now)) {
        yield* Effect.sleep(wait)
        now = yield* Clock.currentTimeMillis
      }
      yield* reserve(now)
      const next = firstWaiter(waiting)
      if (next === undefined) return yield* demand.close
      now = yield* Clock.currentTimeMillis
      sent.push(now)
      state.sentInSecond++
      state.nextSlot = Math.max(state.nextSlot + interval, now - catchUpMs)
      return yield* Deferred.succeed(next.turn, undefined)
    })
    yield* Effect.forkScoped(Effect.forever(dispatch))

    const pauseUntil = (millis: number) =>
      Effect.sync(() => {
        state.pausedUntil = Math.max(state.pausedUntil, millis)
      })

    return Pace.of({
      take: Effect.fnUntraced(function* (lane) {
        const waiter: Waiter = { turn: yield* Deferred.make<void>() }
        const queue = waiting.get(lane)
        queue?.add(waiter)
        yield* demand.open
        yield* Deferred.await(waiter.turn).pipe(Effect.onInterrupt(() => Effect.sync(() => queue?.delete(waiter))))
      }),
      rejected: Effect.fnUntraced(function* (retryAfterMs) {
        const now = yield* Clock.currentTimeMillis
        if (retryAfterMs !== undefined) return yield* pauseUntil(now + retryAfterMs)
        // Requests that were under way together are rejected together: they are one rejection.
        if (now < state.pausedUntil) return
        yield* pauseUntil(now + state.backoffMs)
        state.backoffMs = Math.min(state.backoffMs * 2, longestBackoffMs)
      }),
      accepted: Effect.sync(() => {
        state.backoffMs = 1000
      }),
      pauseUntil,
      usage: Effect.map(Clock.currentTimeMillis, (now) => ({
        limitPerMinute: limit,
        usedLastMinute: sent.since(now - windowMs)
      }))
    })
  })

const firstWaiter = (waiting: ReadonlyMap<Lane, Set<Waiter>>): Waiter | undefined => {
  for (const lane of lanes) {
    for (const waiter of waiting.get(lane) ?? []) {
      waiting.get(lane)?.delete(waiter)
      return waiter
    }
  }
  return undefined
}

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

const loadSent = (store: Store["Service"], limit: number) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
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
  readonly sent: number
}

type Tx = Parameters<Parameters<Store["Service"]["transaction"]>[0]>[0]

const saveSeconds = async (tx: Tx, previous: Second, next: Second): Promise<void> => {
  await tx
    .deleteFrom("pace")
    .where("second", "<", next.second - 61)
    .execute()
  await tx.updateTable("pace").set({ sent: previous.sent }).where("second", "=", previous.second).execute()
  await tx
    .insertInto("pace")
    .values(next)
    .onConflict((conflict) => conflict.column("second").doUpdateSet({ sent: sql`sent + excluded.sent` }))
    .execute()
}
