/**
 * What DuckDB's Warehouse does beyond the contract: comparison with the Store, set-aside files, the published copy.
 */
import { mkdirSync, copyFileSync, cpSync, existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { sql } from "kysely"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Store } from "../../../src/Stores/Store.ts"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import * as Projection from "../../../src/Stores/Projection.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { query } from "../../RunningWorker.ts"
import { folder } from "../WarehouseEngines.ts"
import { certified, eventRow, taken } from "../Written.ts"

const layerIn = (path: string) =>
  DuckDb.layerAt(`${path}/warehouse.duckdb`).pipe(Layer.provideMerge(Sqlite.layerAt(`${path}/store.sqlite`)))

/** Runs on the files of a folder, as one start of a worker does. */
const started = <A, E>(path: string, body: Effect.Effect<A, E, Warehouse | Store>) =>
  Effect.scoped(Effect.provide(body, layerIn(path), { local: true }))

const apply = (sequence: number) =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    const store = yield* Store
    yield* taken(sequence)
    yield* warehouse.write({
      changes: [certified(`I${sequence}`, sequence, "1.0000")],
      events: [eventRow(sequence, "x")],
      watermark: sequence
    })
    yield* store.transaction((tx) =>
      tx
        .insertInto("meta")
        .values({ key: "applied_through", value: String(sequence) })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: String(sequence) }))
        .execute()
    )
  })

const through = Effect.flatMap(Store, Projection.watermark)
const ids = Effect.flatMap(Warehouse, (warehouse) =>
  warehouse.query((db) => db.selectFrom("construction.ipcs").select("id").orderBy("id").execute())
)

const setting = (assignment: string) =>
  Effect.flatMap(Warehouse, (warehouse) => warehouse.query((db) => sql.raw(`set ${assignment}`).execute(db)))

/** Restores an old copy of the store by hand. */
const putBackStore = (file: string): void => {
  const store = `${dirname(file)}/store.sqlite`
  for (const beside of ["-wal", "-shm"]) rmSync(`${store}${beside}`, { force: true })
  copyFileSync(`${store}.old`, store)
  rmSync(`${dirname(file)}/inbox`, { recursive: true })
  renameSync(`${dirname(file)}/inbox.old`, `${dirname(file)}/inbox`)
}

