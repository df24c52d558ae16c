/**
 * How many records a pass asks for at once: as many as the service grants, and more again once it does.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import * as Pass from "../../src/Walk/Pass.ts"
import { type ListModel, listModel } from "./ListModel.ts"
import { passing, stores } from "./Passing.ts"

const pass = (list: ListModel) =>
  Effect.scoped(
    Effect.gen(function* () {
      const parts = yield* passing
      const previous = yield* Checkpoints.load(parts.store, "projects")
      return yield* Pass.run({ ...parts, list, pageSize: 1000, concurrency: 3 }, previous)
    })
  )

const range = (to: number) => Array.from({ length: to }, (_, index) => index + 1)

describe("a pass", () => {
  it.effect("asks for smaller pages when the size is refused, and takes what is granted", () =>
    Effect.gen(function* () {
      const list = listModel(range(230), { largest: 100, refuses: true })
      const { state } = yield* pass(list)
      assert.strictEqual(state.per_page, 100)
      assert.strictEqual(state.proof, "counts-agree")
    }).pipe(Effect.provide(stores))
  )

  it.effect("asks for larger pages again, as long as that saves requests", () =>
    Effect.gen(function* () {
      const list = listModel(range(40), { largest: 3 })
      yield* pass(list)
      list.largest = 1000
      const sizes: Array<number> = []
      for (let turn = 0; turn < 5; turn++) sizes.push((yield* pass(list)).state.per_page)
      assert.deepStrictEqual(sizes, [6, 12, 24, 48, 48])
    }).pipe(Effect.provide(stores))
  )

  it.effect("is refused once at most where the service doesn't grant larger ones", () =>
    Effect.gen(function* () {
      const list = listModel(range(230), { largest: 100, refuses: true })
      yield* pass(list)
      const asked: Array<number | undefined> = []
      const noting: ListModel["fetch"] = (page, size, lane) => {
        asked.push(size)
        return list.fetch(page, size, lane)
      }
      const { state } = yield* pass({ ...list, fetch: noting })
      assert.deepStrictEqual(asked, [200, 100, 100, 100])
      assert.strictEqual(state.proof, "proven")
    }).pipe(Effect.provide(stores))
  )
})
