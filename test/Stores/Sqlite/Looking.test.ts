/** A reader that only looks doesn't wait for an open transaction, and sees what was committed before. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { layerAt } from "../../../src/Stores/Sqlite/Store.ts"
import { Looking, readMeta, Store, writeMeta } from "../../../src/Stores/Store.ts"

const opened = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "siteledger-looking-"))),
    (made) => Effect.sync(() => rmSync(made, { recursive: true }))
  )
  return yield* Effect.provide(Store, yield* Layer.build(layerAt(join(folder, "store.sqlite"))))
})

const read = ({ run }: Store["Service"]) => run((db) => readMeta(db, "said"))

describe("looking at an embedded store", () => {
  it.live("goes on beside an open transaction, and never writes", () =>
    Effect.gen(function* () {
      const store = yield* opened
      const look = Effect.provideService(read(store), Looking, true)
      yield* store.transaction((tx) => writeMeta(tx, "said", "before"))
      const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const writing = yield* Effect.forkChild(
        store.transaction(async (tx) => {
          await writeMeta(tx, "said", "after")
          begun.resolve()
          await ended.promise
        })
      )
      yield* Effect.promise(() => begun.promise)
      const waiting = yield* Effect.forkChild(read(store))
      assert.strictEqual(yield* look, "before")
      assert.isUndefined(waiting.pollUnsafe())
      ended.resolve()
      yield* Fiber.join(writing)
      assert.strictEqual(yield* Fiber.join(waiting), "after")
      assert.strictEqual(yield* look, "after")
      const failed = yield* store
        .run((db) => writeMeta(db, "said", "never"))
        .pipe(Effect.provideService(Looking, true), Effect.flip)
      assert.match(String(failed.cause), /readonly/)
    }).pipe(Effect.scoped)
  )
})
