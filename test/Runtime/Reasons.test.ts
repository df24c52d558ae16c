/** Reasons with their levels: which count as wrong, in what order, since when, and what is logged. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { logged } from "../sandbox/Outliving.ts"

const start = Date.UTC(2026, 10, 20, 2)

const scene = <E>(fact: string, body: Effect.Effect<void, E, Reasons>) =>
  it.effect(fact, () => Effect.andThen(TestClock.setTime(start), Effect.provide(body, Reasons.layer)))

describe("reasons", () => {
  scene(
    "show critical ones first, and count no notice as wrong",
    Effect.gen(function* () {
      const reasons = yield* Reasons
      yield* reasons.set("a", "A notice.", "notice")
      yield* reasons.set("b", "Degraded.")
      yield* reasons.set("c", "Critical.", "critical")
      assert.deepStrictEqual(
        (yield* reasons.all).map(({ key, level }) => [key, level]),
        [
          ["c", "critical"],
          ["b", "degraded"],
          ["a", "notice"]
        ]
      )
      assert.deepStrictEqual(yield* reasons.wrong, ["Critical.", "Degraded."])
    })
  )

  scene(
    "keep the time at which they became active until they are cleared",
    Effect.gen(function* () {
      const reasons = yield* Reasons
      const since = Effect.map(reasons.all, ([reason]) => reason?.since)
      yield* reasons.set("holds", "1 hold.", "notice")
      yield* TestClock.adjust("1 hour")
      yield* reasons.set("holds", "2 holds.", "critical")
      assert.strictEqual(yield* since, "2026-11-20T02:00:00.000000Z")
      yield* reasons.clear("holds")
      yield* reasons.set("holds", "2 holds.", "critical")
      assert.strictEqual(yield* since, "2026-11-20T03:00:00.000000Z")
    })
  )

  scene(
    "are logged again when the sentence or the level changes, and only then",
    Effect.gen(function* () {
      const reasons = yield* Reasons
      const { lines } = yield* logged(
        Effect.gen(function* () {
          yield* reasons.set("holds", "1 hold.", "notice")
          yield* reasons.set("holds", "1 hold.", "notice")
          yield* reasons.set("holds", "1 hold.", "critical")
          yield* reasons.set("holds", "2 holds.", "critical")
          yield* reasons.clear("holds")
        })
      )
      assert.deepStrictEqual(lines, ["1 hold.", "1 hold.", "2 holds.", "Resolved: holds"])
    })
  )
})
