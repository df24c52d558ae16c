/**
 * The schema that results from all migrations, dumped to `test/schema.sql` so that a review sees it. After a new
 * migration: UPDATE_SCHEMA=1 npx vitest run test/schema.test.ts
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Sqlite from "../src/Stores/Sqlite/Store.ts"
import * as DuckDb from "../src/Stores/DuckDb/Warehouse.ts"
import { Warehouse } from "../src/Stores/Warehouse.ts"
import { query, removeFolder, temporaryFolder } from "./RunningWorker.ts"

const dumped = join(import.meta.dirname, "schema.sql")

const storeSchema = (file: string): ReadonlyArray<string> => {
  const database = new DatabaseSync(file, { readOnly: true })
  const rows = database.prepare("select sql from sqlite_schema where sql is not null order by name").all()
  database.close()
  return rows.map((row) => `${String(row["sql"])};`)
}

const warehouseSchema = async (file: string): Promise<ReadonlyArray<string>> => {
  const tables = await query(
    file,
    "select sql from duckdb_tables() where schema_name = 'construction' order by table_name"
  )
  const views = await query(
    file,
    "select sql from duckdb_views() where schema_name = 'construction' and not internal order by view_name"
  )
  return [...tables, ...views].map((row) => String(row["sql"]).replace(/, (?=\w+ [A-Z]|_)/g, ",\n  "))
}

it.effect("the dumped schema is the one that the migrations make", () =>
  Effect.gen(function* () {
    const folder = yield* Effect.acquireRelease(Effect.sync(temporaryFolder), (path) =>
      Effect.sync(() => removeFolder(path))
    )
    const [store, warehouse] = [join(folder, "store.sqlite"), join(folder, "warehouse.duckdb")]
    const layer = DuckDb.layerAt(warehouse).pipe(Layer.provideMerge(Sqlite.layerAt(store)))
    yield* Effect.scoped(Effect.provide(Effect.asVoid(Warehouse), layer))
    const schema = [
      "-- The Store (SQLite)",
      ...storeSchema(store),
      "-- The Warehouse (DuckDB)",
      ...(yield* Effect.promise(() => warehouseSchema(warehouse)))
    ].join("\n\n")
    if (process.env["UPDATE_SCHEMA"] !== undefined) writeFileSync(dumped, `${schema}\n`)
    assert.strictEqual(`${schema}\n`, readFileSync(dumped, "utf8"))
  })
)
