/**
 * Pace spends the plan's requests: evenly spaced, by lanes, one limiter for the whole process.
 *
 * Guarantees: never more than the limit sent in any sliding 60 seconds, even by several processes if Spending is kept
 * in the Store; at least 98 % of the limit while there is demand, by one process or several together. The most urgent
 * waiting lane goes first; within a lane, lists take turns (`Waiters`). A 429 stops every lane. A crash loses the slots
 * of half a second. Time is measured by monotonic clocks, so setting the system clock changes nothing.
 */
import { Clock, Context, Deferred, Duration, Effect, Latch, Layer, Schedule } from "effect"
import { ServiceSettings } from "../../config/Settings.ts"
import { runningMs } from "../Runtime/Boot.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { lookEvery, makePauses } from "./Pauses.ts"
import { mostAtOnce, windowMs } from "./Slots.ts"
import { Spending } from "./Spending.ts"
import { makeTurns } from "./Turns.ts"
import { Sharer, type Waiter, Waiters } from "./Waiters.ts"

/** From the most to the least urgent. */
export const lanes = ["ledger", "event", "lookup", "gap", "reconcile", "backfill"] as const
export type Lane = (typeof lanes)[number]

export interface PaceOptions {
  readonly requestsPerMinute: number
  /** The service is asked again after this time, even if it requested a longer pause. */
  readonly longestPause: Duration.Duration
}

const make = ({ longestPause, requestsPerMinute: limit }: PaceOptions) =>
  Effect.gen(function* () {
    const spending = yield* Spending
    const clock = yield* Clock.Clock
    const now = () => runningMs(clock)
    const pauses = yield* makePauses(now, longestPause)
    const turns = makeTurns(limit)
    turns.learn(yield* Effect.orElseSucceed(spending.recent(now), () => ({ spent: [], aheadMs: 0 })))
    const reserve = yield* makeReserve(now, limit, turns)
    const queues: Queues = new Map(lanes.map((lane) => [lane, new Waiters(limit / 60)]))
    const demand = yield* Latch.make(false)

    const dispatch = Effect.gen(function* () {
      yield* demand.await
      // Unless a branch returns, there is no yield from here to the turn, so the waiter can't leave meanwhile.
      const at = now()
      const queue = firstQueue(queues)
      if (queue === undefined) return void demand.closeUnsafe()
      const pause = pauses.delay()
      if (pause > 0) return yield* Effect.sleep(Duration.min(Duration.millis(pause), lookEvery))
      const wait = turns.delay(at)
      if (wait === undefined) return yield* reserve(waiting(queues))
      if (wait > 0) return yield* Effect.sleep(Math.ceil(wait))
      turns.take(at)
      pauses.take()
      const next = queue.take(at)
      if (next !== undefined) Deferred.doneUnsafe(next.turn, Effect.void)
    })
    yield* Effect.forkScoped(Effect.forever(dispatch))

    return Pace.of({
      take: (lane) =>
        Effect.flatMap(Sharer, (sharer) =>
          Effect.uninterruptibleMask((restore) => {
            const waiter: Waiter = { turn: Deferred.makeUnsafe(), of: sharer.name }
            const queue = queues.get(lane)
            queue?.add(waiter, sharer, now())
            demand.openUnsafe()
            return Effect.onInterrupt(restore(Deferred.await(waiter.turn)), () =>
              Effect.sync(() => queue?.delete(waiter))
            )
          })
        ),
      rejected: pauses.rejected,
      accepted: pauses.accepted,
      pauseUntil: pauses.until,
      sent: Effect.sync(turns.takenInAll),
      usage: Effect.sync(() => ({ limitPerMinute: limit, usedLastMinute: turns.usedSince(now() - windowMs) }))
    })
  })

export class Pace extends Context.Service<
  Pace,
  {
    /**
     * Waits for a turn in its lane, and within it for a turn of its `Sharer`. The request must start immediately
     * afterwards.
     */
    readonly take: (lane: Lane) => Effect.Effect<void>
    /** The service answered 429: every lane waits for its Retry-After, or for 1 s, doubling up to 60 s. */
    readonly rejected: (retryAfterMs: number | undefined) => Effect.Effect<void>
    /** The service accepted a request: the next 429 without Retry-After starts at 1 s again. */
    readonly accepted: Effect.Effect<void>
    /** The service's rate headers say that no request is left until then. */
    readonly pauseUntil: (millis: number) => Effect.Effect<void>
    /** How many requests this process has sent. */
    readonly sent: Effect.Effect<number>
    readonly usage: Effect.Effect<{ readonly limitPerMinute: number; readonly usedLastMinute: number }>
  }
>()("siteledger/Pace") {
  static readonly layerWith = (options: PaceOptions) => Layer.effect(Pace, make(options))

  static readonly layer = Layer.unwrap(Effect.map(ServiceSettings, Pace.layerWith))
}

/** Requests wait until they can be counted; otherwise a restart could exceed the plan. */
const untilCounted = Schedule.spaced(Duration.seconds(1))
const reasonKey = "pace"

/** A longer lead would take too much from the other workers. */
const longestLeadMs = 5_000

type Queues = ReadonlyMap<Lane, Waiters>

const firstQueue = (queues: Queues): Waiters | undefined =>
  lanes.map((lane) => queues.get(lane)).find((queue) => queue !== undefined && queue.size > 0)

const waiting = (queues: Queues): number => [...queues.values()].reduce((sum, { size }) => sum + size, 0)

/** Reserves as many slots as will be used: unused slots are lost to all workers. */
const makeReserve = (now: () => number, limit: number, turns: ReturnType<typeof makeTurns>) =>
  Effect.gen(function* () {
    const spending = yield* Spending
    const reasons = yield* Reasons
    let leadMs = 0
    const once = Effect.fnUntraced(function* (waiters: number) {
      const askedAt = now()
      const count = Math.min(mostAtOnce(limit), Math.max(waiters, turns.takenLately(askedAt)))
      turns.add(yield* spending.reserve({ limit, count, leadMs }, now))
      // The next reservation may be as slow.
      leadMs = Math.min(now() - askedAt, longestLeadMs)
    })
    return (waiters: number) =>
      once(waiters).pipe(
        Effect.tapError(({ message }) =>
          reasons.set(reasonKey, `Requests wait because they can't be counted. ${message}`)
        ),
        Effect.retry(untilCounted),
        Effect.orDie,
        Effect.andThen(reasons.clear(reasonKey))
      )
  })
