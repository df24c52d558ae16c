/**
 * Both engines of the Warehouse have the same tables and columns, and show the same rows for the same batches in tables,
 * views, Parquet, the journal and the analysts' copy.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { sql } from "kysely"
import type { Row } from "../../src/Domain/Merge.ts"
import { Store } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { viewNames } from "../../src/Stores/Views.ts"
import { tables } from "../../src/Stores/WarehouseTables.ts"
import * as Databases from "../Postgres.ts"
import { query, queryWithoutFile } from "./Reading.ts"
import { seeded } from "../Seeded.ts"
import { engines, folder } from "./WarehouseEngines.ts"
import { randomBatches, type RandomBatch } from "./RandomBatches.ts"

type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** In an order that doesn't depend on an engine's collation. */
const ordered = (rows: Rows): ReadonlyArray<string> => rows.map((row) => JSON.stringify(row)).toSorted()

/** PostgreSQL shows the Store's books; DuckDB gets a copy with the batch. */
const write = ({ batch, decisions, entries, holds }: RandomBatch) =>
  Effect.gen(function* () {
    const store = yield* Store
    const warehouse = yield* Warehouse
    yield* store.transaction(async (tx) => {
      for (const row of entries) {
        const fact = { number: Number(row["sequence"]), ipc_id: String(row["ipc_id"]) }
        await tx
          .insertInto("ledger_facts")
          .values({ ...fact, kind: "paid", known_at: "now", content: "{}" })
          .execute()
        const kept = { ...row, sequence: fact.number, part: "whole", fact: fact.number }
        await tx
          .insertInto("ledger_entries")
          .values(kept as never)
          .execute()
      }
      for (const { number: _, ...row } of decisions) {
        const kept = { ...row, fact: 1 }
        await tx
          .insertInto("ledger_hold_decisions")
          .values(kept as never)
          .execute()
      }
      for (const row of holds)
        await tx
          .insertInto("ledger_holds")
          .values(row as never)
          .execute()
    })
    const open = { open: holds, ofIpcs: [] }
    yield* warehouse.write({ ...batch, ledger: { entries, decisions, holds: open } })
  })

const everything = [...tables.map(({ name }) => name), ...viewNames]

const shown = Effect.flatMap(Warehouse, (warehouse) =>
  Effect.forEach(everything, (name) =>
    Effect.map(
      warehouse.query((db) => sql<Row>`select * from construction.${sql.raw(name)}`.execute(db)),
      ({ rows }) => [name, ordered(rows)] as const
    )
  )
)

const columns = Effect.flatMap(Warehouse, (warehouse) =>
  Effect.map(
    warehouse.query((db) =>
      sql<Row>`
        select table_name as "table", column_name as "column" from information_schema.columns
        where table_schema = 'construction' order by table_name, ordinal_position`.execute(db)
    ),
    ({ rows }) => rows.map(({ column, table }) => `${table}.${column}`).toSorted()
  )
)

/** The content of an export and of the analysts' copy, as DuckDB reads them. */
const exported = Effect.gen(function* () {
  const warehouse = yield* Warehouse
  const path = yield* folder
  const snapshot = yield* warehouse.snapshot
  const dates = yield* snapshot.eventDates
  const read = (text: string) => Effect.promise(() => queryWithoutFile(text))
  const parquet = (file: string) => Effect.map(read(`select * from read_parquet('${file}')`), ordered)
  const files = yield* snapshot.writeEvents(dates, join(path, "events"))
  const lines: Array<unknown> = []
  yield* snapshot.readJournal(async (some) => void lines.push(...some))
  yield* warehouse.publish(join(path, "analytics.duckdb"))
  const copied = (name: string) =>
    Effect.map(
      Effect.promise(() => query(join(path, "analytics.duckdb"), `select * from construction.${name}`)),
      ordered
    )
  return {
    shapes: snapshot.tables,
    dates: dates.map(({ date, rows }) => ({ date, rows })),
    tables: yield* Effect.forEach(tables, ({ name }) =>
      Effect.gen(function* () {
        const file = join(path, `${name}.parquet`)
        const count = yield* snapshot.writeTable(name, file)
        return { name, count, types: yield* read(`describe select * from '${file}'`), rows: yield* parquet(file) }
      })
    ),
    events: yield* Effect.forEach(files, ({ date, path: file, rows }) =>
      Effect.map(parquet(file), (found) => ({ date, rows, found }))
    ),
    journal: lines,
    copied: yield* Effect.forEach(everything, copied)
  }
})

const inBoth = <A, E>(body: Effect.Effect<A, E, Warehouse | Store | Effect.Services<typeof folder>>) =>
  Effect.forEach(engines, ({ layer }) => Effect.scoped(Effect.provide(body, layer, { local: true })))

describe.skipIf(Databases.skipped !== undefined)("the same batches in both engines", () => {
  it.live("have the same tables and columns for analysts", () =>
    Effect.gen(function* () {
      const [ofDuckDb = [], ofPostgres = []] = yield* inBoth(columns)
      assert.isAbove(ofDuckDb.length, 150)
      assert.deepStrictEqual(ofPostgres, ofDuckDb)
    })
  )

  it.live("show the same rows in every table and view, and in every file written from them", () =>
    Effect.gen(function* () {
      const seed = Date.now() % 1_000_000
      const batches = randomBatches(seeded(seed))
      const [inDuckDb, inPostgres] = yield* inBoth(
        Effect.gen(function* () {
          yield* Effect.forEach(batches, write)
          return { shown: yield* shown, exported: yield* exported }
        })
      )
      const { exported: files, shown: found } = inDuckDb ?? assert.fail("DuckDB showed nothing")
      for (const [place, [name, rows]] of found.entries()) {
        assert.isNotEmpty(rows, `${name} of seed ${seed}`)
        assert.deepStrictEqual(inPostgres?.shown[place], [name, rows], `seed ${seed}`)
      }
      for (const [what, content] of Object.entries(files)) {
        assert.deepStrictEqual(inPostgres?.exported[what as keyof typeof files], content, `${what} of seed ${seed}`)
      }
    })
  )
})
