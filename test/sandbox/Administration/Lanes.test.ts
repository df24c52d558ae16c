import { assert, describe, it } from "@effect/vitest"
import { Clock, Deferred, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as Deliveries from "../../../sandbox/Deliveries.ts"

const minute = 60_000

/** Every attempt gets `answer`, and its instant goes to a queue. */
const scripted = Effect.fnUntraced(function* (
  answer: (delivery: Deliveries.Delivery) => Effect.Effect<Deliveries.Outcome>,
  options: Partial<Deliveries.DeliveriesOptions> = {}
) {
  const instants = yield* Queue.unbounded<number>()
  const deliveries = yield* Deliveries.make({
    timeScale: 1,
    concurrency: 2,
    maxWaiting: Infinity,
    attempt: (delivery) =>
      Effect.gen(function* () {
        yield* Queue.offer(instants, yield* Clock.currentTimeMillis)
        return yield* answer(delivery)
      }),
    ...options
  })
  return { deliveries, instants }
})

const always = (outcome: Deliveries.Outcome) => () => Effect.succeed(outcome)

describe("A paused subscription", () => {
  it.effect("receives nothing, and all that waited once it is resumed", () =>
    Effect.gen(function* () {
      const { deliveries, instants } = yield* scripted(always(204))
      const lane = yield* deliveries.subscribe
      yield* deliveries.pause(lane)
      for (let event = 0; event < 5; event++) yield* deliveries.add(lane, event)
      yield* TestClock.adjust("2 days")
      assert.strictEqual(yield* Queue.size(instants), 0)
      assert.strictEqual(deliveries.countsOf(lane).waiting, 5)
      yield* deliveries.resume(lane)
      yield* deliveries.until((counts) => counts.delivered === 5)
      assert.deepStrictEqual(new Set(yield* Queue.takeAll(instants)), new Set([2880 * minute]))
    })
  )

  it.effect("doesn't use up its retry schedule", () =>
    Effect.gen(function* () {
      const { deliveries, instants } = yield* scripted(always(503))
      const lane = yield* deliveries.subscribe
      yield* deliveries.add(lane, 0)
      yield* TestClock.adjust("2 minutes")
      yield* deliveries.pause(lane)
      yield* TestClock.adjust("100 minutes")
      yield* deliveries.resume(lane)
      yield* TestClock.adjust("2 days")
      const minutes = (yield* Queue.takeAll(instants)).map((at) => at / minute)
      assert.deepStrictEqual(minutes, [0, 1, 105, 130, 220, 460, 1540])
      assert.strictEqual(deliveries.counts().failed, 1)
    })
  )

  it.effect("finishes the attempt in flight, and resuming one that isn't paused changes nothing", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<number>()
      const { deliveries } = yield* scripted(() => Deferred.await(answer), { concurrency: 1 })
      const lane = yield* deliveries.subscribe
      yield* deliveries.resume(lane)
      yield* deliveries.add(lane, 0)
      yield* deliveries.add(lane, 1)
      yield* TestClock.adjust(1)
      yield* deliveries.pause(lane)
      yield* Deferred.succeed(answer, 200)
      yield* deliveries.until((counts) => counts.delivered === 1)
      yield* TestClock.adjust("1 day")
      assert.strictEqual(deliveries.counts().waiting, 1)
      assert.strictEqual(deliveries.oldestWaiting(lane), 1)
    })
  )

  it.effect("counts as dead after an hour when room is needed and another is alive", () =>
    Effect.gen(function* () {
      const { deliveries } = yield* scripted(always(200), { maxWaiting: 10 })
      const paused = yield* deliveries.subscribe
      yield* deliveries.subscribe
      yield* deliveries.pause(paused)
      for (let event = 0; event < 10; event++) yield* deliveries.add(paused, event)
      yield* TestClock.adjust("59 minutes")
      assert.isFalse(yield* deliveries.hasRoom)
      yield* TestClock.adjust("1 minute")
      assert.isTrue(yield* deliveries.hasRoom)
      assert.strictEqual(deliveries.countsOf(paused).failed, 1)
    })
  )
})

