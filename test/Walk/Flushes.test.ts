/**
 * How often a walk waits for an fsync: only for ids that are announced before their rows are written. Everything else
 * that a pass records is done again after a power cut.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Store } from "../../src/Stores/Store.ts"
import * as Checkpoints from "../../src/Walk/Checkpoints.ts"
import * as Pass from "../../src/Walk/Pass.ts"
import { listModel } from "./ListModel.ts"
import { passing, stores } from "./Passing.ts"

describe("a pass", () => {
  it.effect("flushes no transaction of the Store", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const parts = yield* passing
        const flushed: Array<string> = []
        const store: Store["Service"] = {
          ...parts.store,
          transaction: (body, options) => {
            if (options?.isRepeatable !== true) flushed.push(String(body))
            return parts.store.transaction(body, options)
          }
        }
        const list = listModel(Array.from({ length: 47 }, (_, index) => index + 1))
        for (let passes = 0; passes < 2; passes++) {
          const previous = yield* Checkpoints.load(store, "projects")
          yield* Pass.run({ ...parts, store, list, pageSize: 1000, concurrency: 3 }, previous)
        }
        assert.deepStrictEqual(flushed, [])
        assert.strictEqual((yield* Checkpoints.load(store, "projects"))?.proof, "proven")
      })
    ).pipe(Effect.provide(stores))
  )
})
