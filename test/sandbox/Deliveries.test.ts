import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Deliveries from "../../sandbox/Deliveries.ts"

const day = 86_400_000

/** Refuses or accepts as told; every attempt's instant goes to a queue. */
const scripted = Effect.fnUntraced(function* (accepts: (attempt: number) => boolean, timeScale = 1) {
  const instants = yield* Queue.unbounded<number>()
  let attempts = 0
  const deliveries = yield* Deliveries.make({
    timeScale,
    concurrency: 2,
    attempt: () =>
      Effect.gen(function* () {
        yield* Queue.offer(instants, yield* Clock.currentTimeMillis)
        return accepts(attempts++)
      })
  })
  return { instants, deliveries }
})

describe("Deliveries", () => {
  it.effect("are tried at 1 min, 5 min, 30 min, 2 h, 6 h and 24 h after the first attempt, then failed", () =>
    Effect.gen(function* () {
      const { deliveries, instants } = yield* scripted(() => false)
      yield* deliveries.add(yield* deliveries.subscribe, 0)
      yield* TestClock.adjust(2 * day)
      const minutes = (yield* Queue.takeAll(instants)).map((at) => at / 60_000)
      assert.deepStrictEqual(minutes, [0, 1, 5, 30, 120, 360, 1440])
      assert.deepStrictEqual(deliveries.counts(), { attempts: 7, delivered: 0, waiting: 0, failed: 1 })
      assert.strictEqual(deliveries.list("failed")[0]?.attempts, 7)
    })
  )

  it.effect("are delivered at the first 2xx and not tried again", () =>
    Effect.gen(function* () {
      const { deliveries, instants } = yield* scripted((attempt) => attempt === 2)
      yield* deliveries.add(yield* deliveries.subscribe, 0)
      yield* TestClock.adjust(2 * day)
      assert.strictEqual(yield* Queue.size(instants), 3)
      assert.deepStrictEqual(deliveries.counts(), { attempts: 3, delivered: 1, waiting: 0, failed: 0 })
    })
  )

  it.effect("are retried as much sooner as the time scale says", () =>
    Effect.gen(function* () {
      const { deliveries, instants } = yield* scripted(() => false, 60)
      yield* deliveries.add(yield* deliveries.subscribe, 0)
      yield* TestClock.adjust(day)
      assert.deepStrictEqual(yield* Queue.takeAll(instants), [0, 1000, 5000, 30_000, 120_000, 360_000, 1_440_000])
    })
  )

  it.effect("that failed are replayed by hand, with the whole schedule", () =>
    Effect.gen(function* () {
      const { deliveries, instants } = yield* scripted((attempt) => attempt === 8)
      yield* deliveries.add(yield* deliveries.subscribe, 0)
      yield* TestClock.adjust(2 * day)
      const failed = deliveries.list("failed")[0]
      assert.isFalse(yield* deliveries.replay(99))
      assert.isTrue(yield* deliveries.replay(failed?.id ?? 0))
      assert.strictEqual(deliveries.counts().failed, 0)
      yield* TestClock.adjust(60_000)
      yield* deliveries.until((counts) => counts.delivered === 1)
      assert.strictEqual(yield* Queue.size(instants), 9)
      assert.isFalse(yield* deliveries.replay(failed?.id ?? 0))
    })
  )

  it.effect("of a dead receiver take its own lane's places only", () =>
    Effect.gen(function* () {
      const never = yield* Deferred.make<boolean>()
      const busy = { now: 0, most: 0 }
      const hanging = Effect.acquireUseRelease(
        Effect.sync(() => (busy.most = Math.max(busy.most, ++busy.now))),
        () => Deferred.await(never),
        () => Effect.sync(() => busy.now--)
      )
      const deliveries = yield* Deliveries.make({
        timeScale: 1,
        concurrency: 2,
        attempt: ({ subscription }) => (subscription === 0 ? hanging : Effect.succeed(true))
      })
      const dead = yield* deliveries.subscribe
      const alive = yield* deliveries.subscribe
      for (let event = 0; event < 50; event++) {
        yield* deliveries.add(dead, event)
        yield* deliveries.add(alive, event)
      }
      yield* deliveries.until((counts) => counts.delivered === 50)
      assert.strictEqual(busy.most, 2)
      assert.strictEqual(deliveries.counts().waiting, 50)
      assert.strictEqual(deliveries.list("waiting").length, 50)
    })
  )
})
