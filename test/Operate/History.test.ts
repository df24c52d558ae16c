/** The history of each minute, on both engines: when it is written, what a restart adds, and what a missing store loses. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { Store } from "../../src/Stores/Store.ts"
import { settling } from "../Settled.ts"
import { engines } from "../Stores/StoreEngines.ts"
import { begin } from "./History/Begun.ts"

const startMs = Date.parse("2026-11-27T10:00:20Z")

type Worker = Effect.Success<ReturnType<typeof begin>>

const rows = Effect.flatMap(Store, (store) =>
  store.run((db) => db.selectFrom("history").selectAll().orderBy("minute").orderBy("worker").execute())
)

const minute = (time: string): string => `2026-11-27T${time}:00.000000Z`

describe.each(engines)("the history in $name", ({ isSkipped, name, place }) => {
  interface Given {
    readonly start: (id: string) => Effect.Effect<Worker, unknown, Scope.Scope>
    readonly pass: (time: Duration.Input) => Effect.Effect<void>
  }

  const test = <E>(fact: string, body: (given: Given) => Effect.Effect<void, E, Store | Scope.Scope>) =>
    it.effect.skipIf(isSkipped)(fact, () =>
      Effect.gen(function* () {
        const { layer } = yield* place
        const { over, settled } = settling()
        const opened = yield* Layer.build(over(layer))
        yield* TestClock.setTime(startMs)
        const store = Layer.succeedContext(opened)
        const given: Given = {
          start: (id) => begin(id, store),
          // A minute at a time, as the store answers in real time.
          pass: (time) =>
            Effect.gen(function* () {
              for (let left = Duration.toMillis(time); left > 0; left -= 60_000) {
                yield* TestClock.adjust(Math.min(left, 60_000))
                yield* settled
              }
            })
        }
        yield* Effect.provideContext(body(given), opened)
      }).pipe(Effect.scoped)
    )

  const worker = (id: string) => (name === "SQLite" ? "alone" : id)

  test("has a row for a minute once it has ended, and tells of the one under way before", ({ pass, start }) =>
    Effect.gen(function* () {
      const { counters, end, told, took } = yield* start("w")
      Object.assign(counters, { accepted: 3, sent: 40 })
      yield* took("visible", 0.01, 0.01, 0.5)
      yield* took("posted", 2)
      yield* pass("39 seconds")
      assert.deepStrictEqual(yield* rows, [])
      const under = {
        at: minute("10:00"),
        deliveries: 3,
        visibleP50Ms: 9.93,
        visibleP99Ms: 501,
        postedP50Ms: 2000,
        postedP99Ms: 2000,
        requests: 40,
        limit: 600
      }
      const [first] = (yield* told("hour")).points
      for (const key of ["visibleP50Ms", "visibleP99Ms", "postedP50Ms", "postedP99Ms"] as const) {
        assert.closeTo(first![key] ?? 0, under[key], under[key] * 0.03, key)
      }
      yield* pass("1 second")
      assert.deepStrictEqual(yield* rows, [
        {
          worker: worker("w"),
          minute: minute("10:00"),
          deliveries: 3,
          visible: '{"54":2,"144":1}',
          posted: '{"176":1}',
          requests: 40,
          request_limit: 600
        }
      ])
      Object.assign(counters, { accepted: 10, sent: 41 })
      yield* pass("1 minute")
      yield* pass("1 minute")
      const later = (yield* rows).map(({ deliveries, minute: at, requests, visible }) => [
        at,
        deliveries,
        requests,
        visible
      ])
      assert.deepStrictEqual(later.slice(1), [
        [minute("10:01"), 7, 1, "{}"],
        [minute("10:02"), 0, 0, "{}"]
      ])
      assert.deepStrictEqual(
        (yield* told("hour")).points.map(({ at, deliveries, visibleP50Ms }) => [at, deliveries, visibleP50Ms]),
        [
          [minute("10:00"), 3, first?.visibleP50Ms],
          [minute("10:01"), 7, null],
          [minute("10:02"), 0, null],
          [minute("10:03"), 0, null]
        ]
      )
      yield* end
    }))

  test("goes on with the minute that a worker before it ended in", ({ pass, start }) =>
    Effect.gen(function* () {
      for (const [id, ms] of [
        ["a", 10],
        ["b", 1000]
      ] as const) {
        const { counters, end, took } = yield* start(id)
        Object.assign(counters, { accepted: 2, sent: 5 })
        yield* took("visible", ms / 1000, ms / 1000)
        yield* pass("10 seconds")
        yield* end
      }
      const found = yield* rows
      assert.deepStrictEqual(
        found.map(({ deliveries, minute: at, requests, visible, worker: by }) => [
          by,
          at,
          deliveries,
          requests,
          visible
        ]),
        name === "SQLite"
          ? [["alone", minute("10:00"), 4, 10, '{"54":2,"160":2}']]
          : [
              ["a", minute("10:00"), 2, 5, '{"54":2}'],
              ["b", minute("10:00"), 2, 5, '{"160":2}']
            ]
      )
      const { end, told } = yield* start("c")
      const [point] = (yield* told("hour")).points
      assert.deepInclude(point, { deliveries: 4, requests: 10, limit: 600 })
      assert.closeTo(point!.visibleP50Ms ?? 0, 10, 0.3)
      assert.closeTo(point!.visibleP99Ms ?? 0, 1000, 30)
      yield* end
    }))

  test("loses the minutes in which the store is away, and nothing else", ({ pass, start }) =>
    Effect.gen(function* () {
      const { counters, end, reasons, took } = yield* start("w")
      counters.accepted = 1
      yield* pass("1 minute")
      Object.assign(counters, { isAway: true, accepted: 100 })
      yield* took("visible", 7)
      yield* pass("1 minute")
      Object.assign(counters, { isAway: false, accepted: 104 })
      yield* pass("1 minute")
      assert.deepStrictEqual(
        (yield* rows).map(({ deliveries, minute: at, visible }) => [at, deliveries, visible]),
        [
          [minute("10:00"), 1, "{}"],
          [minute("10:02"), 4, "{}"]
        ]
      )
      assert.deepStrictEqual(yield* reasons, [])
      counters.isAway = true
      yield* end
    }))

  test("keeps minutes apart while the store is slow, and doesn't wait for it at its end", ({ pass, start }) =>
    Effect.gen(function* () {
      const { counters, end, gate } = yield* start("w")
      yield* gate.close
      counters.accepted = 1
      yield* pass("1 minute")
      counters.accepted = 5
      yield* pass("1 minute")
      yield* gate.open
      yield* pass("1 second")
      assert.deepStrictEqual(
        (yield* rows).map(({ deliveries, minute: at }) => [at, deliveries]),
        [
          [minute("10:00"), 1],
          [minute("10:01"), 4]
        ]
      )
      yield* gate.close
      const ended = yield* Effect.forkChild(end, { startImmediately: true })
      yield* pass("2 seconds")
      const hasEnded = ended.pollUnsafe() !== undefined
      yield* gate.open
      assert.isTrue(hasEnded)
    }))

  test("adds up a day by ten minutes, leaves out what has no row, and forgets what is older", ({ pass, start }) =>
    Effect.gen(function* () {
      const store = yield* Store
      const row = (by: string, at: string, deliveries: number, visible: string) => ({
        worker: by,
        minute: at,
        deliveries,
        visible,
        posted: "{}",
        requests: 7,
        request_limit: 600
      })
      const kept = [
        row("a", "2026-11-26T09:00:00.000000Z", 1, "{}"),
        row("a", "2026-11-26T09:02:00.000000Z", 1, "{}"),
        row("a", "2026-11-26T10:09:00.000000Z", 2, "{}"),
        row("a", "2026-11-26T10:10:00.000000Z", 3, "{}"),
        row("a", minute("00:00"), 10, '{"54":1}'),
        row("a", minute("00:09"), 20, '{"54":1}'),
        row("b", minute("00:09"), 30, '{"160":1}'),
        row("b", minute("00:10"), 40, "{}"),
        // By a clock that was set wrong.
        row("b", "2027-11-27T00:00:00.000000Z", 50, "{}")
      ]
      yield* store.transaction((tx) => tx.insertInto("history").values(kept).execute())
      const { end, told } = yield* start("c")
      const { points, stepSeconds } = yield* told("day")
      assert.strictEqual(stepSeconds, 600)
      assert.deepStrictEqual(
        points.map(({ at, deliveries, limit, requests, visibleP50Ms }) => [
          at,
          deliveries,
          requests,
          limit,
          visibleP50Ms
        ]),
        [
          ["2026-11-26T10:10:00.000000Z", 3, 7, 6000, null],
          [minute("00:00"), 60, 21, 6000, 10.2],
          [minute("00:10"), 40, 7, 6000, null],
          [minute("10:00"), 0, 0, 6000, null]
        ]
      )
      assert.strictEqual(points[1]?.visibleP99Ms, 1000)
      yield* pass("1 minute")
      const left = (yield* rows).map(({ minute: at }) => at)
      assert.notInclude(left, "2026-11-26T09:00:00.000000Z")
      assert.include(left, "2026-11-26T09:02:00.000000Z")
      yield* end
    }))
})
