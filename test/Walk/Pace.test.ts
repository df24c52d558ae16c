/** The plan in any 60 seconds, also across restarts; lanes; interrupted waiters; a failing store. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Lane } from "../../src/Walk/Pace.ts"
import { Store, StoreError } from "../../src/Stores/Store.ts"
import { lateMs } from "../../src/Walk/Slots.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import { between, life, minuteMs, mostInWindow, newStorePath, noting, pass, settle, start } from "./Pace/Life.ts"

describe("the plan", () => {
  for (const limit of [7, 600, 3000]) {
    it.effect(`of ${limit} per minute is used to 98 % in every minute and never passed`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(start)
        const times: Array<number> = []
        const { fork, end, pace } = yield* life(limit, Sqlite.layerAt(newStorePath()))
        for (let n = 0; n < 8; n++) yield* fork(noting(times))
        yield* pass(2.5 * minuteMs)
        for (let from = start; from <= start + 1.5 * minuteMs; from += 1000) {
          assert.isAtLeast(between(times, from, from + minuteMs), Math.floor(0.98 * limit))
        }
        assert.isAtMost(mostInWindow(times), limit)
        const { limitPerMinute, usedLastMinute } = yield* pace.usage
        assert.strictEqual(limitPerMinute, limit)
        assert.strictEqual(usedLastMinute, between(times, start + 1.5 * minuteMs + 1, Infinity))
        yield* end
      })
    )
  }

  it.effect("is kept if every timer is late and demand comes in bursts", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const times: Array<number> = []
      const { fork, end } = yield* life(600, Sqlite.layerAt(newStorePath()))
      for (let burst = 0; burst < 8; burst++) {
        const fibers = yield* Effect.forEach([1, 2, 3], () => fork(noting(times)))
        for (let late = 0; late < 100; late++) {
          yield* TestClock.adjust(170)
          yield* settle
        }
        yield* Effect.forEach(fibers, Fiber.interrupt)
        yield* pass(3_000)
      }
      assert.isAtMost(mostInWindow(times), 600)
      assert.isAtLeast(times.length, 8 * 17 * 10 * 0.98)
      yield* end
    })
  )
})

describe("a restart", () => {
  /** The store counts at least what was sent, in each second. */
  const assertCounted = (store: Store["Service"], times: ReadonlyArray<number>) =>
    Effect.gen(function* () {
      const counted = yield* store.run((db) => db.selectFrom("pace").selectAll().execute())
      for (const { second, sent } of counted) {
        assert.isAtLeast(sent, between(times, second * 1000, (second + 1) * 1000))
      }
      assert.isAtLeast(
        counted.reduce((sum, { sent }) => sum + sent, 0),
        times.filter((at) => at > (times.at(-1) ?? 0) - minuteMs).length
      )
    })

  /** A crash leaves the store as it is: what the last second didn't use is never given back. */
  it.effect("remembers what was sent, even with many restarts within a second", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const path = newStorePath()
      const times: Array<number> = []
      const first = yield* life(600, Sqlite.layerAt(path))
      for (let n = 0; n < 8; n++) yield* first.fork(noting(times))
      yield* pass(59_000)
      yield* first.end
      for (let crash = 0; crash < 12; crash++) {
        const again = yield* life(600, Sqlite.layerAt(path))
        for (let n = 0; n < 8; n++) yield* again.fork(noting(times))
        yield* pass(crash % 3 === 0 ? 1_250 : 330)
        yield* assertCounted(again.store, times)
        yield* again.end
      }
      const last = yield* life(600, Sqlite.layerAt(path))
      for (let n = 0; n < 8; n++) yield* last.fork(noting(times))
      yield* pass(2 * minuteMs)
      yield* last.end
      assert.isAtMost(mostInWindow(times), 600)
      assert.isAtLeast(between(times, start + 130_000, start + 180_000), 0.98 * 500)
    })
  )

  it.effect("adds to what an earlier process sent in the same second", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Math.floor(start / 1000) * 1000)
      const path = newStorePath()
      const times: Array<number> = []
      for (let crash = 0; crash < 8; crash++) {
        const { fork, end, store } = yield* life(600, Sqlite.layerAt(path))
        yield* fork(noting(times))
        yield* pass(220)
        yield* assertCounted(store, times)
        yield* end
      }
    })
  )

  it.effect("of a process that had reached its limit waits until the window is free", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const path = newStorePath()
      const seeding = yield* life(600, Sqlite.layerAt(path))
      // The plan's clock is kept from the first request on.
      yield* seeding.fork(seeding.pace.take("backfill"))
      yield* pass(100)
      yield* seeding.store.run((db) =>
        db
          .insertInto("pace")
          .values({ second: Math.floor(start / 1000) - 10, sent: 600 })
          .execute()
      )
      yield* seeding.end
      const times: Array<number> = []
      const { fork, end } = yield* life(600, Sqlite.layerAt(path))
      yield* fork(noting(times))
      yield* pass(minuteMs)
      yield* end
      assert.isAtLeast(times[0] ?? 0, Math.floor(start / 1000) * 1000 - 10_000 + 999 + minuteMs)
      // Those of a full second may have been sent late.
      assert.isAtMost(times[0] ?? 0, start + 51_000 + lateMs)
    })
  )
})

