/**
 * Tables of entities have their indexes, regardless of what made them and when; one finds the newest changes, the other
 * a part of a table.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { records } from "../../../src/Operate/Records.ts"
import { Resources } from "../../../src/Stores/Resources.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import * as Databases from "../../Postgres.ts"
import { orders } from "../DuckDb/EvolvingOrders.ts"
import { folder } from "../WarehouseEngines.ts"
import { ask, database, storesAt, until } from "./World.ts"

const rows = 20_000

const filling = (count: number) => `
  insert into construction.projects (id, _first_seen_at, _changed_at, _clocks)
  select n, at, at, '{}'
  from (select n, '2026-10-01T00:00:00Z'::timestamptz + n * interval '1 second' as at from generate_series(1, ${count}) as n)`

const indexes = `
  select tablename || ': ' || indexdef as index from pg_indexes
  where schemaname = 'construction' and tablename in ('projects', 'orders') and indexdef ~ '[(]_(changed|first_seen)_at'
  order by tablename, indexname`

const ours = (table: string) => [
  `${table}: CREATE INDEX ${table}__changed_at_idx ON construction.${table} USING btree (_changed_at)`,
  `${table}: CREATE INDEX ${table}__first_seen_at_idx ON construction.${table} USING brin (_first_seen_at)`
]

const start = (url: string) =>
  Layer.build(Layer.fresh(storesAt(url)).pipe(Layer.provide(Layer.succeed(Resources, [orders]))))

describe.skipIf(Databases.skipped !== undefined)("records on PostgreSQL", () => {
  it.live("have two indexes in each table of entities, made by this start or an earlier one", () =>
    Effect.gen(function* () {
      const own = yield* database
      const found = Effect.map(ask(own, indexes), (all) => all.map(({ index }) => index))
      yield* Effect.scoped(start(own.url))
      assert.deepStrictEqual(yield* found, [...ours("orders"), ...ours("projects")])
      yield* ask(
        own,
        "drop index construction.projects__changed_at_idx, construction.projects__first_seen_at_idx, construction.orders__changed_at_idx"
      )
      yield* ask(own, "create index mine on construction.orders (_changed_at desc, id)")
      yield* Effect.scoped(start(own.url))
      assert.deepStrictEqual(yield* found, [
        "orders: CREATE INDEX mine ON construction.orders USING btree (_changed_at DESC, id)",
        ...ours("orders").slice(1),
        ...ours("projects")
      ])
    }).pipe(Effect.scoped)
  )

  it.live("that changed last are found without reading the table, also those behind a page", () =>
    Effect.gen(function* () {
      const own = yield* database
      const context = yield* start(own.url)
      yield* ask(own, `alter table construction.projects set (autovacuum_enabled = false); ${filling(rows)}`)
      yield* ask(own, "analyze construction.projects")
      const counted = Effect.map(
        ask(own, "select seq_tup_read, idx_tup_fetch from pg_stat_user_tables where relname = 'projects'"),
        ([row]) => ({ scanned: Number(row?.["seq_tup_read"]), fetched: Number(row?.["idx_tup_fetch"]) })
      )
      const page = (after?: string) =>
        records({ table: "projects", order: "changed", last: 10, ...(after === undefined ? {} : { after }) }).pipe(
          Effect.provideContext(context)
        )
      const before = yield* counted
      const first = yield* page()
      const second = yield* page(first.next ?? undefined)
      assert.deepStrictEqual(ids(first), numbers(rows))
      assert.deepStrictEqual(ids(second), numbers(rows - 10))
      const middle = yield* page("2026-10-01T02:46:41.000000Z 10001")
      assert.deepStrictEqual(ids(middle), numbers(10_000))
      // A session says at most once a second, or when it ends, what it has read.
      yield* until(
        Effect.map(Effect.andThen(Effect.provideContext(Effect.flatMap(Store, look), context), counted), (now) => {
          return now.fetched - before.fetched >= 30
        })
      )
      const after = yield* counted
      assert.strictEqual(after.scanned - before.scanned, 0)
      assert.isBelow(after.fetched - before.fetched, 200)
    }).pipe(Effect.scoped)
  )

  it.live("are exported part by part without reading the table each time", () =>
    Effect.gen(function* () {
      const own = yield* database
      const path = yield* folder
      const context = yield* start(own.url)
      yield* ask(own, `alter table construction.projects set (autovacuum_enabled = false); ${filling(100_000)}`)
      yield* ask(own, "vacuum analyze construction.projects")
      const written = Effect.flatMap(Warehouse, ({ snapshot }) =>
        Effect.scoped(
          Effect.flatMap(snapshot, ({ writeTable }) =>
            writeTable("projects", join(path, "part.parquet"), {
              from: "2026-10-01T00:10:00.000000Z",
              until: "2026-10-01T00:20:00.000000Z"
            })
          )
        )
      )
      const scans = Effect.map(
        ask(own, "select idx_scan from pg_stat_user_indexes where indexrelname = 'projects__first_seen_at_idx'"),
        ([row]) => Number(row?.["idx_scan"])
      )
      assert.strictEqual(yield* scans, 0)
      assert.strictEqual(yield* Effect.provideContext(written, context), 600)
      yield* until(Effect.map(scans, (count) => count === 1))
    }).pipe(Effect.scoped)
  )
})

const look = ({ run }: Store["Service"]) =>
  run(async (db) => {
    await db.selectFrom("meta").select("key").limit(1).execute()
  })

type Shown = Effect.Success<ReturnType<typeof records>>

const place = ({ columns }: Shown, column: string) => columns.findIndex(({ name }) => name === column)

const ids = (shown: Shown) => shown.rows.map((row) => row[place(shown, "id")])

/** The ten from this one down. */
const numbers = (from: number) => Array.from({ length: 10 }, (_, n) => String(from - n))
