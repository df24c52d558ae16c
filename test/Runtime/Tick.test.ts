/** What looks again and again does so at the same moments, and never later than it would alone. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { untilTick } from "../../src/Runtime/Tick.ts"

const looks = (every: number, at: Array<number>) =>
  Effect.forever(
    Effect.andThen(
      untilTick(every),
      TestClock.testClockWith((clock) => clock.currentTimeMillis.pipe(Effect.map((now) => at.push(now))))
    )
  )

describe("looks that are so far apart", () => {
  it.effect("wake the process together, whenever each began", () =>
    Effect.gen(function* () {
      const [one, two, five]: [Array<number>, Array<number>, Array<number>] = [[], [], []]
      yield* Effect.forkScoped(looks(1000, one))
      yield* TestClock.adjust("330 millis")
      yield* Effect.forkScoped(looks(2000, two))
      yield* TestClock.adjust("410 millis")
      yield* Effect.forkScoped(looks(5000, five))
      yield* TestClock.adjust("9 seconds")
      assert.deepStrictEqual(one, [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000])
      assert.deepStrictEqual(two, [2000, 4000, 6000, 8000])
      assert.deepStrictEqual(five, [5000])
    })
  )

  it.effect("wait for the next moment if a timer came early for this one", () =>
    Effect.gen(function* () {
      const at: Array<number> = []
      yield* TestClock.adjust("998 millis")
      yield* Effect.forkScoped(looks(1000, at))
      yield* TestClock.adjust("1002 millis")
      assert.deepStrictEqual(at, [2000])
    })
  )

  it.effect("never come if they are infinitely far apart", () =>
    Effect.gen(function* () {
      const at: Array<number> = []
      yield* Effect.forkScoped(looks(Infinity, at))
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(at, [])
    })
  )
})
