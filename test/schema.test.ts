/**
 * The schema that results from all migrations, dumped to `test/schema.sql` so that reviews see it. After a changed
 * description: UPDATE_SCHEMA=1 npx vitest run test/schema.test.ts
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Sqlite from "../src/Stores/Sqlite/Store.ts"
import * as DuckDb from "../src/Stores/DuckDb/Warehouse.ts"
import { Warehouse } from "../src/Stores/Warehouse.ts"
import * as Databases from "./Postgres.ts"
import { database, storesAt } from "./Stores/Postgres/World.ts"
import * as Schemas from "./Stores/Schemas.ts"
import { folder } from "./Stores/WarehouseEngines.ts"

const dumped = join(import.meta.dirname, "schema.sql")

/** A part for each engine. */
const parts = (): ReadonlyArray<string> => readFileSync(dumped, "utf8").split(/(?<=\n)\n(?=-- In )/)

const assertDumped = (engine: string, schema: ReadonlyArray<string>): void => {
  const part = `${[`-- In ${engine}`, ...schema].join("\n\n")}\n`
  const isThis = (text: string): boolean => text.startsWith(`-- In ${engine}\n`)
  if (process.env["UPDATE_SCHEMA"] !== undefined) {
    writeFileSync(
      dumped,
      parts()
        .map((text) => (isThis(text) ? part : text))
        .join("\n")
    )
  }
  assert.strictEqual(part, parts().find(isThis))
}

describe("the dumped schema is the one that the migrations make", () => {
  it.effect("in SQLite and DuckDB", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const [store, warehouse] = [join(path, "store.sqlite"), join(path, "warehouse.duckdb")]
      const layer = DuckDb.layerAt(warehouse).pipe(Layer.provideMerge(Sqlite.layerAt(store)))
      yield* Effect.scoped(Effect.provide(Effect.asVoid(Warehouse), layer))
      const inDuckDb = yield* Effect.promise(() => Schemas.ofDuckDb(warehouse))
      assertDumped("SQLite: the Store", Schemas.ofSqlite(store))
      assertDumped("DuckDB: the Warehouse", inDuckDb)
    })
  )

  it.live.skipIf(Databases.skipped !== undefined)("in PostgreSQL", () =>
    Effect.gen(function* () {
      const own = yield* database
      yield* Effect.scoped(Effect.provide(Effect.asVoid(Warehouse), storesAt(own.url)))
      assertDumped("PostgreSQL: both", yield* Effect.promise(() => Schemas.ofPostgres(own)))
    }).pipe(Effect.scoped)
  )
})
