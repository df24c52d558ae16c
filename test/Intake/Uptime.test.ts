import { setImmediate as immediate } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { day, hour, live, minute, pass, second, standStill, start, until, world } from "./Uptime/World.ts"

describe("heartbeats", () => {
  it.effect("extend one interval, and a restart begins another", () =>
    Effect.gen(function* () {
      const at = yield* world
      const first = yield* live(at.uptime)
      assert.deepStrictEqual(yield* at.intervals, [[0, 0]])
      yield* pass(at, 30 * second)
      assert.deepStrictEqual(yield* at.intervals, [[0, 30 * second]])
      yield* first.stop
      yield* TestClock.adjust(2 * minute)
      assert.deepStrictEqual(yield* at.intervals, [[0, 30 * second]])
      yield* live(at.uptime)
      assert.deepStrictEqual(yield* at.intervals, [
        [0, 30 * second],
        [150 * second, 150 * second]
      ])
    })
  )

  it.effect("that are late because the machine was suspended leave a hole", () =>
    Effect.gen(function* () {
      const at = yield* world
      const { service } = yield* live(at.uptime)
      yield* pass(at, 10 * second)
      yield* standStill(at, hour)
      const [first, next] = yield* at.intervals
      assert.deepStrictEqual(first, [0, 15 * second])
      assert.isAtLeast(next?.[0] ?? 0, hour + 15 * second)
      const gaps = yield* service.gaps
      assert.deepStrictEqual(
        gaps.map(({ fromMs, isLost, toMs }) => [fromMs - start, toMs - start, isLost]),
        [[15 * second, next?.[0], false]]
      )
    })
  )

  it.effect("survive a Store that fails for a moment, which is a reason while it does", () =>
    Effect.gen(function* () {
      const at = yield* world
      yield* live(at.uptime)
      yield* pass(at, 10 * second)
      at.faults.isFailing = true
      yield* TestClock.adjust(5 * second)
      yield* until(Effect.map(at.reasons.wrong, (all) => all.length === 1))
      assert.match((yield* at.reasons.wrong).join(), /heartbeat of the receiver can't be stored: .*no space/)
      at.faults.isFailing = false
      yield* pass(at, 10 * second)
      assert.deepStrictEqual(yield* at.reasons.wrong, [])
      assert.deepStrictEqual(yield* at.intervals, [[0, 25 * second]])
    })
  )

  it.effect("that a Store refused for longer leave a hole, which is visible while it lasts", () =>
    Effect.gen(function* () {
      const at = yield* world
      const { service } = yield* live(at.uptime)
      yield* pass(at, 10 * second)
      at.faults.isFailing = true
      for (let turn = 0; turn < 4; turn++) {
        yield* TestClock.adjust(5 * second)
        yield* Effect.promise(() => immediate())
      }
      assert.deepStrictEqual(yield* service.gaps, [])
      at.faults.isFailing = false
      assert.deepStrictEqual(
        (yield* service.gaps).map(({ fromMs, toMs }) => [fromMs - start, toMs - start]),
        [[10 * second, 30 * second]]
      )
      yield* pass(at, 5 * second)
      assert.deepStrictEqual(yield* at.intervals, [
        [0, 10 * second],
        [35 * second, 35 * second]
      ])
    })
  )

  it.effect("don't need the Store at the start", () =>
    Effect.gen(function* () {
      const at = yield* world
      at.faults.isFailing = true
      const { service } = yield* live(at.uptime)
      assert.deepStrictEqual(yield* service.gaps, [])
      at.faults.isFailing = false
      yield* pass(at, 10 * second)
      assert.deepStrictEqual(yield* at.intervals, [[5 * second, 10 * second]])
    })
  )

  it.effect("are forgotten after eight days, unless an open gap needs them", () =>
    Effect.gen(function* () {
      const at = yield* world
      yield* at.record(
        [-20 * day, -19 * day],
        [-19 * day + minute / 2, -10 * day],
        [-10 * day + 10, -day],
        [-day + 10, -minute]
      )
      const first = yield* live(at.uptime)
      yield* until(Effect.map(at.intervals, (all) => all.length === 3))
      assert.deepStrictEqual(
        (yield* at.intervals).map(([from]) => from),
        [-10 * day + 10, -day + 10, 0]
      )
      yield* first.stop
      yield* at.record([-40 * day, -30 * day], [-28 * day, -20 * day])
      yield* at.record([-50 * day, -45 * day], [-45 * day + 10, -40 * day])
      yield* live(at.uptime)
      yield* until(Effect.map(at.intervals, (all) => !all.some(([from]) => from === -50 * day)))
      assert.isTrue((yield* at.intervals).some(([, to]) => to === -30 * day))
    })
  )
})
