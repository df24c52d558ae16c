/** The copy of deliveries in the warehouse, on the virtual clock: it is queried no more often than necessary. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { Apply } from "../../src/Intake/Apply.ts"
import * as Mirror from "../../src/Intake/Mirror.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import type { Chunk } from "../../src/Stores/Deliveries.ts"
import type { Deliveries } from "../../src/Stores/Store.ts"
import { type Mirror as Copy, noMirrors, Warehouse, type WarehouseError } from "../../src/Stores/Warehouse.ts"
import { storeWith } from "../Stores/MockedStore.ts"

/** Chunks of one delivery each. */
const world = () => {
  const state = { last: 3, readable: Infinity, asked: 0, copied: [] as Array<number> }
  const chunk = (number: number): Chunk => ({ first: number, last: number, frames: Buffer.from([number]) })
  const copy = (): Copy<WarehouseError> => ({
    name: "the warehouse",
    through: () => Effect.sync(() => (state.asked++, Math.max(0, ...state.copied))),
    add: (_inbox, { last }) => Effect.sync(() => void state.copied.push(last)),
    after: () => Effect.succeed(undefined)
  })
  let live = copy()
  const copying: Mirror.Copying = {
    id: Effect.succeed("an inbox"),
    after: (number) =>
      Effect.sync(() => (number < Math.min(state.last, state.readable) ? chunk(number + 1) : undefined)),
    takeBack: () => Effect.die("nothing was lost")
  }
  const deliveries = {
    copying,
    last: Effect.sync(() => state.last),
    damage: Effect.succeed({ lost: [], repaired: [] })
  } as unknown as Deliveries
  const mirrors = { ...noMirrors, live: Effect.sync(() => Option.some(live)) }
  const layer = Mirror.layer.pipe(
    Layer.provide([
      storeWith(deliveries),
      Layer.mock(Warehouse, { mirrors, id: "mocked", prefersFewTables: false }),
      Layer.mock(Apply, {}),
      Reasons.layer
    ])
  )
  const replaced = () => {
    live = copy()
    state.copied = []
  }
  return { state, layer, replaced }
}

const seconds = (count: number) => Effect.repeat(TestClock.adjust("1 second"), { times: count - 1 })

describe("the copy of deliveries", () => {
  it.effect("has what came a second ago, and is asked once while nothing comes", () => {
    const { layer, state } = world()
    return Effect.gen(function* () {
      yield* seconds(60)
      assert.deepStrictEqual([state.copied, state.asked], [[1, 2, 3], 1])
      state.last = 5
      yield* seconds(60)
      assert.deepStrictEqual([state.copied, state.asked], [[1, 2, 3, 4, 5], 2])
    }).pipe(Effect.provide(layer))
  })

  it.effect("is tried again each second while a delivery can't be read", () => {
    const { layer, state } = world()
    state.readable = 2
    return Effect.gen(function* () {
      yield* seconds(5)
      assert.deepStrictEqual([state.copied, state.asked], [[1, 2], 5])
      state.readable = Infinity
      yield* seconds(5)
      assert.deepStrictEqual([state.copied, state.asked], [[1, 2, 3], 6])
    }).pipe(Effect.provide(layer))
  })

  it.effect("begins anew in another warehouse", () => {
    const { layer, replaced, state } = world()
    return Effect.gen(function* () {
      yield* seconds(2)
      replaced()
      yield* seconds(2)
      assert.deepStrictEqual([state.copied, state.asked], [[1, 2, 3], 2])
    }).pipe(Effect.provide(layer))
  })
})
