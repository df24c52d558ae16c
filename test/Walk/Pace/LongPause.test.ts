/**
 * A long pause that the service asks for is shown with its end, and one request asks from time to time whether it still
 * holds.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Pace } from "../../../src/Walk/Pace.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Spending } from "../../../src/Walk/Spending.ts"
import { start } from "./Life.ts"

const day = 86_400_000
const hour = 3_600_000

/** A pace with demand in two lanes; its service answers each request after 100 ms as `answer` says. */
const world = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const layer = Layer.provideMerge(
    Pace.layerWith({ requestsPerMinute: 600, longestPause: Duration.hours(1) }),
    Layer.merge(Layer.fresh(Spending.layerAlone), Reasons.layer)
  )
  const context = yield* Layer.build(Layer.fresh(layer))
  const pace = Context.get(context, Pace)
  const service = { answer: pace.accepted }
  const asked: Array<string> = []
  const times: Array<number> = []
  const call = (lane: "event" | "backfill") =>
    Effect.gen(function* () {
      yield* pace.take(lane)
      asked.push(lane)
      times.push(yield* Clock.currentTimeMillis)
      yield* Effect.sleep(100)
      yield* service.answer
    })
  for (let n = 0; n < 4; n++) {
    yield* Effect.forkScoped(Effect.forever(call("event")))
    yield* Effect.forkScoped(Effect.forever(call("backfill")))
  }
  yield* TestClock.adjust(2_000)
  const reasons = Context.get(context, Reasons).wrong
  /** Lets time pass and returns the lanes of the requests of that time. */
  const pass = (ms: number) =>
    Effect.gen(function* () {
      const before = asked.length
      yield* TestClock.adjust(ms)
      return asked.slice(before)
    })
  /** From here on the service rejects everything. */
  const reject = (retryAfterMs: number | undefined) =>
    Effect.gen(function* () {
      service.answer = pace.rejected(retryAfterMs)
      yield* TestClock.adjust(1_000)
    })
  return { pace, service, pass, reject, reasons, times }
})

const sentence = (end: string, because: string) =>
  `The service asked for no requests until ${end} (${because}). One asks again every 1h.`

describe("a 429 with Retry-After of a day", () => {
  it.effect("is a reason with its end, and one request an hour asks in the most urgent lane", () =>
    Effect.gen(function* () {
      const { pass, reasons, reject } = yield* world
      yield* reject(day)
      assert.match((yield* reasons).join(), /^The service asked for no requests until 2026-11-21T02:00:0\dZ \(429 with/)
      assert.deepStrictEqual(yield* pass(hour - 2_000), [])
      assert.deepStrictEqual(yield* pass(4_000), ["event"])
      assert.deepStrictEqual(yield* pass(hour - 6_000), [])
      assert.deepStrictEqual(yield* pass(8_000), ["event"])
      assert.lengthOf(yield* reasons, 1)
    })
  )

  it.effect("ends for all when that request is taken", () =>
    Effect.gen(function* () {
      const { pace, pass, reasons, reject, service } = yield* world
      yield* reject(day)
      service.answer = pace.accepted
      const [first, ...others] = yield* pass(hour + 2_000)
      assert.strictEqual(first, "event")
      assert.isAbove(others.length, 5)
      assert.deepStrictEqual(yield* reasons, [])
      assert.isAbove((yield* pass(10_000)).length, 95)
    })
  )

  it.effect("isn't ended by the answers to requests from before it", () =>
    Effect.gen(function* () {
      const { pace, pass, reasons, reject } = yield* world
      yield* reject(day)
      yield* pace.accepted
      assert.deepStrictEqual(yield* pass(hour / 2), [])
      assert.lengthOf(yield* reasons, 1)
    })
  )

  it.effect("lasts if the request that asks is answered 429 without Retry-After", () =>
    Effect.gen(function* () {
      const { pass, reject } = yield* world
      yield* reject(day)
      yield* reject(undefined)
      assert.deepStrictEqual(yield* pass(hour), ["event"])
      assert.deepStrictEqual(yield* pass(hour - 10_000), [])
    })
  )

  it.effect("is asked about again after a minute if that request got no such answer", () =>
    Effect.gen(function* () {
      const { pass, reject, service } = yield* world
      yield* reject(day)
      service.answer = Effect.void
      assert.deepStrictEqual(yield* pass(hour), ["event"])
      assert.deepStrictEqual(yield* pass(62_000), ["event"])
    })
  )
})

describe("a shorter pause", () => {
  it.effect("of more than a minute is a reason until it ends", () =>
    Effect.gen(function* () {
      const { pace, pass, reasons, reject, service } = yield* world
      yield* reject(120_000)
      service.answer = pace.accepted
      assert.match((yield* reasons).join(), /no requests until 2026-11-20T02:02:0\dZ \(429 with Retry-After\)\.$/)
      assert.deepStrictEqual(yield* pass(115_000), [])
      assert.isAbove((yield* pass(10_000)).length, 30)
      assert.deepStrictEqual(yield* reasons, [])
    })
  )

  it.effect("of a minute is none", () =>
    Effect.gen(function* () {
      const { reasons, reject } = yield* world
      yield* reject(60_000)
      assert.deepStrictEqual(yield* reasons, [])
    })
  )
})

describe("rate headers", () => {
  it.effect("that name a time hours ahead are shown and asked about in the same way", () =>
    Effect.gen(function* () {
      const { pace, pass, reasons } = yield* world
      yield* pace.pauseUntil(start + 5 * hour)
      assert.deepStrictEqual(yield* reasons, [sentence("2026-11-20T07:00:00Z", "its rate limit headers")])
      yield* pass(200)
      assert.deepStrictEqual(yield* pass(hour - 5_000), [])
      assert.strictEqual((yield* pass(10_000))[0], "event")
      assert.deepStrictEqual(yield* reasons, [])
    })
  )

  it.effect("that name no possible date stop nothing for longer than the longest pause", () =>
    Effect.gen(function* () {
      const { pace, pass, reasons } = yield* world
      yield* pace.pauseUntil(Number.MAX_VALUE)
      assert.lengthOf(yield* reasons, 1)
      yield* pass(200)
      assert.deepStrictEqual(yield* pass(hour - 5_000), [])
      assert.isAbove((yield* pass(10_000)).length, 30)
    })
  )
})
