/**
 * Memory runs out while rows are written: DuckDB then has data in memory that was never committed, including duplicate
 * rows. None of it reaches the file, the warehouse refuses everything else, and after it is opened again it has exactly
 * what was committed, and more memory.
 */
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { cpSync, existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import type { Change } from "../../../src/Domain/Change.ts"
import type { Resource } from "../../../src/Domain/Resource.ts"
import * as Version from "../../../src/Domain/Version.ts"
import { besideMb } from "../../../src/Stores/DuckDb/Memory.ts"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import { Resources } from "../../../src/Stores/Resources.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { temporaryFolder } from "../../Folders.ts"
import { query } from "../Reading.ts"
import { folder } from "../WarehouseEngines.ts"
import { sql } from "kysely"

const columns = Array.from({ length: 50 }, (_, index) => `c${index}`)

const resources = Array.from({ length: 40 }, (_, index): Resource => ({
  name: `wide_${index}`,
  says: "Wide.",
  key: "VARCHAR",
  columns: Object.fromEntries(columns.map((name) => [name, { type: "VARCHAR", says: "Any.", since: 1 }])),
  stages: []
}))

const rowsOf = (entity: string, second: number): ReadonlyArray<Change> =>
  Array.from({ length: 8 }, (_, index) => ({
    entity,
    id: `id ${index}`,
    version: Version.make(second * 1_000_000, 0, "ab".repeat(32)),
    source: "page",
    seenAt: "2026-11-20T02:00:00.000000Z",
    values: Object.fromEntries(columns.map((name) => [name, `${name} ${second}`])),
    misfits: {},
    extra: {}
  }))

const opened = (path: string, budgetMb?: number) =>
  Layer.fresh(
    DuckDb.layerAt(`${path}/warehouse.duckdb`, budgetMb).pipe(
      Layer.provideMerge(Sqlite.layerAt(`${path}/store.sqlite`)),
      Layer.provide(Layer.succeed(Resources, resources))
    )
  )

const within = <A, E>(path: string, use: Effect.Effect<A, E, Warehouse>, budgetMb?: number) =>
  use.pipe(Effect.provide(opened(path, budgetMb)), Effect.scoped)

/** In so little memory that it runs out. */
const narrow = Effect.flatMap(Warehouse, (warehouse) =>
  warehouse.query((db) => sql`set memory_limit = '30MB'`.execute(db))
)

const written = (second: number, many: boolean) =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    const all = resources.map(({ name }) => rowsOf(name, second))
    if (many) return yield* warehouse.write({ changes: all.flat(), events: [] })
    yield* Effect.forEach(all, (changes) => warehouse.write({ changes, events: [] }), { discard: true })
  })

let once: Promise<string> | undefined

/** A folder with a warehouse whose tables have rows: a copy of the one that the first test makes. */
const filled = Effect.gen(function* () {
  const made = Effect.gen(function* () {
    const path = temporaryFolder()
    yield* within(path, written(1, false))
    return path
  })
  const [from, path] = [yield* Effect.promise(() => (once ??= Effect.runPromise(made))), yield* folder]
  cpSync(from, path, { recursive: true })
  return path
})

