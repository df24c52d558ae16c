/**
 * Pace spends the plan's requests: evenly spaced, by lanes, one limiter for the whole process.
 *
 * Guarantees: never more than the limit sent in any sliding 60 seconds, also across processes if Spending is kept in the
 * Store (what others have reserved counts as sent); at least 98 % of the limit while there is demand. The most urgent
 * waiting lane goes first. A 429 stops every lane.
 */
import { Clock, Context, Deferred, Duration, Effect, Latch, Layer, Schedule } from "effect"
import { ServiceSettings } from "../../config/Settings.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { makeOthers, makeSlots, ring, windowMs } from "./Slots.ts"
import { Spending } from "./Spending.ts"

/** From the most to the least urgent. */
export const lanes = ["ledger", "event", "gap", "reconcile", "backfill"] as const
export type Lane = (typeof lanes)[number]

export interface PaceOptions {
  readonly requestsPerMinute: number
}

const make = (limit: number) =>
  Effect.gen(function* () {
    const spending = yield* Spending
    const now = steady(yield* Clock.Clock)
    const slots = makeSlots(limit, ring(limit))
    const others = makeOthers(slots.sentBefore)
    others.learn(yield* Effect.orElseSucceed(spending.recent(now()), () => []), now())
    const reservation = yield* makeReservation(now, slots.mostPerSecond, others)
    const queues: Queues = new Map(lanes.map((lane) => [lane, new Set()]))
    const demand = yield* Latch.make(false)

    const dispatch = Effect.gen(function* () {
      yield* demand.await
      for (let wait = slots.delay(now()); wait > 0; wait = slots.delay(now())) {
        yield* Effect.sleep(Math.min(wait, windowMs))
      }
      // Nothing yields from here to the turn, so the waiter can't leave and the second can't end meanwhile.
      const queue = firstQueue(queues)
      const at = now()
      if (queue === undefined) return void demand.closeUnsafe()
      if (!reservation.take(at)) return yield* reservation.make
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

export class Pace extends Context.Service<
  Pace,
  {
    /** Waits for a turn; the request must start immediately after it. */
    readonly take: (lane: Lane) => Effect.Effect<void>
    /** The service answered 429: every lane waits, for its Retry-After or 1 s doubling to 60 s. */
    readonly rejected: (retryAfterMs: number | undefined) => Effect.Effect<void>
    /** The service took a request: the next 429 without Retry-After starts at 1 s again. */
    readonly accepted: Effect.Effect<void>
    /** By the service's rate headers, no request is left until then. */
    readonly pauseUntil: (millis: number) => Effect.Effect<void>
    readonly usage: Effect.Effect<{ readonly limitPerMinute: number; readonly usedLastMinute: number }>
  }
>()("siteledger/Pace") {
  static readonly layerWith = ({ requestsPerMinute }: PaceOptions) => Layer.effect(Pace, make(requestsPerMinute))

  static readonly layer = Layer.unwrap(Effect.map(ServiceSettings, Pace.layerWith))
}

/** Requests wait until they can be counted; otherwise a restart could exceed the plan. */
const untilCounted = Schedule.spaced(Duration.seconds(1))
const reasonKey = "pace"

interface Waiter {
  readonly turn: Deferred.Deferred<void>
}

type Queues = ReadonlyMap<Lane, Set<Waiter>>

/** The wall clock, but it never goes back: otherwise requests would wait for an hour when it is set back by one. */
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

/** Reserves as many requests as a second can hold before its first one, and gives back the unused ones later. */
const makeReservation = (now: () => number, mostPerSecond: number, others: ReturnType<typeof makeOthers>) =>
  Effect.gen(function* () {
    const spending = yield* Spending
    const reasons = yield* Reasons
    let current: { second: number; left: number } = { second: -1, left: 0 }
    const reserve = Effect.gen(function* () {
      const at = now()
      const next = { second: Math.floor(at / 1000), left: mostPerSecond }
      const spent = yield* spending.reserve(current, next)
      others.mine(current.second, -current.left)
      others.mine(next.second, next.left)
      others.learn(spent, at)
      current = next
    })
    return {
      /** False if the second of `at` has nothing left: make a reservation and ask again. */
      take: (at: number): boolean => {
        if (current.second !== Math.floor(at / 1000) || current.left === 0) return false
        current.left--
        return true
      },
      make: reserve.pipe(
        Effect.tapError(({ message }) =>
          reasons.set(reasonKey, `Requests wait because they can't be counted. ${message}`)
        ),
        Effect.retry(untilCounted),
        Effect.orDie,
        Effect.andThen(reasons.clear(reasonKey))
      )
    }
  })
