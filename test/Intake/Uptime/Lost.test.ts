import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { day, hour, live, minute, pass, second, standStill, start, until, world } from "./World.ts"

describe("a gap", () => {
  it.effect("is open until a retry has reached the receiver", () =>
    Effect.gen(function* () {
      const at = yield* world
      yield* at.record([-hour, -30 * second])
      const { service } = yield* live(at.uptime)
      assert.deepStrictEqual(yield* service.gaps, [
        { fromMs: start - 30 * second, toMs: start, healsAtMs: start + minute, isLost: false, cameLate: undefined }
      ])
      yield* pass(at, 55 * second)
      assert.strictEqual((yield* service.gaps).length, 1)
      yield* pass(at, 5 * second)
      assert.deepStrictEqual(yield* service.gaps, [])
      assert.strictEqual(at.faults.lost, 0)
    })
  )

  it.effect("isn't found between two heartbeats", () =>
    Effect.gen(function* () {
      const at = yield* world
      const { service } = yield* live(at.uptime)
      yield* pass(at, 10 * second)
      yield* TestClock.adjust(4 * second)
      assert.deepStrictEqual(yield* service.gaps, [])
    })
  )

  it.effect("that is lost is named with what to do, and reported once, also across restarts", () =>
    Effect.gen(function* () {
      const at = yield* world
      yield* at.record([-3 * day, -30 * hour])
      const first = yield* live(at.uptime)
      yield* until(Effect.sync(() => at.faults.lost > 0))
      assert.deepStrictEqual(yield* at.reasons.wrong, [
        "Deliveries first sent between 2026-11-18T20:00:00.000000Z and 2026-11-20T02:00:00.000000Z may be missing, and " +
          "the service doesn't send them again by itself: replay the failed deliveries of this interval in the service's " +
          "Admin → API → Webhooks, then run `siteledger replay --gap-closed 2026-11-18T20:00:00.000000Z`."
      ])
      yield* pass(at, 2 * minute + 5 * second)
      yield* first.stop
      yield* live(at.uptime)
      yield* pass(at, 2 * minute + 5 * second)
      assert.strictEqual(at.faults.lost, 1)
      assert.strictEqual((yield* at.reasons.wrong).length, 1)
    })
  )

  it.effect("that becomes lost while the worker runs is reported then", () =>
    Effect.gen(function* () {
      const at = yield* world
      // An hour, a day ago; its retries after two and six hours each hit a minute in which the receiver was down.
      const [from, to] = [-day - 10 * minute, -day + 50 * minute]
      const deaf = (at: number) => [at, at + minute] as const
      const [first, next] = [deaf(from + 2 * hour + minute), deaf(from + 6 * hour + minute)]
      yield* at.record([-3 * day, from], [to, first[0]], [first[1], next[0]], [next[1], 0])
      const { service } = yield* live(at.uptime)
      assert.deepStrictEqual(yield* service.gaps, [
        { fromMs: start + from, toMs: start + to, healsAtMs: start + 50 * minute, isLost: false, cameLate: undefined }
      ])
      yield* pass(at, 30 * second)
      assert.strictEqual(at.faults.lost, 0)
      yield* standStill(at, minute)
      yield* pass(at, minute)
      yield* until(Effect.sync(() => at.faults.lost === 1))
      const lost = (yield* service.gaps).filter(({ isLost }) => isLost)
      assert.deepStrictEqual(
        lost.map(({ fromMs, toMs }) => [fromMs - start, toMs - start]),
        [[from, to]]
      )
      assert.strictEqual((yield* at.reasons.wrong).length, 1)
    })
  )

  it.effect("closed by a person disappears at once, with its reason", () =>
    Effect.gen(function* () {
      const at = yield* world
      yield* at.record([-3 * day, -30 * hour])
      const { service } = yield* live(at.uptime)
      yield* until(Effect.sync(() => at.faults.lost === 1))
      const [gap] = yield* service.gaps
      yield* service.close(gap?.fromMs ?? 0, gap?.toMs ?? 0, "replayed by hand")
      yield* service.close(gap?.fromMs ?? 0, gap?.toMs ?? 0, "and once more")
      assert.deepStrictEqual(yield* service.gaps, [])
      assert.deepStrictEqual(yield* at.reasons.wrong, [])
      const closed = yield* at.store.run((db) => db.selectFrom("closed_gaps").selectAll().execute())
      assert.deepStrictEqual(closed, [
        {
          from_ms: start - 30 * hour,
          to_ms: start,
          closed_at: "2026-11-20T02:00:00.000000Z",
          reason: "replayed by hand"
        }
      ])
    })
  )

  it.effect("that is lost counts the deliveries that have arrived since, and stays open", () =>
    Effect.gen(function* () {
      const at = yield* world
      yield* at.record([-3 * day, -30 * hour])
      at.faults.cameLate = 2
      const { service } = yield* live(at.uptime)
      yield* until(Effect.sync(() => at.faults.lost === 1))
      assert.strictEqual((yield* service.gaps)[0]?.cameLate, 2)
      assert.match((yield* at.reasons.wrong).join(), /So far 2 with an event time in this interval have arrived since/)
      at.faults.cameLate = undefined
      yield* pass(at, 65 * second)
      assert.strictEqual((yield* service.gaps)[0]?.cameLate, 2, "as last known")
      at.faults.cameLate = 7
      yield* pass(at, 65 * second)
      yield* until(Effect.map(service.gaps, ([gap]) => gap?.cameLate === 7))
      assert.strictEqual(at.faults.lost, 1)
    })
  )

  it.effect("is reported again if the first report failed", () =>
    Effect.gen(function* () {
      const at = yield* world
      yield* at.record([-3 * day, -30 * hour])
      at.faults.brokenTurns = 1
      yield* live(at.uptime)
      yield* until(Effect.map(at.reasons.wrong, (all) => all.some((each) => each.includes("stopped gaps"))))
      yield* pass(at, 10 * second)
      yield* until(Effect.sync(() => at.faults.lost === 1))
    })
  )

  it.effect("can't be closed while the Store fails, and says so", () =>
    Effect.gen(function* () {
      const at = yield* world
      const { service } = yield* live(at.uptime)
      at.faults.isFailing = true
      const error = yield* Effect.flip(service.close(0, 1, "x"))
      assert.strictEqual(error.reason, "Full")
    })
  )
})