describe("the DuckDB file", () => {
  it.effect("is reopened with everything that was written", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(path, apply(1))
      assert.deepStrictEqual(yield* started(path, ids), [{ id: "I1" }])
      assert.strictEqual(yield* started(path, through), 1)
    })
  )

  for (const [fact, damage] of [
    ["that is missing", (file: string) => rmSync(file)],
    ["that is garbage", (file: string) => writeFileSync(file, "not a database at all".repeat(1000))],
    ["that is older than the store", (file: string) => copyFileSync(`${file}.old`, file)],
    ["that belongs to another store", (file: string) => copyFileSync(`${file}.foreign`, file)],
    ["that is newer than everything in the store", putBackStore]
  ] as const) {
    it.effect(`${fact} is rebuilt, and everything is applied again`, () =>
      Effect.gen(function* () {
        const path = yield* folder
        const other = yield* folder
        const file = `${path}/warehouse.duckdb`
        yield* started(path, apply(1))
        copyFileSync(file, `${file}.old`)
        copyFileSync(`${path}/store.sqlite`, `${path}/store.sqlite.old`)
        cpSync(`${path}/inbox`, `${path}/inbox.old`, { recursive: true })
        yield* started(other, apply(9))
        copyFileSync(`${other}/warehouse.duckdb`, `${file}.foreign`)
        yield* started(path, apply(2))
        rmSync(`${file}.wal`, { force: true })
        damage(file)
        assert.deepStrictEqual(yield* started(path, ids), [])
        assert.strictEqual(yield* started(path, through), 0)
        const kept = readdirSync(path).filter((name) => name.includes("set-aside"))
        assert.strictEqual(kept.length, fact === "that is missing" ? 0 : 1)
      })
    )
  }

  it.effect("ahead of the store, after a crash, is kept", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(path, apply(1))
      yield* started(
        path,
        Effect.andThen(
          taken(2),
          Effect.flatMap(Warehouse, (warehouse) =>
            warehouse.write({ changes: [certified("I2", 2, "1.0000")], events: [], watermark: 2 })
          )
        )
      )
      assert.deepStrictEqual(yield* started(path, ids), [{ id: "I1" }, { id: "I2" }])
      assert.strictEqual(yield* started(path, through), 1)
    })
  )

  it.effect("is published as a copy that others can open while writes go on", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(
        path,
        Effect.gen(function* () {
          const warehouse = yield* Warehouse
          yield* apply(1)
          yield* warehouse.publish(`${path}/analytics.duckdb`)
          yield* apply(2)
          const seen = yield* Effect.promise(() =>
            query(`${path}/analytics.duckdb`, "select id from construction.ipcs")
          )
          assert.deepStrictEqual(seen, [{ id: "I1" }])
          yield* warehouse.publish(`${path}/analytics.duckdb`)
          const again = yield* Effect.promise(() =>
            query(`${path}/analytics.duckdb`, "select count(*) as n from construction.ipc_ageing")
          )
          assert.deepStrictEqual(again, [{ n: "2" }])
          assert.isFalse(existsSync(`${path}/analytics.duckdb.unfinished`))
        })
      )
    })
  )

  it.effect("is published after a publication that failed", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(
        path,
        Effect.gen(function* () {
          const warehouse = yield* Warehouse
          const there = `${path}/not/yet`
          assert.strictEqual((yield* Effect.flip(warehouse.publish(`${there}/analytics.duckdb`))).reason, "Failed")
          mkdirSync(there, { recursive: true })
          yield* warehouse.publish(`${there}/analytics.duckdb`)
        })
      )
      const copy = `${path}/not/yet/analytics.duckdb`
      const seen = yield* Effect.promise(() => query(copy, "select id from construction.ipcs"))
      assert.deepStrictEqual(seen, [])
    })
  )

  it.effect("gets more memory when a read runs out of it, and the retry succeeds", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const rows = yield* started(
        path,
        Effect.gen(function* () {
          const warehouse = yield* Warehouse
          const payload = "x".repeat(20_000)
          const events = Array.from({ length: 2000 }, (_, index) => eventRow(index + 1, `${payload}${index}`))
          yield* warehouse.write({ changes: [], events, watermark: events.length })
          const read = (limit: string) =>
            Effect.scoped(
              Effect.gen(function* () {
                const { eventDates } = yield* warehouse.snapshot
                if (limit !== "") yield* setting(`memory_limit = '${limit}'`)
                return yield* eventDates
              })
            )
          assert.strictEqual((yield* Effect.flip(read("20MB"))).reason, "Short")
          return yield* read("")
        })
      )
      assert.deepStrictEqual(
        rows.map((date) => date.rows),
        [2000]
      )
    })
  )

  it.effect("reclaims the space of rows that are rewritten, even if a snapshot is read meanwhile", () =>
    Effect.gen(function* () {
      const path = yield* folder
      const size = 20_000
      const found = yield* started(
        path,
        Effect.gen(function* () {
          const warehouse = yield* Warehouse
          const write = (second: number) =>
            warehouse.write({
              changes: Array.from({ length: size }, (_, index) => certified(`I${index}`, second, `${second}.0000`)),
              events: []
            })
          yield* write(1)
          yield* Effect.scoped(
            Effect.gen(function* () {
              const snapshot = yield* warehouse.snapshot
              for (let second = 2; second < 6; second++) yield* write(second)
              assert.strictEqual(yield* snapshot.writeTable("ipcs", `${path}/ipcs.parquet`), size)
            })
          )
          for (let second = 6; second < 9; second++) yield* write(second)
          return yield* warehouse.query((db) =>
            sql
              .raw(
                `select count(*) as rows, count(distinct id) as ids, min(certified_amount) as amount,
                   max(rowid) < ${4 * size} as is_short
                 from construction.ipcs`
              )
              .execute(db)
          )
        })
      )
      assert.deepStrictEqual(found.rows, [{ rows: String(size), ids: String(size), amount: "8.0000", is_short: true }])
      const [exported] = yield* Effect.promise(() =>
        query(`${path}/warehouse.duckdb`, `select max(certified_amount) as amount from '${path}/ipcs.parquet'`)
      )
      assert.deepStrictEqual(exported, { amount: "1.0000" })
    })
  )
})
