/** Workers that share the plan use it together and never exceed it, wherever they are slow, idle or killed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { seed } from "../../Long.ts"
import { crew, measured } from "./Crew.ts"
import { minuteMs, start } from "./Life.ts"

const seconds = (ms: number): number => ms / 1000

describe(`workers that ask at the same time, seed ${seed}`, () => {
  for (const plan of [600, 3000]) {
    for (const [count, least] of [
      [1, 0.98],
      [2, 0.97],
      [3, 0.97],
      [5, 0.97]
    ] as const) {
      it.effect(`use ${least} of ${plan} per minute when there are ${count}, and never more than the plan`, () =>
        Effect.gen(function* () {
          const { arrivals, join } = yield* crew(plan, seed)
          const workers = []
          for (let n = 0; n < count; n++) {
            workers.push(yield* join(plan / 50))
            yield* TestClock.adjust(7_300)
          }
          yield* TestClock.adjust(3 * minuteMs)
          const end = start + count * 7_300 + 3 * minuteMs
          const shares = measured(plan, arrivals, start + 1000, end)
          assert.isAtLeast(shares.least, least)
          assert.isAtMost(shares.most, plan)
          for (const { reservations } of workers) assert.isAtMost(reservations() / seconds(end - start), 2.1)
        })
      )
    }
  }

  it.effect("share a plan of 7 per minute", () =>
    Effect.gen(function* () {
      const { arrivals, join } = yield* crew(7, seed)
      for (let n = 0; n < 3; n++) yield* join()
      yield* TestClock.adjust(10 * minuteMs)
      const { average, most } = measured(7, arrivals, start + 1000, start + 10 * minuteMs)
      assert.isAtLeast(average, 0.97)
      assert.isAtMost(most, 7)
    })
  )

  for (const [name, callers, rest] of [
    ["a request now and then", 1, { least: 100, most: 4000 }],
    ["a few requests a second", 2, { least: 100, most: 1000 }],
    ["half of the plan", 3, { least: 300, most: 700 }]
  ] as const) {
    it.effect(`use the plan when one asks for all of it and the other for ${name}`, () =>
      Effect.gen(function* () {
        const { arrivals, join } = yield* crew(600, seed)
        const workers = [yield* join(), yield* join(callers, rest)]
        yield* TestClock.adjust(4 * minuteMs)
        const { least, most } = measured(600, arrivals, start + 1000, start + 4 * minuteMs)
        assert.isAtLeast(least, 0.97)
        assert.isAtMost(most, 600)
        for (const { reservations } of workers) assert.isAtMost(reservations() / 240, 2.5)
      })
    )
  }

  it.effect("lose the slots of half a second when one dies", () =>
    Effect.gen(function* () {
      const { arrivals, join } = yield* crew(600, seed)
      yield* join()
      yield* join()
      let end = start
      const deaths = 30
      for (let death = 0; death < deaths; death++) {
        const { die } = yield* join()
        const livesMs = 3_000 + death * 37
        yield* TestClock.adjust(livesMs)
        yield* die
        end += livesMs
      }
      const { average, most } = measured(600, arrivals, start + 1000, end)
      assert.isAtLeast(average, 0.97 - (deaths * 0.5) / seconds(end - start))
      assert.isAtMost(most, 600)
    })
  )

  it.effect("never exceed the plan when reservations take up to two seconds", () =>
    Effect.gen(function* () {
      const { arrivals, join } = yield* crew(600, seed, { least: 10, most: 1_000 })
      for (let n = 0; n < 5; n++) yield* join()
      yield* TestClock.adjust(4 * minuteMs)
      const { average, most } = measured(600, arrivals, start + 1000, start + 4 * minuteMs)
      assert.isAtMost(most, 600)
      assert.isAtLeast(average, 0.5)
    })
  )
})
