/**
 * Pace spends the plan's requests: evenly spaced, by lanes, one limiter for the whole process.
 *
 * Guarantees: never more than the limit in any sliding 60 seconds as sent from here, also across restarts and from one
 * worker to the next (each second's share is on disk before it is spent, so a crash can only make us slower, and what
 * others have reserved on the same Store counts as sent); at least 98 % of the limit while there is demand. The highest
 * waiting lane goes first. A 429 stops every lane.
 */
import { Clock, Context, Deferred, Effect, Latch, Layer } from "effect"
import { type Kysely, sql, type Transaction } from "kysely"
import { ServiceSettings } from "../../config/Settings.ts"
import { makeOthers, makeSlots, ring, type Spent, windowMs } from "./Slots.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { Store } from "../Stores/Store.ts"
import { oneAtATime } from "../Stores/Sql.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"

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
    const slots = makeSlots(limit, ring(limit))
    const others = makeOthers(slots.sentBefore)
    others.hear(
      yield* Effect.orElseSucceed(
        store.run((db) => recentSeconds(db, now())),
        () => []
      ),
      now()
    )
    const reservation = yield* makeReservation(store, slots.mostPerSecond, others)
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

/** As many requests as a second can hold are on disk before its first one; what it didn't use is taken back later. */
const makeReservation = (store: Store["Service"], mostPerSecond: number, others: ReturnType<typeof makeOthers>) =>
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
          others.mine(current.second, -current.left)
          others.mine(next.second, next.left)
          others.hear(saved.success, at)
          current = next
          return yield* reasons.clear(reasonKey)
        }
        yield* reasons.set(reasonKey, `Requests wait, as they can't be counted. ${saved.failure.message}`)
        yield* Effect.sleep(storePauseMs)
      })
    }
  })

const recentSeconds = (db: Kysely<StoreTables>, now: number): Promise<ReadonlyArray<Spent>> =>
  db
    .selectFrom("pace")
    .selectAll()
    .where("second", ">=", Math.floor((now - windowMs) / 1000))
    .orderBy("second")
    .execute()

interface Second {
  readonly second: number
  readonly left: number
}

type Tx = Transaction<StoreTables>

/** Counts are moved, never set: a second may hold requests of a process before this one. */
const saveSeconds = async (tx: Tx, previous: Second, next: Second): Promise<ReadonlyArray<Spent>> => {
  await oneAtATime(tx, "pace")
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
    .onConflict((conflict) => conflict.column("second").doUpdateSet({ sent: sql`pace.sent + excluded.sent` }))
    .execute()
  return recentSeconds(tx, next.second * 1000)
}
