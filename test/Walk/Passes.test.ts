/** What is kept of ended passes: one row each, with what it found, and no more rows than configured. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Instant from "../../src/Domain/Instant.ts"
import { Store } from "../../src/Stores/Store.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import * as Pass from "../../src/Walk/Pass.ts"
import * as Passes from "../../src/Walk/Passes.ts"
import { engines } from "../Stores/StoreEngines.ts"
import { type ListModel, listModel } from "./ListModel.ts"
import { passing, stores } from "./Passing.ts"

/** It begins a second after the one before has ended. */
const pass = (list: ListModel) =>
  Effect.scoped(
    Effect.gen(function* () {
      yield* TestClock.adjust("1 second")
      const parts = yield* passing
      const previous = yield* Checkpoints.load(parts.store, "projects")
      return yield* Pass.run({ ...parts, list, pageSize: 1000, concurrency: 1 }, previous)
    })
  )

const kept = (resource: string) =>
  Effect.flatMap(Store, (store) =>
    store.run((db) =>
      db.selectFrom("walk_passes").selectAll().where("resource", "=", resource).orderBy("ended_at").execute()
    )
  )

const ids = (to: number) => Array.from({ length: to }, (_, index) => index + 1)

describe("of passes that have ended", () => {
  it.effect("each is kept with what it proved and found, and none that was cut off", () =>
    Effect.gen(function* () {
      const list = listModel(ids(25))
      const first = yield* pass(list)
      list.ids.splice(4, 2)
      yield* pass(list)
      list.onAsk = (page) => {
        if (page === 2) throw new Error("killed")
      }
      yield* Effect.exit(pass(list))
      assert.lengthOf(yield* kept("projects"), 2)
      list.onAsk = () => undefined
      yield* pass(list)
      list.onAsk = (page) => void (page === 2 && list.ids.push(31))
      yield* pass(list)
      const found = yield* kept("projects")
      assert.deepStrictEqual(
        found.map(({ deleted, pages, pass: number, proof, rows, total }) => [
          number,
          proof,
          rows,
          total,
          pages,
          deleted
        ]),
        [
          [1, "counts-agree", 25, 25, 3, 0],
          [2, "counts-agree", 23, 23, 3, 0],
          [3, "proven", 23, 23, 3, 2],
          [4, "unproven", 24, 24, 3, 0]
        ]
      )
      assert.deepStrictEqual(
        found.map(({ disturbance }) => disturbance),
        [null, null, null, "The list of projects changed while it was being walked."]
      )
      assert.strictEqual(found[0]?.ended_at, first.state.finished_at)
      // Not as its pages say, which is by the service's clock.
      assert.strictEqual(found[0]?.started_at, Instant.fromMillis(1000))
      assert.notStrictEqual(found[0]?.started_at, first.state.started_at)
    }).pipe(Effect.provide(stores))
  )

  describe.each(engines)("in $name", ({ isSkipped, place }) => {
    const startMs = Date.parse("2026-11-27T10:00:00Z")

    it.effect.skipIf(isSkipped)("the newest of each list stay, and none that is too old", () =>
      Effect.gen(function* () {
        const { layer } = yield* place
        const end = (resource: string, number: number, atMs: number) =>
          Effect.flatMap(Store, (store) => {
            const begun = Checkpoints.following(listModel([], { resource }), undefined, Instant.fromMillis(atMs - 500))
            const state = { ...begun, pass: number, proof: "proven", finished_at: Instant.fromMillis(atMs) }
            return store.transaction((tx) => Passes.add(tx, state, { deleted: 0, disturbance: null }))
          })
        const body = Effect.gen(function* () {
          const oldMs = startMs - Duration.toMillis(Passes.keptFor)
          yield* end("vos", 1, oldMs - 1)
          yield* end("vos", 2, oldMs + 1)
          for (let number = 1; number <= Passes.mostKept + 2; number++)
            yield* end("ipcs", number, startMs - 10_000 + number)
          const numbers = (yield* kept("ipcs")).map((each) => each.pass)
          assert.deepStrictEqual([numbers.length, numbers[0]], [Passes.mostKept, 3])
          yield* end("ncrs", 1, startMs)
          assert.deepStrictEqual(
            (yield* kept("vos")).map((each) => each.pass),
            [2]
          )
        })
        yield* Effect.provide(body, layer)
      }).pipe(Effect.scoped)
    )
  })
})
