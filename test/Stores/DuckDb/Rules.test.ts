/**
 * Behaviour of the pinned DuckDB version on which our rules are based. If a test fails after an upgrade, a rule of the
 * warehouse may have become unnecessary, or a new one necessary.
 */
import { appendFileSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { killAll, type Outcome, start } from "./OtherProcess.ts"

const directory = mkdtempSync(join(tmpdir(), "siteledger-duckdb-rules-"))

afterAll(() => {
  killAll()
  rmSync(directory, { recursive: true })
})

let files = 0
const newFile = () => join(directory, `file${(files += 1)}.duckdb`)

/** Opens, runs, closes cleanly. */
const session = async (path: string, commands: ReadonlyArray<string>, readOnly = false): Promise<Outcome> => {
  const { exited, outcome } = await start(path, commands, readOnly)
  await exited
  return outcome
}

/** Opens, runs, and is killed (kill -9) with the file open. */
const killed = async (path: string, commands: ReadonlyArray<string>): Promise<void> => {
  const { kill, outcome } = await start(path, [...commands, "hold"])
  await kill()
  assert.strictEqual(outcome.error, undefined)
}

const insert = "INSERT INTO t SELECT range, 0 FROM range(1000)"
const find = "SELECT count(*)::INTEGER, count(*) FILTER (id = 500)::INTEGER FROM t"
const lookUp = "SELECT count(*)::INTEGER FROM t WHERE id = 500"

describe("an explicit index", () => {
  const explicit = ["CREATE TABLE t (id BIGINT, v INTEGER)", "CREATE UNIQUE INDEX t_id ON t (id)", "CHECKPOINT", insert]

  it("loses its entries after kill -9 and an idle restart: the row exists but isn't found", async () => {
    const path = newFile()
    await killed(path, explicit)
    await session(path, ["SELECT 1"])
    assert.deepStrictEqual(await session(path, [find, lookUp]), { results: [[[1000, 1]], [[0]]] })
  })

  it("keeps its entries if CHECKPOINT is the first statement after the restart", async () => {
    const path = newFile()
    await killed(path, explicit)
    await session(path, ["CHECKPOINT"])
    assert.deepStrictEqual(await session(path, [find, lookUp]), { results: [[[1000, 1]], [[1]]] })
  })

  it("differs from an inline PRIMARY KEY, which keeps its entries and refuses duplicates", async () => {
    const path = newFile()
    await killed(path, ["CREATE TABLE t (id BIGINT PRIMARY KEY, v INTEGER)", "CHECKPOINT", insert])
    await session(path, ["SELECT 1"])
    assert.deepStrictEqual(await session(path, [find, lookUp]), { results: [[[1000, 1]], [[1]]] })
    assert.match((await session(path, ["INSERT INTO t VALUES (500, 1)"])).error ?? "", /Duplicate key/)
  })
})

describe("ALTER TABLE ADD COLUMN left in the write-ahead log by kill -9", () => {
  const altered = (column: string) => [
    "CREATE TABLE t (id BIGINT PRIMARY KEY, v INTEGER)",
    "CHECKPOINT",
    `ALTER TABLE t ADD COLUMN ${column}`,
    "INSERT INTO t (id, v) SELECT range, 0 FROM range(1000)"
  ]

  it("makes the file unopenable with DEFAULT now()", async () => {
    const path = newFile()
    await killed(path, altered("seen_at TIMESTAMPTZ DEFAULT now()"))
    assert.match((await session(path, ["SELECT 1"])).error ?? "", /GetDefaultDatabase/)
  })

  it("is harmless with a constant default", async () => {
    const path = newFile()
    await killed(path, altered("seen_at TIMESTAMPTZ DEFAULT '2026-01-01 00:00:00+00'"))
    assert.deepStrictEqual(await session(path, [find]), { results: [[[1000, 1]]] })
  })
})

describe("an upsert whose batch has a key twice", () => {
  const batch = "SELECT * FROM (VALUES (1, 'first'), (1, 'second')) AS batch(id, v)"
  const upserts: ReadonlyArray<readonly [name: string, sql: string]> = [
    ["INSERT … ON CONFLICT DO UPDATE", `INSERT INTO t ${batch} ON CONFLICT (id) DO UPDATE SET v = excluded.v`],
    ["INSERT OR REPLACE", `INSERT OR REPLACE INTO t ${batch}`]
  ]
  for (const [name, upsert] of upserts) {
    it(`keeps the first row, silently (${name})`, async () => {
      const instance = await DuckDBInstance.create(":memory:")
      const connection = await instance.connect()
      for (const existing of ["", "INSERT INTO t VALUES (1, 'old')"]) {
        await connection.run(`CREATE OR REPLACE TABLE t (id BIGINT PRIMARY KEY, v VARCHAR); ${existing}`)
        await connection.run(upsert)
        assert.deepStrictEqual((await connection.runAndReadAll("SELECT id::INTEGER, v FROM t")).getRows(), [
          [1, "first"]
        ])
      }
      instance.closeSync()
    })
  }

  it("fails with MERGE if the row is new, and keeps the first of the two if it exists", async () => {
    const instance = await DuckDBInstance.create(":memory:")
    const connection = await instance.connect()
    const merge = `MERGE INTO t USING (${batch}) AS batch ON t.id = batch.id
      WHEN MATCHED THEN UPDATE SET v = batch.v WHEN NOT MATCHED THEN INSERT VALUES (batch.id, batch.v)`
    await connection.run("CREATE TABLE t (id BIGINT PRIMARY KEY, v VARCHAR)")
    const failure = await connection.run(merge).catch(String)
    assert.match(String(failure), /PRIMARY KEY or UNIQUE constraint violation/)
    await connection.run("INSERT INTO t VALUES (1, 'old')")
    await connection.run(merge)
    assert.deepStrictEqual((await connection.runAndReadAll("SELECT v FROM t")).getRows(), [["first"]])
    instance.closeSync()
  })
})

describe("while one process holds the file", () => {
  let path = ""
  beforeAll(async () => {
    path = newFile()
    await session(path, ["CREATE TABLE t (id BIGINT PRIMARY KEY, v INTEGER)", insert])
  })

  it("no other process opens it, not even read-only, and not after a stat of it", async () => {
    const holder = await start(path, ["stat", "hold"])
    assert.match((await session(path, [find])).error ?? "", /Could not set lock/)
    assert.match((await session(path, [find], true)).error ?? "", /Could not set lock/)
    await holder.kill()
    assert.deepStrictEqual(await session(path, [find], true), { results: [[[1000, 1]]] })
  })

  it("its own fs.readFile of it drops the lock: a second writer gets in", async () => {
    const holder = await start(path, ["read", "hold"])
    assert.deepStrictEqual((await session(path, ["UPDATE t SET v = 2 WHERE id = 1", find])).results?.[1], [[1000, 1]])
    await holder.kill()
  })

  it("DuckDBInstance.create opens it a second time in the same process", async () => {
    const instances = [await DuckDBInstance.create(path), await DuckDBInstance.create(path)]
    for (const instance of instances) {
      const connection = await instance.connect()
      assert.deepStrictEqual((await connection.runAndReadAll(find)).getRows(), [[1000, 1]])
    }
    for (const instance of instances) instance.closeSync()
  })
})

describe("ATTACH, COPY FROM DATABASE, DETACH and rename", () => {
  it("give a consistent copy with its keys, while writes go on and the lock is kept", async () => {
    const [path, copy] = [newFile(), newFile()]
    const instance = await DuckDBInstance.create(path)
    const [writer, copier] = [await instance.connect(), await instance.connect()]
    await writer.run(`CREATE SCHEMA construction; CREATE TABLE construction.a (id BIGINT PRIMARY KEY);
      CREATE TABLE construction.b (id BIGINT PRIMARY KEY); CREATE VIEW construction.both AS SELECT id FROM construction.a;
      INSERT INTO construction.a SELECT -range - 1 FROM range(300000); INSERT INTO construction.b FROM construction.a`)
    let isCopied = false
    const publish = async () => {
      await copier.run(
        `ATTACH '${copy}.new' AS snapshot; COPY FROM DATABASE ${basename(path, ".duckdb")} TO snapshot; DETACH snapshot`
      )
      renameSync(`${copy}.new`, copy)
      isCopied = true
    }
    let commits = 0
    const write = async () => {
      for (; !isCopied; commits += 1) {
        await writer.run(
          `BEGIN; INSERT INTO construction.a VALUES (${commits}); INSERT INTO construction.b VALUES (${commits}); COMMIT`
        )
      }
    }
    await Promise.all([publish(), write()])
    assert.isAbove(commits, 1)

    const counts = `SELECT (SELECT count(*) FROM construction.a) - (SELECT count(*) FROM construction.b) AS difference,
      (SELECT count(*) FROM construction.both) BETWEEN 300000 AND ${300_000 + commits} AS is_complete`
    assert.deepStrictEqual(await session(copy, [counts], true), { results: [[["0", true]]] })
    assert.match((await session(copy, ["INSERT INTO construction.a VALUES (-1)"])).error ?? "", /Duplicate key/)
    assert.match((await session(path, [counts])).error ?? "", /Could not set lock/)
    instance.closeSync()
  })
})

describe("a write-ahead log that ends in zeros, as a power loss leaves it", () => {
  it("is refused at open", async () => {
    const path = newFile()
    await killed(path, ["CREATE TABLE t (id BIGINT PRIMARY KEY, v INTEGER)", "CHECKPOINT", insert])
    appendFileSync(`${path}.wal`, Buffer.alloc(4096))
    assert.match((await session(path, [find])).error ?? "", /Corrupt WAL file/)
  })
})
