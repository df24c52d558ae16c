/**
 * What is DuckDB's own beside the contract: the seam with the Store, set-aside files, the published copy.
 */
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Sqlite from "../../src/Store/Sqlite.ts"
import { Store } from "../../src/Store.ts"
import * as DuckDb from "../../src/Warehouse/DuckDb.ts"
import * as Seam from "../../src/Warehouse/Seam.ts"
import { Warehouse } from "../../src/Warehouse.ts"
import { query, removeFolder, temporaryFolder } from "../RunningWorker.ts"
import { certified, eventRow } from "./Written.ts"

const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path)))

const layerIn = (path: string) =>
  DuckDb.layerAt(`${path}/warehouse.duckdb`).pipe(Layer.provideMerge(Sqlite.layerAt(`${path}/store.sqlite`)))

/** Runs against the files of a folder, as one start of a worker. */
const started = <A, E>(path: string, body: Effect.Effect<A, E, Warehouse | Store>) =>
  Effect.scoped(Effect.provide(body, layerIn(path), { local: true }))

const apply = (sequence: number) =>
  Effect.gen(function* () {
    const warehouse = yield* Warehouse
    const store = yield* Store
    yield* warehouse.write({
      changes: [certified(`I${sequence}`, sequence, "1.0000")],
      events: [eventRow(sequence, "x")],
      through: sequence
    })
    yield* store.transaction((tx) =>
      tx
        .insertInto("meta")
        .values({ key: "applied_through", value: String(sequence) })
        .onConflict((conflict) => conflict.column("key").doUpdateSet({ value: String(sequence) }))
        .execute()
    )
  })

const through = Effect.flatMap(Store, Seam.appliedThrough)
const ids = Effect.flatMap(Warehouse, (warehouse) =>
  warehouse.query((db) => db.selectFrom("construction.ipcs").select("id").orderBy("id").execute())
)

describe("the DuckDB file", () => {
  it.effect("is opened again with everything that was written", () =>
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
    ["that belongs to another store", (file: string) => copyFileSync(`${file}.foreign`, file)]
  ] as const) {
    it.effect(`${fact} is made again, and everything is applied again`, () =>
      Effect.gen(function* () {
        const path = yield* folder
        const other = yield* folder
        const file = `${path}/warehouse.duckdb`
        yield* started(path, apply(1))
        copyFileSync(file, `${file}.old`)
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

  it.effect("ahead of the store is the trace of a crash, and stays", () =>
    Effect.gen(function* () {
      const path = yield* folder
      yield* started(path, apply(1))
      yield* started(
        path,
        Effect.flatMap(Warehouse, (warehouse) =>
          warehouse.write({ changes: [certified("I2", 2, "1.0000")], events: [], through: 2 })
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
})
