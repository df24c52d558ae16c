/** Many lists share a plan on the virtual clock: each is in time beside one that never ends, and the plan is used. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Pace } from "../../../src/Walk/Pace.ts"
import { needed } from "../../../src/Walk/Shares.ts"
import { Sharer, type Sharing } from "../../../src/Walk/Waiters.ts"
import { between, life, minuteMs, mostInWindow, newStorePath, noting, pass, start } from "./Life.ts"

const everyMs = minuteMs

const endless = (name: string, isFirst = false): Sharing => ({ name, isFirst, need: () => Infinity })

/** Walks so many pages again and again, each time once the interval begins; notes how long each walk took. */
const walking = (name: string, pages: number, atOnce: number, took: Array<number>, times: Array<number>) =>
  Effect.gen(function* () {
    const pace = yield* Pace
    while (true) {
      const from = yield* Clock.currentTimeMillis
      let left = pages
      const sharing: Sharing = {
        name,
        isFirst: false,
        // The pace's clock is another one.
        need: () => needed(left, from + everyMs - now())
      }
      const clock = yield* Clock.Clock
      const now = () => clock.currentTimeMillisUnsafe()
      const page = Effect.gen(function* () {
        yield* pace.take("backfill")
        times.push(now())
        left--
      })
      yield* Effect.forEach(Array.from({ length: pages }), () => page, { concurrency: atOnce }).pipe(
        Effect.provideService(Sharer, sharing)
      )
      took.push(now() - from)
      yield* Effect.sleep(Duration.millis(Math.max(0, from + everyMs - now())))
    }
  })

describe("a lane that many lists share", () => {
  it.effect("has each walked within its time beside a huge one, and uses the plan", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const limit = 600
      const { end, fork } = yield* life(limit, Sqlite.layerAt(newStorePath()))
      const times: Array<number> = []
      for (let n = 0; n < 64; n++) yield* fork(Effect.provideService(noting(times), Sharer, endless("huge")))
      yield* pass(1_000)
      const walks = new Map<string, Array<number>>()
      const begin = (name: string, pages: number, atOnce: number) => {
        const took: Array<number> = []
        walks.set(name, took)
        return fork(walking(name, pages, atOnce, took, times))
      }
      for (let n = 0; n < 40; n++) yield* begin(`small ${n}`, 1 + (n % 5), 1)
      // More than an equal part for each would be.
      yield* begin("tight", 150, 8)
      yield* pass(3.2 * minuteMs)
      yield* end
      for (const [name, took] of walks) {
        assert.isAtLeast(took.length, 3, name)
        assert.isAtMost(Math.max(...took), everyMs, name)
      }
      for (let from = start; from <= start + 2 * minuteMs; from += 1000) {
        assert.isAtLeast(between(times, from, from + minuteMs), Math.floor(0.98 * limit))
      }
      assert.isAtMost(mostInWindow(times), limit)
    })
  )

  it.effect("goes on with the others while one waits for nothing, and is shared equally by those that are late", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { end, fork } = yield* life(600, Sqlite.layerAt(newStorePath()))
      const times = { huge: [] as Array<number>, other: [] as Array<number> }
      for (let n = 0; n < 64; n++) yield* fork(Effect.provideService(noting(times.huge), Sharer, endless("huge")))
      yield* fork(Effect.provideService(noting(times.other), Sharer, endless("other")))
      yield* pass(minuteMs)
      yield* end
      assert.isAtLeast(times.other.length, 280)
      assert.isAtLeast(times.huge.length, 280)
    })
  )

  it.effect("gives every second turn to the list that the document shows, however many others wait", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { end, fork } = yield* life(600, Sqlite.layerAt(newStorePath()))
      const [shown, others]: [Array<number>, Array<number>] = [[], []]
      for (let n = 0; n < 20; n++) yield* fork(Effect.provideService(noting(others), Sharer, endless(`list ${n}`)))
      for (let n = 0; n < 8; n++) yield* fork(Effect.provideService(noting(shown), Sharer, endless("projects", true)))
      yield* pass(minuteMs)
      yield* end
      assert.isAtLeast(shown.length, 290)
      assert.isAtLeast(others.length, 290)
    })
  )

  it.effect("stands still as a whole while the service asks for no requests", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { end, fork, pace } = yield* life(600, Sqlite.layerAt(newStorePath()))
      const times: Array<number> = []
      for (let n = 0; n < 5; n++) yield* fork(Effect.provideService(noting(times), Sharer, endless(`list ${n}`)))
      yield* pass(5_000)
      yield* pace.rejected(20_000)
      const before = times.length
      yield* pass(19_500)
      assert.strictEqual(times.length, before)
      yield* pass(10_000)
      assert.isAbove(times.length, before + 50)
      yield* end
    })
  )
})
