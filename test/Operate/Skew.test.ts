/** When the difference between our clock and the service's becomes a reason, and when the stores are asked for it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { reasonFor, Skew, type SkewStatus } from "../../src/Operate/Skew.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import type { Deliveries } from "../../src/Stores/Store.ts"
import { noMirrors, Warehouse, WarehouseError } from "../../src/Stores/Warehouse.ts"
import { storeWith } from "../Stores/MockedStore.ts"

const minute = 60_000
const unknown: SkewStatus = { answers: null, deliveries: null, events: null }

describe("skew", () => {
  const table: ReadonlyArray<readonly [string, Partial<SkewStatus>, RegExp | undefined]> = [
    ["that nothing shows is none", {}, undefined],
    ["of five minutes by the service's answers is none", { answers: 5 * minute }, undefined],
    ["of more is a reason", { answers: 5 * minute + 1000 }, /301 s ahead of the service's \(its answers say\)/],
    ["is a reason the other way too", { answers: -10 * minute }, /600 s behind the service's/],
    ["by answers counts more than deliveries", { answers: 0, deliveries: -10 * minute }, undefined],
    ["without a Date is none within a page's margin", { deliveries: -5000 }, undefined],
    ["without a Date is a reason beyond it", { deliveries: -5001 }, /5 s behind .*before they were sent/],
    ["can't be told from late deliveries", { deliveries: 60 * minute, events: 90 * minute }, undefined],
    ["by event times alone is none: the service may date events ahead", { events: -60 * minute }, undefined]
  ]
  for (const [fact, skew, sentence] of table) {
    it(fact, () => {
      const reason = reasonFor({ ...unknown, ...skew })
      if (sentence === undefined) assert.isUndefined(reason)
      else assert.match(reason ?? "", sentence)
    })
  }

  it.effect("is looked for twice after a delivery, and every 20 seconds while none comes", () => {
    const state = { last: 1, asked: 0 }
    const deliveries = {
      last: Effect.sync(() => state.last),
      newest: Effect.succeed([])
    } as unknown as Deliveries
    const query = () =>
      Effect.suspend(() => {
        state.asked++
        return Effect.fail(new WarehouseError({ reason: "Failed", message: "No rows are needed" }))
      })
    const layer = Skew.layer.pipe(
      Layer.provide([
        storeWith(deliveries),
        Layer.mock(Warehouse, { query, id: "mocked", prefersFewTables: false, mirrors: noMirrors }),
        Reasons.layer
      ])
    )
    const askedWithin = (seconds: number) =>
      Effect.gen(function* () {
        const before = state.asked
        for (let second = 0; second < seconds; second++) yield* TestClock.adjust("1 second")
        return state.asked - before
      })
    return Effect.gen(function* () {
      yield* askedWithin(19)
      // At the start, and once more for what was applied since.
      assert.strictEqual(state.asked, 2)
      assert.strictEqual(yield* askedWithin(45), 3)
      // Long before the next 20 seconds are over.
      state.last = 2
      assert.strictEqual(yield* askedWithin(6), 2)
      assert.strictEqual(yield* askedWithin(60), 3)
    }).pipe(Effect.provide(layer))
  })
})