describe("another worker on the same store", () => {
  it.effect("that sends at the same time shares the plan", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const path = newStorePath()
      const times: Array<number> = []
      const both = [yield* life(600, Sqlite.layerAt(path)), yield* life(600, Sqlite.layerAt(path))]
      for (const { fork } of both) for (let n = 0; n < 4; n++) yield* fork(noting(times))
      yield* pass(3 * minuteMs)
      for (const { end } of both) yield* end
      assert.isAtMost(mostInWindow(times), 600)
      assert.isAtLeast(times.length, 0.97 * 3 * 600)
    })
  )
})

describe("a store that fails", () => {
  it.effect("makes requests wait with a reason, and lets them go when it is back", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const broken = { is: true }
      const failing = Layer.effect(
        Store,
        Effect.map(Store, (store) =>
          Store.of({
            ...store,
            transaction: (body) =>
              Effect.suspend(() =>
                broken.is
                  ? Effect.fail(new StoreError({ reason: "Full", message: "no space" }))
                  : store.transaction(body)
              )
          })
        )
      ).pipe(Layer.provide(Sqlite.layerAt(newStorePath())))
      const times: Array<number> = []
      const { fork, end, reasons } = yield* life(600, failing)
      yield* fork(noting(times))
      yield* pass(5_000)
      assert.deepStrictEqual(times, [])
      assert.match((yield* reasons.wrong).join(), /no space/)
      broken.is = false
      yield* pass(2_000)
      assert.isAbove(times.length, 9)
      assert.deepStrictEqual(yield* reasons.wrong, [])
      yield* end
    })
  )
})

/** Written out: the product's own list would agree with itself in any order. */
const mostUrgentFirst: ReadonlyArray<Lane> = ["ledger", "event", "gap", "reconcile", "backfill"]

describe("waiters", () => {
  it.effect("go by lane, and within a lane by arrival", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { pace, fork, end } = yield* life(60, Sqlite.layerAt(newStorePath()))
      const order: Array<string> = []
      const ask = (lane: Lane, name: string) =>
        fork(
          Effect.andThen(
            pace.take(lane),
            Effect.sync(() => order.push(name))
          )
        )
      yield* ask("backfill", "at once")
      yield* pass(500)
      for (const n of [1, 2]) for (const lane of mostUrgentFirst.toReversed()) yield* ask(lane, `${lane} ${n}`)
      yield* pass(30_000)
      yield* end
      const expected = mostUrgentFirst.flatMap((lane) => [`${lane} 1`, `${lane} 2`])
      assert.deepStrictEqual(order, ["at once", ...expected])
    })
  )

  it.effect("that are interrupted give their turn to the next", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const { pace, fork, end } = yield* life(60, Sqlite.layerAt(newStorePath()))
      const times: Array<number> = []
      yield* pace.take("backfill").pipe(fork)
      yield* pass(100)
      const gone = yield* Effect.forEach([1, 2, 3], () => fork(pace.take("ledger")))
      yield* fork(noting(times))
      yield* settle
      yield* Effect.forEach(gone, Fiber.interrupt)
      yield* pass(1_000)
      yield* end
      assert.strictEqual(times.length, 1)
    })
  )
})
