/** When the thread rests, both connections of an embedded Store give back their page caches; a closed one doesn't. */
import { mkdtempSync, rmSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { vi } from "vitest"
import { collect } from "../../../src/Runtime/Rest.ts"
import { layerAt } from "../../../src/Stores/Sqlite/Store.ts"
import { Looking, readMeta, Store, writeMeta } from "../../../src/Stores/Store.ts"

it.live("the connections of an embedded store rest with their thread, until they are closed", () =>
  Effect.gen(function* () {
    const folder = mkdtempSync(join(tmpdir(), "siteledger-resting-"))
    yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true })))
    const executed = vi.spyOn(DatabaseSync.prototype, "exec")
    yield* Effect.addFinalizer(() => Effect.sync(() => executed.mockRestore()))
    const shrunk = (): number => {
      executed.mockClear()
      collect()
      return executed.mock.calls.filter(([sql]) => sql === "pragma shrink_memory").length
    }
    yield* Effect.gen(function* () {
      const store = yield* Effect.provide(Store, yield* Layer.build(layerAt(join(folder, "store.sqlite"))))
      yield* store.transaction((tx) => writeMeta(tx, "said", "before"))
      const read = store.run((db) => readMeta(db, "said"))
      assert.strictEqual(shrunk(), 1)
      assert.strictEqual(yield* Effect.provideService(read, Looking, true), "before")
      assert.strictEqual(shrunk(), 2)
      assert.strictEqual(yield* read, "before")
      assert.strictEqual(yield* Effect.provideService(read, Looking, true), "before")
      yield* store.transaction(async (tx) => {
        await writeMeta(tx, "said", "after")
        assert.strictEqual(shrunk(), 2)
      })
      assert.strictEqual(yield* read, "after")
    }).pipe(Effect.scoped)
    assert.strictEqual(shrunk(), 0)
  }).pipe(Effect.scoped)
)
