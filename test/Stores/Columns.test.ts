/**
 * Both engines of the Store have the same tables and columns, except for their queues and tables that only one of them
 * needs.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import { Store } from "../../src/Stores/Store.ts"
import * as Databases from "../Postgres.ts"
import { engines } from "./StoreEngines.ts"

const own = new Set(["archives", "inbox_again", "row_changes", "event_ids", "inbox_queue", "workers"])

const columns = Effect.flatMap(Store, (store) =>
  store.run(async (db) => {
    const query =
      store.engine === "sqlite"
        ? sql<Column>`
            select t.name as "table", c.name as "column", c."notnull" or c.pk > 0 as required
            from sqlite_schema t, pragma_table_info(t.name) c where t.type = 'table'`
        : sql<Column>`
            select table_name as "table", column_name as "column", (is_nullable = 'NO')::integer as required
            from information_schema.columns where table_schema in ('ledger', 'siteledger')`
    const { rows } = await query.execute(db)
    return rows
      .filter(({ table }) => !own.has(table) && !/^(?:kysely|sqlite)_/.test(table))
      .map(({ column, required, table }) => `${table}.${column}${required === 1 ? " required" : ""}`)
      .toSorted()
  })
)

interface Column {
  readonly table: string
  readonly column: string
  readonly required: number
}

describe.skipIf(Databases.skipped !== undefined)("the Store's tables", () => {
  it.live("have the same columns in both engines, required in both or in neither", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const [ofSqlite = [], ofPostgres = []] = yield* Effect.forEach(engines, ({ place }) =>
          Effect.flatMap(place, ({ layer }) => Effect.provide(columns, layer))
        )
        assert.isAbove(ofSqlite.length, 100)
        assert.deepStrictEqual(ofPostgres, ofSqlite)
      })
    )
  )
})