describe("many tables", () => {
  it.live("are filled one after the other in little memory, without a failure", () =>
    Effect.gen(function* () {
      const path = yield* filled
      yield* within(path, written(2, false))
      const [count] = yield* Effect.promise(() =>
        query(`${path}/warehouse.duckdb`, "select count(*) as n from construction.wide_39 where c0 = 'c0 2'")
      )
      assert.strictEqual(String(count?.["n"]), "8")
    })
  )

  it.live("are copied for analysts in little memory, without a failure", () =>
    Effect.gen(function* () {
      const path = yield* filled
      const copy = `${path}/copy.duckdb`
      const publishing = Effect.flatMap(Warehouse, (warehouse) => warehouse.publish(copy))
      yield* within(path, publishing, besideMb + 64)
      const counts = resources.map(({ name }) => `select count(*) as n, min(c49) as c from construction.${name}`)
      const found = yield* Effect.promise(() => query(copy, counts.join(" union all ")))
      assert.deepStrictEqual([...new Set(found.map(({ c, n }) => `${String(n)} ${String(c)}`))], ["8 c49 1"])
    })
  )

  it.live("whose new rows are all in the log when the process is killed are there after the next start", () =>
    Effect.gen(function* () {
      const [path, killed] = [yield* folder, yield* folder]
      const kill = Effect.sync(() => {
        for (const file of ["warehouse.duckdb", "warehouse.duckdb.wal", "store.sqlite", "store.sqlite-wal"]) {
          execFileSync("cp", [`${path}/${file}`, `${killed}/${file}`])
        }
      })
      yield* within(path, Effect.andThen(written(1, true), kill), 3_000)
      yield* within(
        killed,
        Effect.gen(function* () {
          const { query: ask } = yield* Warehouse
          const counted = yield* Effect.forEach(resources, ({ name }) =>
            ask((db) => sql<{ n: unknown }>`select count(*) as n from construction.${sql.ref(name)}`.execute(db))
          )
          assert.deepStrictEqual([...new Set(counted.map(({ rows }) => String(rows[0]?.n)))], ["8"])
          const limit = yield* ask((db) =>
            sql<{ limit: string }>`select current_setting('memory_limit') as "limit"`.execute(db)
          )
          assert.match(limit.rows[0]?.limit ?? "", /^6\d\./, "once it is open, it has as little as before")
        })
      )
    })
  )

  it.live("that don't fit in memory at once leave the file as it was, and fit once it is opened again", () =>
    Effect.gen(function* () {
      const path = yield* filled
      yield* within(
        path,
        Effect.gen(function* () {
          const warehouse = yield* Warehouse
          yield* warehouse.probe
          yield* narrow
          assert.strictEqual((yield* Effect.flip(written(2, true))).reason, "Fatal")
          const later = yield* Effect.flip(warehouse.write({ changes: rowsOf("wide_0", 3), events: [] }))
          assert.strictEqual(later.reason, "Fatal")
          assert.strictEqual((yield* Effect.flip(warehouse.publish(`${path}/copy.duckdb`))).reason, "Fatal")
        })
      )
      // Only a checkpoint would have removed it.
      assert.isTrue(existsSync(`${path}/warehouse.duckdb.wal`))
      const counts = resources.map(
        ({ name }) => `select count(*) as n, count(distinct id) as ids, min(c0) as c0 from construction.${name}`
      )
      const found = yield* Effect.promise(() => query(`${path}/warehouse.duckdb`, counts.join(" union all ")))
      assert.deepStrictEqual(
        [...new Set(found.map(({ c0, ids, n }) => `${String(n)} ${String(ids)} ${String(c0)}`))],
        ["8 8 c0 1"]
      )
      // Each time it is opened it has twice as much.
      yield* Effect.retry(within(path, written(2, true)), { times: 3 })
    })
  )

  it.live(
    "stay as they are if memory runs out while deliveries are copied, and nothing is written until it is opened again",
    () =>
      Effect.gen(function* () {
        const path = yield* filled
        yield* within(
          path,
          Effect.gen(function* () {
            const warehouse = yield* Warehouse
            yield* warehouse.probe
            yield* narrow
            const mirror = Option.getOrThrow(yield* warehouse.mirrors.live)
            const chunk = { first: 1, last: 2, frames: randomBytes(40_000_000) }
            assert.strictEqual((yield* Effect.flip(mirror.add("inbox", chunk))).reason, "Fatal")
            const later = yield* Effect.flip(warehouse.write({ changes: rowsOf("wide_0", 2), events: [] }))
            assert.strictEqual(later.reason, "Fatal")
          })
        )
        yield* within(
          path,
          Effect.gen(function* () {
            const warehouse = yield* Warehouse
            const mirror = Option.getOrThrow(yield* warehouse.mirrors.live)
            assert.strictEqual(yield* mirror.through("inbox"), 0)
            yield* written(2, false)
          })
        )
      })
  )
})
