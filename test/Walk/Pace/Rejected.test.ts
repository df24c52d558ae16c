/** A 429 stops every lane, for its Retry-After or our own pauses; rate headers do too; a clock set back doesn't. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { lanes } from "../../../src/Walk/Pace.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { life, newStorePath, noting, pass, start } from "./Life.ts"

/** A pace of ten per second with demand in every lane, a second after its start. */
const running = Effect.gen(function* () {
  yield* TestClock.setTime(start)
  const { pace, fork, end } = yield* life(600, Sqlite.layerAt(newStorePath()))
  const times: Array<number> = []
  for (const lane of lanes) yield* fork(noting(times, lane))
  yield* pass(1_000)
  assert.isAtLeast(times.length, 9)
  /** Milliseconds from now until the next turn of any lane. */
  const silence = (within: number) =>
    Effect.gen(function* () {
      const count = times.length
      const now = yield* Clock.currentTimeMillis
      yield* pass(within)
      const next = times[count]
      return next === undefined ? Number.POSITIVE_INFINITY : next - now
    })
  return { pace, times, silence, end }
})

const stepsMs = 30
const assertAbout = (actual: number, expected: number) => {
  assert.isAtLeast(actual, expected)
  assert.isAtMost(actual, expected + stepsMs)
}

describe("a 429", () => {
  it.effect("with Retry-After stops every lane for that long", () =>
    Effect.gen(function* () {
      const { pace, silence, end } = yield* running
      yield* pace.rejected(7_000)
      assertAbout(yield* silence(8_000), 7_000)
      yield* end
    })
  )

  it.effect("without it stops every lane for 1 s, doubling to 60 s, and for 1 s again after a success", () =>
    Effect.gen(function* () {
      const { pace, silence, end } = yield* running
      for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
        yield* pace.rejected(undefined)
        assertAbout(yield* silence(seconds * 1000 + 500), seconds * 1000)
      }
      yield* pace.accepted
      yield* pace.rejected(undefined)
      assertAbout(yield* silence(2_000), 1_000)
      yield* end
    })
  )

  it.effect("answered to many requests under way counts once", () =>
    Effect.gen(function* () {
      const { pace, silence, end } = yield* running
      yield* Effect.forEach(lanes, () => pace.rejected(undefined))
      assertAbout(yield* silence(2_000), 1_000)
      yield* pace.rejected(undefined)
      assertAbout(yield* silence(3_000), 2_000)
      yield* end
    })
  )

  it.effect("with a shorter Retry-After than an earlier one doesn't end the wait", () =>
    Effect.gen(function* () {
      const { pace, silence, end } = yield* running
      yield* pace.rejected(5_000)
      yield* pace.rejected(1_000)
      yield* pace.rejected(undefined)
      assertAbout(yield* silence(6_000), 5_000)
      yield* end
    })
  )
})

describe("the rate headers", () => {
  it.effect("stop every lane until the time that they name", () =>
    Effect.gen(function* () {
      const { pace, silence, end } = yield* running
      yield* pace.pauseUntil((yield* Clock.currentTimeMillis) + 12_000)
      assertAbout(yield* silence(13_000), 12_000)
      yield* pace.pauseUntil(start)
      assert.isBelow(yield* silence(1_000), 150)
      yield* end
    })
  )
})

describe("the machine's clock", () => {
  it.effect("may be set back by an hour without making requests wait", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let backMs = 0
      const shifting: Clock.Clock = {
        ...clock,
        sleep: (duration) => clock.sleep(duration),
        currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() - backMs
      }
      const { times, end } = yield* Effect.provideService(running, Clock.Clock, shifting)
      backMs = 3_600_000
      const before = times.length
      yield* pass(10_000)
      assert.isAtLeast(times.length - before, 97)
      assert.isAtMost(times.length - before, 103)
      yield* end
    })
  )
})
