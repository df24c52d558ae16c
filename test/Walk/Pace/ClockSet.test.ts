/** The plan holds in true time, wherever and whenever the machine's clock is set, also around restarts and boots. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Pace } from "../../../src/Walk/Pace.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { rounds, sample, seed } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"
import { machine, type Machine } from "../../SetClock.ts"
import { between, life, minuteMs, mostInWindow, newStorePath, pass, start } from "./Life.ts"

const hour = 60 * minuteMs
const jumps = [hour, -hour, 24 * hour, -24 * hour, 1_500, -1_500]

/** Takes turns forever and notes in true time when each came. */
const noting = ({ trueMs }: Machine, times: Array<number>) =>
  Effect.gen(function* () {
    const pace = yield* Pace
    yield* Effect.forever(
      Effect.andThen(
        pace.take("backfill"),
        Effect.sync(() => times.push(trueMs()))
      )
    )
  })

/** A process that asks for all of the plan. */
const born = (on: Machine, path: string, times: Array<number>) =>
  on.on(
    Effect.gen(function* () {
      const lived = yield* life(600, Sqlite.layerAt(path))
      for (let n = 0; n < 8; n++) yield* lived.fork(noting(on, times))
      return lived
    })
  )

describe(`a clock that is set, seed ${seed}`, () => {
  for (const ms of sample(jumps, (jump) => String(jump > 0))) {
    it.effect(`by ${ms / 1000} s beside traffic neither exceeds nor stops the plan`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const times: Array<number> = []
        const on = yield* machine
        const { end } = yield* born(on, newStorePath(), times)
        yield* pass(50_000)
        on.jump(ms)
        yield* pass(70_000)
        yield* end
        assert.isAtMost(mostInWindow(times), 600)
        assert.isAtLeast(between(times, start + 50_000, start + 110_000), 0.97 * 600)
      })
    )

    it.effect(`by ${ms / 1000} s at a restart neither exceeds nor stops the plan`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const times: Array<number> = []
        const on = yield* machine
        const path = newStorePath()
        const first = yield* born(on, path, times)
        yield* pass(50_000)
        yield* first.end
        on.jump(ms)
        const second = yield* born(on, path, times)
        yield* pass(70_000)
        yield* second.end
        assert.isAtMost(mostInWindow(times), 600)
        assert.isAtLeast(between(times, start + 50_000, start + 110_000), 0.97 * 600)
      })
    )

    it.effect(`by ${ms / 1000} s at a boot counts what was spent as spent just now`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const times: Array<number> = []
        const on = yield* machine
        const path = newStorePath()
        const first = yield* born(on, path, times)
        yield* pass(50_000)
        yield* first.end
        on.jump(ms)
        on.reboot()
        yield* TestClock.adjust(20_000)
        const second = yield* born(on, path, times)
        yield* pass(80_000)
        yield* second.end
        assert.isAtMost(mostInWindow(times), 600)
        assert.isAtLeast(between(times, start + 71_000, start + 131_000), 0.97 * 600)
      })
    )
  }

  for (const boots of [false, true]) {
    it.effect(`by a day at a ${boots ? "boot" : "restart"} forgets nothing of a plan that was used up`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const times: Array<number> = []
        const on = yield* machine
        const path = newStorePath()
        const first = yield* born(on, path, times)
        yield* pass(2_000)
        yield* first.store.run((db) => db.updateTable("pace").set({ sent: 600 }).execute())
        yield* first.end
        on.jump(24 * hour)
        if (boots) on.reboot()
        times.length = 0
        const { end } = yield* born(on, path, times)
        yield* pass(64_000)
        yield* end
        assert.isAtLeast(times[0] ?? 0, start + 2_000 + 57_000)
        assert.isAbove(times.length, 0)
      })
    )
  }

  it.effect("at random, with restarts and boots, never exceeds the plan", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const random = seeded(seed)
      const times: Array<number> = []
      const on = yield* machine
      const path = newStorePath()
      for (let n = 0; n < rounds(5, 60); n++) {
        const { end } = yield* born(on, path, times)
        for (let jump = random.below(3); jump > 0; jump--) {
          yield* pass(1_000 + random.below(20_000))
          on.jump(random.pick(jumps))
        }
        yield* pass(1_000 + random.below(20_000))
        yield* end
        if (random.below(2) === 0) on.jump(random.pick(jumps))
        if (random.below(3) === 0) on.reboot()
      }
      assert.isAtMost(mostInWindow(times), 600)
      assert.isAbove(times.length, 600)
    })
  )
})
