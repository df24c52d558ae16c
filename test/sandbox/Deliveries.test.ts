import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Deliveries from "../../sandbox/Deliveries.ts"

const day = 86_400_000

/** Attempts are refused or accepted by `accepts`; every attempt's instant goes to a queue. */
const scripted = Effect.fnUntraced(function* (accepts: (attempt: number) => boolean, timeScale = 1) {
  const instants = yield* Queue.unbounded<number>()
  let attempts = 0
  const deliveries = yield* Deliveries.make({
    timeScale,
    concurrency: 2,
    maxWaiting: Infinity,
    attempt: () =>
      Effect.gen(function* () {
        yield* Queue.offer(instants, yield* Clock.currentTimeMillis)
        return accepts(attempts++) ? 204 : 503
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
      assert.deepStrictEqual(deliveries.counts(), { attempts: 7, delivered: 0, waiting: 0, failed: 1, dropped: 0 })
      assert.strictEqual(deliveries.list("failed")[0]?.attempts, 7)
    })
  )

  it.effect("are delivered at the first 2xx and not tried again", () =>
    Effect.gen(function* () {
      const { deliveries, instants } = yield* scripted((attempt) => attempt === 2)
      yield* deliveries.add(yield* deliveries.subscribe, 0)
      yield* TestClock.adjust(2 * day)
      assert.strictEqual(yield* Queue.size(instants), 3)
      assert.deepStrictEqual(deliveries.counts(), { attempts: 3, delivered: 1, waiting: 0, failed: 0, dropped: 0 })
    })
  )

  it.effect("are retried sooner by the time scale", () =>
    Effect.gen(function* () {
      const { deliveries, instants } = yield* scripted(() => false, 60)
      yield* deliveries.add(yield* deliveries.subscribe, 0)
      yield* TestClock.adjust(day)
      assert.deepStrictEqual(yield* Queue.takeAll(instants), [0, 1000, 5000, 30_000, 120_000, 360_000, 1_440_000])
    })
  )

  it.effect("that are due after the horizon wait for it to move, and then come in due order", () =>
    Effect.gen(function* () {
      const attempted = yield* Queue.unbounded<number>()
      const attempt = ({ event }: Deliveries.Delivery) => Effect.as(Queue.offer(attempted, event), 200)
      const deliveries = yield* Deliveries.make({ timeScale: 1, concurrency: 1, maxWaiting: Infinity, attempt })
      yield* deliveries.setHorizon(100)
      const subscription = yield* deliveries.subscribe
      yield* deliveries.add(subscription, 3, { due: 101 })
      yield* deliveries.add(subscription, 1, { due: 99 })
      yield* TestClock.adjust(1000)
      assert.deepStrictEqual(yield* Queue.takeAll(attempted), [1])
      yield* deliveries.add(subscription, 2, { due: 100 })
      yield* deliveries.setHorizon(Infinity)
      assert.deepStrictEqual([yield* Queue.take(attempted), yield* Queue.take(attempted)], [2, 3])
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

  it.effect("to a dead receiver take up only its own lane", () =>
    Effect.gen(function* () {
      const never = yield* Deferred.make<number>()
      const busy = { now: 0, most: 0 }
      const hanging = Effect.acquireUseRelease(
        Effect.sync(() => (busy.most = Math.max(busy.most, ++busy.now))),
        () => Deferred.await(never),
        () => Effect.sync(() => busy.now--)
      )
      const deliveries = yield* Deliveries.make({
        timeScale: 1,
        concurrency: 2,
        maxWaiting: Infinity,
        attempt: ({ subscription }) => (subscription === 0 ? hanging : Effect.succeed(200))
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

  it.effect("stand still when full, but give up the oldest to a receiver dead for an hour while another is alive", () =>
    Effect.gen(function* () {
      const deliveries = yield* Deliveries.make({
        timeScale: 1,
        concurrency: 2,
        maxWaiting: 20,
        attempt: ({ subscription }) => Effect.succeed(subscription === 1 ? 200 : 503)
      })
      const dead = yield* deliveries.subscribe
      for (let event = 0; event < 20; event++) yield* deliveries.add(dead, event)
      yield* TestClock.adjust("2 hours")
      assert.isFalse(yield* deliveries.hasRoom)
      const alive = yield* deliveries.subscribe
      assert.isTrue(yield* deliveries.hasRoom)
      const givenUp = deliveries.list("failed").map(({ event }) => event)
      assert.deepStrictEqual(givenUp, [0, 1])
      assert.deepStrictEqual(
        deliveries
          .list("waiting")
          .map(({ event }) => event)
          .toSorted((a, b) => a - b),
        Array.from({ length: 18 }, (_, at) => at + 2)
      )
      for (let event = 20; event < 60; event++) {
        assert.isTrue(yield* deliveries.hasRoom)
        yield* deliveries.add(dead, event)
        yield* deliveries.add(alive, event)
        yield* deliveries.until((counts) => counts.delivered === event - 19)
      }
      assert.isAtMost(deliveries.counts().waiting, 20)
      assert.strictEqual(deliveries.oldestWaiting(dead), deliveries.list("failed").length)
    })
  )

  it.effect("to a receiver that is down for less than an hour are never given up", () =>
    Effect.gen(function* () {
      let isUp = true
      const deliveries = yield* Deliveries.make({
        timeScale: 1,
        concurrency: 2,
        maxWaiting: 20,
        attempt: ({ subscription }) => Effect.succeed(isUp || subscription === 1 ? 200 : 503)
      })
      const other = yield* deliveries.subscribe
      yield* deliveries.subscribe
      yield* deliveries.add(other, 0)
      yield* deliveries.until((counts) => counts.delivered === 1)
      yield* TestClock.adjust("3 hours")
      isUp = false
      for (let event = 1; event <= 20; event++) yield* deliveries.add(other, event)
      yield* TestClock.adjust("59 minutes")
      assert.isFalse(yield* deliveries.hasRoom)
      isUp = true
      yield* TestClock.adjust("2 hours")
      assert.deepStrictEqual(deliveries.counts().failed, 0)
      assert.isTrue(yield* deliveries.hasRoom)
    })
  )
})
