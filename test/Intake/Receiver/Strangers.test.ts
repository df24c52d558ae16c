/** When deliveries signed with an unknown secret become a reason, and when it clears. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import * as Strangers from "../../../src/Intake/Receiver/Strangers.ts"

/** Sends deliveries, lets time pass, and counts how often the reason was raised or cleared. */
const played = Effect.gen(function* () {
  const reasons = yield* Reasons
  const strangers = yield* Strangers.make
  const isUp = Effect.map(reasons.wrong, (all) => all.join().includes("an unknown secret"))
  let turns = 0
  let before = false
  const settle = Effect.gen(function* () {
    yield* Effect.yieldNow
    const now = yield* isUp
    if (now !== before) turns++
    before = now
  })
  const each = (who: "right" | "wrong") => (count: number) =>
    Effect.gen(function* () {
      for (let n = 0; n < count; n++) {
        strangers[who]()
        yield* TestClock.adjust(0)
        yield* settle
      }
    })
  const pass = (time: Parameters<typeof TestClock.adjust>[0]) => Effect.andThen(TestClock.adjust(time), settle)
  return { isUp, pass, right: each("right"), wrong: each("wrong"), turns: () => turns }
})

const scene = <E>(name: string, body: Effect.Effect<void, E, Effect.Services<typeof played>>) =>
  it.effect(name, () => Effect.scoped(Effect.provide(body, Reasons.layer)))

describe("deliveries of an unknown secret", () => {
  scene(
    "are a reason after three in a row, at once if no correct one has arrived, until a correct one",
    Effect.gen(function* () {
      const { isUp, right, wrong } = yield* played
      yield* wrong(2)
      assert.isFalse(yield* isUp)
      yield* wrong(1)
      assert.isTrue(yield* isUp)
      yield* right(1)
      assert.isFalse(yield* isUp)
    })
  )

  scene(
    "are a reason some seconds after the last correct one, if only wrong ones arrived since",
    Effect.gen(function* () {
      const { isUp, pass, right, wrong } = yield* played
      yield* right(1)
      yield* wrong(5)
      assert.isFalse(yield* isUp)
      yield* pass("4 seconds")
      assert.isFalse(yield* isUp)
      yield* pass("1 seconds")
      assert.isTrue(yield* isUp)
    })
  )

  scene(
    "can't become a reason by a stranger while correct ones keep arriving",
    Effect.gen(function* () {
      const { pass, right, turns, wrong } = yield* played
      for (let n = 0; n < 100; n++) {
        yield* right(1)
        yield* wrong(10)
        yield* pass("4 seconds")
      }
      assert.strictEqual(turns(), 0)
    })
  )

  scene(
    "don't flap with the traffic: a reason raised again stays until there is calm",
    Effect.gen(function* () {
      const { isUp, pass, right, turns, wrong } = yield* played
      for (let n = 0; n < 100; n++) {
        yield* wrong(4)
        yield* pass("20 seconds")
        yield* right(1)
        yield* pass("10 seconds")
      }
      assert.isTrue(yield* isUp)
      // Raised, cleared, and raised to stay.
      assert.strictEqual(turns(), 3)
      yield* pass("9 minutes")
      yield* right(1)
      assert.isTrue(yield* isUp)
      yield* pass("1 minutes")
      assert.isFalse(yield* isUp)
      assert.strictEqual(turns(), 4)
    })
  )

  scene(
    "clear after a day without another one",
    Effect.gen(function* () {
      const { isUp, pass, wrong } = yield* played
      yield* wrong(3)
      yield* pass("24 hours")
      assert.isFalse(yield* isUp)
      yield* pass("2 hours")
      yield* wrong(1)
      yield* pass("23 hours")
      yield* wrong(1)
      yield* pass("23 hours")
      assert.isTrue(yield* isUp)
      yield* pass("1 hours")
      assert.isFalse(yield* isUp)
    })
  )
})
