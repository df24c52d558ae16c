import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate as immediate } from "node:timers/promises"
import { DuckDBInstance } from "@duckdb/node-api"
import { afterAll, assert, describe, it, vi } from "@effect/vitest"
import { AbortedTransactionError, Kysely, sql } from "kysely"
import { type Migration, Migrator } from "kysely/migration"
import { DuckDbDialect } from "../../../src/Stores/DuckDb/Dialect.ts"

interface Tables {
  readonly numbers: { n: number }
}

const directory = mkdtempSync(join(tmpdir(), "siteledger-dialect-"))
afterAll(() => rmSync(directory, { recursive: true }))

/** A table `numbers` of 0 … 99,999. */
const withNumbers = async (use: (db: Kysely<Tables>) => Promise<void>, path = ":memory:"): Promise<void> => {
  const instance = await DuckDBInstance.create(path)
  const db = new Kysely<Tables>({ dialect: new DuckDbDialect({ instance }) })
  try {
    await sql`CREATE TABLE numbers AS SELECT range::INTEGER AS n FROM range(100000)`.execute(db)
    await use(db)
  } finally {
    await db.destroy()
    instance.closeSync()
  }
}

const rejection = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error
  )

const countRows = async (rows: AsyncIterable<unknown>, upTo = Infinity): Promise<number> => {
  let count = 0
  for await (const _ of rows) {
    count += 1
    if (count >= upTo) break
  }
  return count
}

const inOrder = (db: Kysely<Tables>) => db.selectFrom("numbers").select("n").orderBy("n")

/** DuckDB yields some 250,000 rows of it before it comes to the one that it can't convert. */
const broken = (db: Kysely<Tables>) =>
  db
    .selectFrom(sql<{ i: string }>`(SELECT range AS i FROM range(1000000))`.as("r"))
    .select(sql<number>`CASE WHEN i = 900000 THEN 'x' ELSE i::VARCHAR END::INTEGER`.as("n"))

describe("a stream", () => {
  it("yields every row once, in order, with the values of a query", () =>
    withNumbers(async (db) => {
      let next = 0
      for await (const { n } of inOrder(db).stream()) assert.strictEqual(n, next++)
      assert.strictEqual(next, 100_000)
    }))

  it("that is left early frees its connection and doesn't block a checkpoint", () =>
    withNumbers(
      async (db) => {
        for (let round = 0; round < 10; round += 1) assert.strictEqual(await countRows(inOrder(db).stream(), 3), 3)
        await db.updateTable("numbers").set({ n: -1 }).where("n", "=", 1).execute()
        await sql`CHECKPOINT`.execute(db)
      },
      join(directory, "left-early.duckdb")
    ))

  it("that fails midway throws, though DuckDB's client ends it like a complete one", () =>
    withNumbers(async (db) => {
      assert.match(String(await rejection(countRows(broken(db).stream()))), /broke off after \d+ rows/)
      assert.strictEqual(await countRows(inOrder(db).stream()), 100_000)
    }))

  it("that fails inside a transaction takes the transaction with it", () =>
    withNumbers(async (db) => {
      const failure = await rejection(
        db.transaction().execute(async (transaction) => {
          await transaction.insertInto("numbers").values({ n: -1 }).execute()
          assert.match(String(await rejection(countRows(broken(transaction).stream()))), /broke off/)
        })
      )
      assert.instanceOf(failure, AbortedTransactionError)
      assert.deepStrictEqual(await db.selectFrom("numbers").selectAll().where("n", "<", 0).execute(), [])
    }))

  it("that another statement has ended throws instead of looking complete", () =>
    withNumbers(async (db) => {
      const stream = await db.transaction().execute(async (transaction) => {
        const rows = inOrder(transaction).stream()
        await rows.next()
        return { rows }
      })
      assert.match(String(await rejection(countRows(stream.rows))), /Another statement ended the stream after \d+ rows/)
    }))

  it("reads only, unless it is inside a transaction", () =>
    withNumbers(async (db) => {
      const stream = (on: Kysely<Tables>) => on.insertInto("numbers").values({ n: -1 }).returningAll().stream()
      assert.match(String(await rejection(countRows(stream(db)))), /read-only mode/)
      await db.transaction().execute(async (transaction) => assert.strictEqual(await countRows(stream(transaction)), 1))
      assert.strictEqual((await db.selectFrom("numbers").selectAll().where("n", "=", -1).execute()).length, 1)
    }))
})

