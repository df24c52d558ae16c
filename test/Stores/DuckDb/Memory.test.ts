/**
 * How much memory DuckDB may use: little at rest, its whole share during an export, and permanently more once it ran
 * out.
 */
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { sql } from "kysely"
import { attemptOn } from "../../../src/Stores/DuckDb/Failure.ts"
import { type OpenFile, openWarehouse } from "../../../src/Stores/DuckDb/File.ts"
import { exportRoom, Memory, sharesOf, usualBudgetMb } from "../../../src/Stores/DuckDb/Memory.ts"
import { withConnection } from "../../../src/Stores/DuckDb/ReadAll.ts"
import { DuckDbSnapshot } from "../../../src/Stores/DuckDb/Snapshot.ts"
import * as DuckDb from "../../../src/Stores/DuckDb/Warehouse.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { removeFolder, temporaryFolder } from "../../Folders.ts"
import { Log } from "../../Logged.ts"

const within = <A, E>(body: (folder: string) => Effect.Effect<A, E, Warehouse>, budgetMb?: number) =>
  Effect.acquireUseRelease(
    Effect.sync(temporaryFolder),
    (folder) => {
      const warehouse = DuckDb.layerAt(`${folder}/warehouse.duckdb`, budgetMb)
      return Effect.scoped(
        Effect.provide(body(folder), warehouse.pipe(Layer.provide(Sqlite.layerAt(`${folder}/store.sqlite`))))
      )
    },
    (folder) => Effect.sync(() => removeFolder(folder))
  )

const limit = Effect.flatMap(Warehouse, ({ query }) =>
  query(async (db) => {
    const { rows } = await sql<{ limit: string }>`select current_setting('memory_limit') as "limit"`.execute(db)
    return rows[0]?.limit
  })
)

const duringExport = Effect.scoped(
  Effect.gen(function* () {
    yield* (yield* Warehouse).snapshot
    return yield* limit
  })
)

it.effect("a sixth at rest, and three eighths of the share only during exports", () =>
  within(() =>
    Effect.gen(function* () {
      const before = yield* limit
      const two = yield* Effect.scoped(Effect.andThen((yield* Warehouse).snapshot, duringExport))
      // 64 and 144 MB.
      assert.deepStrictEqual([before, two, yield* limit], ["61.0 MiB", "137.3 MiB", "61.0 MiB"])
    })
  )
)

it("all of the share during exports only if a table has many columns", () => {
  const wide = (count: number) => ({ columns: Array.from({ length: count }) })
  assert.strictEqual(exportRoom([wide(3), wide(32)]), "exporting")
  assert.strictEqual(exportRoom([wide(33), wide(3)]), "working")
})

it("a third, and a second thread, while large batches are written, until a minute after the last", async () => {
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "64MB" })
  const connection = await instance.connect()
  const clock = { ms: 5_000 }
  const memory = new Memory(instance, sharesOf(usualBudgetMb), () => clock.ms)
  const afterBatch = async (atMs: number, rows: number) => {
    clock.ms = atMs
    await memory.beforeBatch(rows)
    const found = await connection.runAndReadAll(
      "select current_setting('memory_limit') || ' ' || current_setting('threads')"
    )
    return String(found.getRows()[0]?.[0])
  }
  await memory.clear()
  assert.strictEqual(await afterBatch(5_000, 4999), "61.0 MiB 1")
  // 128 MB.
  assert.strictEqual(await afterBatch(10_000, 5000), "122.0 MiB 2")
  assert.strictEqual(await afterBatch(60_000, 5000), "122.0 MiB 2")
  assert.strictEqual(await afterBatch(119_999, 4999), "122.0 MiB 2")
  assert.strictEqual(await afterBatch(120_001, 4999), "61.0 MiB 1")
  instance.closeSync()
})