describe("A deleted subscription", () => {
  it.effect("drops and counts what waits, retries nothing and takes nothing more", () =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<Deliveries.Outcome>()
      const { deliveries, instants } = yield* scripted(({ event }) =>
        event === 1 ? Effect.succeed(200) : Deferred.await(answer)
      )
      const lane = yield* deliveries.subscribe
      for (let event = 0; event < 5; event++) yield* deliveries.add(lane, event)
      // Events 0 and 2 are in flight then.
      yield* deliveries.until((counts) => counts.delivered === 1)
      yield* TestClock.adjust(1)
      yield* deliveries.remove(lane)
      assert.deepStrictEqual(deliveries.countsOf(lane), { waiting: 2, delivered: 1, failed: 0, dropped: 2 })
      yield* Deferred.succeed(answer, "timeout")
      yield* deliveries.until((counts) => counts.waiting === 0)
      yield* deliveries.add(lane, 6)
      yield* TestClock.adjust("2 days")
      assert.strictEqual(yield* Queue.size(instants), 3)
      assert.deepStrictEqual(deliveries.counts(), { attempts: 3, waiting: 0, delivered: 1, failed: 0, dropped: 4 })
    })
  )

  it.effect("keeps its failed deliveries in the list, but they can't be replayed", () =>
    Effect.gen(function* () {
      const { deliveries } = yield* scripted(always(500))
      const lane = yield* deliveries.subscribe
      yield* deliveries.add(lane, 0)
      yield* TestClock.adjust("2 days")
      yield* deliveries.remove(lane)
      const [failed] = deliveries.list("failed")
      assert.isDefined(failed)
      assert.isFalse(yield* deliveries.replay(failed.id))
      assert.strictEqual(deliveries.counts().failed, 1)
      assert.strictEqual(deliveries.find(failed.id)?.state, "failed")
    })
  )

  it.effect("doesn't count as alive when another is dead", () =>
    Effect.gen(function* () {
      const { deliveries } = yield* scripted(always("connection refused"), { maxWaiting: 10 })
      const dead = yield* deliveries.subscribe
      yield* deliveries.remove(yield* deliveries.subscribe)
      for (let event = 0; event < 10; event++) yield* deliveries.add(dead, event)
      yield* TestClock.adjust("3 hours")
      assert.isFalse(yield* deliveries.hasRoom)
      assert.strictEqual(deliveries.counts().failed, 0)
    })
  )
})

describe("Attempts", () => {
  it.effect("are kept with their instant, answer and duration, those of a replay last", () =>
    Effect.gen(function* () {
      const answers: Array<Deliveries.Outcome> = [503, "timeout", "connection refused", 500, 502, 404, 410, 200]
      const { deliveries } = yield* scripted(() =>
        Effect.delay(
          Effect.sync(() => answers.shift() ?? 0),
          "5 seconds"
        )
      )
      yield* deliveries.add(yield* deliveries.subscribe, 0)
      yield* TestClock.adjust("2 days")
      const [failed] = deliveries.list("failed")
      assert.isDefined(failed)
      const attempts = deliveries.attempts(failed.id)
      assert.deepStrictEqual(
        attempts.map(({ outcome }) => outcome),
        [503, "timeout", "connection refused", 500, 502, 404, 410]
      )
      assert.deepStrictEqual(
        attempts.map(({ at }) => at / minute),
        [0, 1, 5, 30, 120, 360, 1440]
      )
      assert.isTrue(attempts.every(({ tookMillis }) => tookMillis === 5000))
      yield* deliveries.replay(failed.id)
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(
        deliveries
          .attempts(failed.id)
          .slice(-2)
          .map(({ outcome }) => outcome),
        [410, 200]
      )
      assert.strictEqual(deliveries.find(failed.id)?.state, "delivered")
    })
  )

  it.effect("are kept only of the deliveries attempted last, and at most ten of each", () =>
    Effect.gen(function* () {
      const { deliveries } = yield* scripted(always(503), { concurrency: 64 })
      const lane = yield* deliveries.subscribe
      yield* deliveries.add(lane, 0)
      yield* TestClock.adjust("2 days")
      const first = deliveries.list("failed")[0]?.id ?? 0
      yield* deliveries.replay(first)
      yield* TestClock.adjust("2 days")
      assert.strictEqual(deliveries.attempts(first).length, 10)
      const many = 10_000
      for (let event = 1; event <= many; event++) yield* deliveries.add(lane, event)
      yield* deliveries.until((counts) => counts.attempts === 14 + many)
      assert.deepStrictEqual(deliveries.attempts(first), [])
      assert.strictEqual(deliveries.attempts(first + many).length, 1)
      assert.strictEqual(deliveries.find(first)?.attempts, 7)
    })
  )
})
