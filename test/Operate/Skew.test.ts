/** When the difference between our clock and the service's is a reason, and when the stores are asked for it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Instant from "../../src/Domain/Instant.ts"
import { reasonFor, Skew, type SkewStatus } from "../../src/Operate/Skew.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import type { Arrival } from "../../src/Stores/Deliveries.ts"
import type { Deliveries } from "../../src/Stores/Store.ts"
import { noMirrors, Warehouse } from "../../src/Stores/Warehouse.ts"
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

  const layerOf = (state: { last: number; version: number; asked: number }, arrivals: ReadonlyArray<Arrival> = []) => {
    const deliveries = {
      last: Effect.sync(() => state.last),
      arrivals: () => Effect.succeed(arrivals)
    } as unknown as Deliveries
    const query = () =>
      Effect.sync(() => {
        state.asked++
        return arrivals as never
      })
    const version = Effect.sync(() => state.version)
    return Skew.layer.pipe(
      Layer.provide([
        storeWith(deliveries),
        Layer.mock(Warehouse, { query, version, id: "mocked", mirrors: noMirrors }),
        Reasons.layer
      ])
    )
  }

  it.effect("is read once after a delivery came or was applied, and every five minutes while nothing changes", () => {
    const state = { last: 1, version: 1, asked: 0 }
    const askedWithin = (seconds: number) =>
      Effect.gen(function* () {
        const before = state.asked
        for (let second = 0; second < seconds; second++) yield* TestClock.adjust("1 second")
        return state.asked - before
      })
    return Effect.gen(function* () {
      yield* askedWithin(19)
      assert.strictEqual(state.asked, 1)
      state.last = 2
      assert.strictEqual(yield* askedWithin(6), 1)
      state.version = 2
      assert.strictEqual(yield* askedWithin(6), 1)
      assert.strictEqual(yield* askedWithin(600), 2)
    }).pipe(Effect.provide(layerOf(state)))
  })

  it.effect("shows no delivery older than an hour, although none is read again", () => {
    const arrival: Arrival = { issuedAt: Instant.fromMillis(1000), receivedAt: Instant.fromMillis(1400) }
    const state = { last: 1, version: 1, asked: 0 }
    return Effect.gen(function* () {
      const { status } = yield* Skew
      yield* TestClock.adjust("58 minutes")
      assert.deepStrictEqual(yield* status, { answers: null, deliveries: 400, events: 400 })
      const { asked } = state
      yield* TestClock.adjust("130 seconds")
      assert.deepStrictEqual(yield* status, unknown)
      assert.isAtMost(state.asked - asked, 1)
    }).pipe(Effect.provide(layerOf(state, [arrival])))
  })
})
