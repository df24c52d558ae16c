/** A Store that keeps nothing says so where that would break a promise. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { readMeta, Store, writeMeta } from "../../src/Stores/Store.ts"
import * as NullStore from "../../src/Stores/Null.ts"

it.effect("what is written is forgotten, and nothing is found", () =>
  Effect.gen(function* () {
    const store = yield* Store
    yield* store.transaction((tx) => writeMeta(tx, "service", "ours"))
    assert.isUndefined(yield* store.run((db) => readMeta(db, "service")))
    assert.deepStrictEqual(yield* store.run((db) => db.selectFrom("inbox").selectAll().execute()), [])
  }).pipe(Effect.provide(NullStore.layer))
)

it.effect("a failing transaction fails", () =>
  Effect.gen(function* () {
    const store = yield* Store
    const error = yield* Effect.flip(store.transaction(() => Promise.reject(new Error("no"))))
    assert.strictEqual(error.reason, "Failed")
  }).pipe(Effect.provide(NullStore.layer))
)

it.effect("a delivery is not taken, and no backup is made", () =>
  Effect.gen(function* () {
    const store = yield* Store
    const taken = yield* Effect.flip(Effect.tryPromise({ try: () => store.receive([]), catch: String }))
    assert.include(taken, "This store keeps nothing.")
    assert.strictEqual((yield* Effect.flip(store.backup("backup.sqlite", false))).message, "This store keeps nothing.")
  }).pipe(Effect.provide(NullStore.layer))
)