it("a second thread while a large table is exported, and none for a small one", async () => {
  const folder = temporaryFolder()
  const file = await openWarehouse(`${folder}/warehouse.duckdb`)
  await withConnection(file.instance, async (connection) => {
    await connection.run("insert into construction.vos (id) select 'v' || i from range(122_880) r(i)")
    await connection.run("insert into construction.ipcs (id) select 'i' || i from range(122_881) r(i)")
  })
  const threads = () =>
    withConnection(file.instance, async (connection) => {
      const found = await connection.runAndReadAll("select current_setting('threads')")
      return String(found.getRows()[0]?.[0])
    })
  const during: Array<string> = []
  await file.memory.takeRoom()
  const snapshot = await DuckDbSnapshot.open(file.instance, file.tables.all, (run) =>
    file.memory.inParallel(async () => {
      during.push(await threads())
      return run()
    })
  )
  assert.strictEqual(await snapshot.writeTable("vos", `${folder}/vos.parquet`), 122_880)
  assert.deepStrictEqual([during, await threads()], [[], "1"])
  assert.strictEqual(await snapshot.writeTable("ipcs", `${folder}/ipcs.parquet`), 122_881)
  assert.deepStrictEqual([during, await threads()], [["2"], "1"])
  await snapshot.close()
  await file.memory.giveRoom()
  await file.close()
  removeFolder(folder)
})

it("is given back as soon as what was in use is free", async () => {
  const instance = await DuckDBInstance.create(":memory:", { memory_limit: "64MB", threads: "1", temp_directory: "" })
  const connection = await instance.connect()
  const memory = new Memory(instance, sharesOf(usualBudgetMb))
  /** What `memory_limit` says is true only if it could be set. */
  const hasRoom = () =>
    connection.run("create table large as select hash(i) as a, hash(i + 1) as b from range(6000000) r(i)").then(
      () => true,
      () => false
    )
  assert.isFalse(await hasRoom())
  await memory.takeRoom()
  assert.isTrue(await hasRoom())
  await memory.giveRoom()
  await memory.beforeBatch(1)
  await connection.run("drop table large")
  assert.isTrue(await hasRoom())
  await connection.run("drop table large")
  await memory.beforeBatch(1)
  assert.isFalse(await hasRoom())
  instance.closeSync()
})

it("forgets what it cached, and keeps its limit", async () => {
  const folder = temporaryFolder()
  const instance = await DuckDBInstance.create(`${folder}/large.duckdb`, { memory_limit: "64MB", threads: "1" })
  const connection = await instance.connect()
  const read = async (query: string) => Number((await connection.runAndReadAll(query)).getRows()[0]?.[0])
  const usedMb = () => read("select sum(memory_usage_bytes) / 1e6 from duckdb_memory()")
  const memory = new Memory(instance, sharesOf(usualBudgetMb))
  await connection.run("create table large as select hash(i) as a from range(4000000) r(i)")
  await connection.run("checkpoint")
  assert.isAbove(await usedMb(), 20)
  await memory.clear()
  assert.isBelow(await usedMb(), 2)
  assert.strictEqual(await read("select count(distinct a % 1000) from large"), 1000)
  assert.isAbove(await usedMb(), 20)
  instance.closeSync()
  removeFolder(folder)
})

it.effect("of the budget", () =>
  within(
    () =>
      Effect.gen(function* () {
        // 100 and 225 MB.
        assert.deepStrictEqual([yield* limit, yield* duringExport], ["95.3 MiB", "214.5 MiB"])
      }),
    984
  )
)

it.effect("more for good once a read ran out of it", () =>
  within(() =>
    Effect.gen(function* () {
      const { query } = yield* Warehouse
      yield* query((db) => sql`set memory_limit = '1MB'`.execute(db))
      const large = query((db) => sql`select list(i) from range(1_000_000) r(i)`.execute(db))
      assert.strictEqual((yield* Effect.flip(large)).reason, "Short")
      // 128 MB.
      assert.strictEqual(yield* limit, "122.0 MiB")
    })
  )
)

it.effect("once it ran out, more for good, which is in the log", () =>
  Effect.gen(function* () {
    const log = new Log()
    const file = { memory: { takeMoreToRead: async () => 123 } } as unknown as OpenFile
    const out = async () => {
      throw new Error("Out of Memory Error: failed to allocate data of size 16.0 KiB (1.0 GiB/1.0 GiB used)")
    }
    const error = yield* Effect.flip(Effect.provide(attemptOn(file)(out), log.layer))
    assert.strictEqual(error.reason, "Short")
    assert.deepStrictEqual(log.saw("warehouse.enlarged"), { megabytes: 123 })
  })
)
