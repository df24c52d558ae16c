/** Who writes the log of rows: one at a time, however it is called and interrupted. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Follow } from "../../../src/Stores/RowLog/Follow.ts"
import { framesIn, listed, nameOf } from "../../../src/Stores/Segments/Segment.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { folder } from "../WarehouseEngines.ts"

describe("the log of rows", () => {
  it.live("has one writer, although its end comes while it is opened", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const store = join(path, "store.sqlite")
        yield* Effect.scoped(Effect.provide(Effect.void, Sqlite.layerAt(store, { isLogged: true })))
        const database = new DatabaseSync(store)
        yield* Effect.addFinalizer(() => Effect.sync(() => database.close()))
        const change = database.prepare("insert or replace into meta (key, value) values ('ledger_epoch', ?)")
        const numbers = () =>
          listed(join(path, "rows")).flatMap((first) =>
            [...framesIn(readFileSync(join(path, "rows", nameOf(first))))].map(({ number }) => number)
          )
        const before = numbers().length
        const follow = new Follow({
          store,
          database,
          key: () => Buffer.alloc(32, 7),
          exclusively: async (use) => use()
        })
        change.run("1")
        const interrupted = follow.once()
        yield* Effect.promise(() => Promise.resolve())
        change.run("2")
        const last = follow.once()
        const closed = follow.close()
        yield* Effect.promise(() => Promise.all([interrupted, last, closed]))
        const after = numbers()
        assert.deepStrictEqual(
          after,
          after.map((_, place) => place + 1)
        )
        assert.isAbove(after.length, before)
        // Else each start would read the whole log for it.
        assert.isFalse(existsSync(join(path, "rows/known")), "an index of bodies")
      })
    )
  )
})