describe("cancellation", () => {
  // With a parameter it is prepared first, and an interrupt of the preparation alone would be forgotten.
  const endless = sql`SELECT count(*) FROM numbers a, numbers b, numbers c WHERE a.n + b.n + c.n = ${-1}`

  it("interrupts the statement, however early it comes, and the connection goes on", () =>
    withNumbers(async (db) => {
      // Kysely prints the interrupted statement's own failure; there is no option for it.
      const printed = vi.spyOn(console, "error").mockImplementation(() => undefined)
      for (let ticks = 0; ticks < 60; ticks += 2) {
        const abort = new AbortController()
        const query = rejection(
          db.executeQuery(endless.compile(db), { signal: abort.signal, inflightQueryAbortStrategy: "cancel query" })
        )
        for (let tick = 0; tick < ticks; tick += 1) await (tick < 50 ? Promise.resolve() : immediate())
        abort.abort(new Error("enough"))
        assert.match(String(await query), /enough/)
      }
      // All four connections come back, so none is still busy.
      const held = await Promise.all(Array.from({ length: 4 }, () => db.startTransaction().execute()))
      await Promise.all(held.map((transaction) => transaction.rollback().execute()))
      printed.mockRestore()
    }))
})

describe("Kysely's Migrator", () => {
  const create = (name: string): Migration => ({
    up: (db) =>
      db.schema
        .createTable(`construction.${name}`)
        .addColumn("id", "bigint", (column) => column.primaryKey())
        .execute(),
    down: (db) => db.schema.dropTable(`construction.${name}`).execute()
  })
  const tableNames = async (db: Kysely<Tables>, withInternalKyselyTables = false) =>
    (await db.introspection.getTables({ withInternalKyselyTables })).map(({ name, schema }) => `${schema}.${name}`)

  it("migrates up and down in a schema of its own, and all or nothing", () =>
    withNumbers(async (db) => {
      await db.schema.createSchema("construction").execute()
      const migrator = (migrations: Record<string, Migration>) =>
        new Migrator({ db, provider: { getMigrations: async () => migrations }, migrationTableSchema: "siteledger" })
      const good = { "1": create("ipcs"), "2": create("vos") }
      assert.strictEqual((await migrator(good).migrateToLatest()).error, undefined)
      assert.deepStrictEqual((await migrator(good).migrateToLatest()).results, [])
      assert.deepStrictEqual(await tableNames(db), ["construction.ipcs", "construction.vos", "main.numbers"])
      assert.include(await tableNames(db, true), "siteledger.kysely_migration")
      await migrator(good).migrateDown()
      assert.deepStrictEqual(await tableNames(db), ["construction.ipcs", "main.numbers"])

      const { error } = await migrator({ ...good, "3": create("vos") }).migrateToLatest()
      assert.match(String(error), /already exists/)
      assert.deepStrictEqual(await tableNames(db), ["construction.ipcs", "main.numbers"])
    }))
})

describe("introspection", () => {
  it("lists the schemas, tables and views of this database, not those of attached ones", () =>
    withNumbers(async (db) => {
      await sql`CREATE SCHEMA construction`.execute(db)
      await sql`CREATE SEQUENCE construction.ids`.execute(db)
      await sql`CREATE TABLE construction.ipcs (
        id BIGINT PRIMARY KEY DEFAULT nextval('construction.ids'), amount DECIMAL(28,4) DEFAULT 0)`.execute(db)
      await sql`COMMENT ON COLUMN construction.ipcs.amount IS 'certified'`.execute(db)
      await sql`CREATE VIEW construction.ipc_ageing AS SELECT id FROM construction.ipcs`.execute(db)
      await sql`ATTACH ':memory:' AS other`.execute(db)
      await sql`CREATE TABLE other.hidden (id INTEGER)`.execute(db)
      assert.deepStrictEqual(await db.introspection.getSchemas(), [{ name: "construction" }, { name: "main" }])
      const [view, table, ...rest] = await db.introspection.getTables()
      const id = { name: "id", dataType: "BIGINT", isNullable: true, hasDefaultValue: false, isAutoIncrementing: false }
      const base = { schema: "construction", isForeign: false }
      assert.deepStrictEqual(view, { ...base, name: "ipc_ageing", isView: true, columns: [id] })
      assert.deepStrictEqual(table, {
        ...base,
        name: "ipcs",
        isView: false,
        columns: [
          { ...id, isNullable: false, hasDefaultValue: true, isAutoIncrementing: true },
          { ...id, name: "amount", dataType: "DECIMAL(28,4)", hasDefaultValue: true, comment: "certified" }
        ]
      })
      assert.deepStrictEqual(
        rest.map(({ name }) => name),
        ["numbers"]
      )
    }))
})
