/** What goes wrong while a value is erased from archives ends in a sentence, and changes no archive. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Erasure from "../../../src/Domain/Erasure.ts"
import * as Folder from "../../../src/Lake/Folder.ts"
import * as Archives from "../../../src/Operate/Erase/Archives.ts"
import { filesBelow } from "../../Marked.ts"
import * as World from "../../Stores/Archives/World.ts"
import { folder } from "../../Stores/WarehouseEngines.ts"

const filesOf = (path: string) => filesBelow(path).map((file) => [file, readFileSync(file).toString("base64")])

it.live("a disk that is full when an archive's losses are noted is told in words, and the archive stays", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const filled = Effect.gen(function* () {
      yield* World.offerAll(World.history)
      yield* World.archiveAll
      yield* World.copyToWarehouse
      return yield* World.archiveAll
    })
    assert.isNotEmpty(yield* Effect.scoped(Effect.provide(filled, World.worker(path), { local: true })))
    const store = join(path, "store.sqlite")
    const before = filesOf(join(path, "archive"))
    const database = new DatabaseSync(store)
    const full = () => {
      throw Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 })
    }
    const without = {
      redact: Erasure.redactorOf({ value: "high", field: null, isWithin: false }),
      read: Erasure.plain
    }
    const error = yield* Effect.flip(
      Effect.provide(Archives.erase({ store, database }, without, full), Folder.layerAt(World.lakeIn(path)))
    )
    database.close()
    assert.match(error.message, /full/)
    assert.deepStrictEqual(filesOf(join(path, "archive")), before)
  }).pipe(Effect.scoped)
)
