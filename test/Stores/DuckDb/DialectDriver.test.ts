import { DuckDBInstance } from "@duckdb/node-api"
import { assert, describe, it } from "@effect/vitest"
import { AbortedTransactionError, Kysely, sql } from "kysely"
import { type Migration, Migrator } from "kysely/migration"
import { DuckDbDialect } from "../../../src/Stores/DuckDb/Dialect.ts"
import { rejection, type Tables, withDuckDb } from "./DialectWorld.ts"

describe("transactions", () => {
  const insert = (db: Kysely<Tables>, id: string) =>
    db.insertInto("payments").values({ id, amount: null, count: null }).execute()
  const ids = async (db: Kysely<Tables>) =>
    (await db.selectFrom("payments").select("id").orderBy("id").execute()).map(({ id }) => id)

  it("commit, roll back on a throw, and hide uncommitted rows from other connections", () =>
    withDuckDb(async (db) => {
      await db.transaction().execute((transaction) => insert(transaction, "1"))
      const failure = await rejection(
        db.transaction().execute(async (transaction) => {
          await insert(transaction, "2")
          assert.deepStrictEqual(await ids(transaction), ["1", "2"])
          assert.deepStrictEqual(await ids(db), ["1"])
          throw new Error("changed my mind")
        })
      )
      assert.strictEqual(String(failure), "Error: changed my mind")
      assert.deepStrictEqual(await ids(db), ["1"])
    }))

  it("that swallow a failed statement fail at commit, although DuckDB's COMMIT succeeds", () =>
    withDuckDb(async (db) => {
      await insert(db, "1")
      const failure = await rejection(
        db.transaction().execute(async (transaction) => {
          await insert(transaction, "2")
          await rejection(insert(transaction, "1"))
        })
      )
      assert.instanceOf(failure, AbortedTransactionError)
      await insert(db, "3")
      assert.deepStrictEqual(await ids(db), ["1", "3"])
    }))

  it("commit after a statement that DuckDB refused before running it", () =>
    withDuckDb(async (db) => {
      await db.transaction().execute(async (transaction) => {
        await insert(transaction, "1")
        assert.instanceOf(await rejection(sql`SELECT nothing`.execute(transaction)), Error)
      })
      assert.deepStrictEqual(await ids(db), ["1"])
    }))

  it("run statements that are started together one after the other", () =>
    withDuckDb(async (db) => {
      await db
        .transaction()
        .execute((transaction) => Promise.all(Array.from({ length: 50 }, (_, id) => insert(transaction, String(id)))))
      assert.strictEqual((await ids(db)).length, 50)
    }))

  it("roll back only after statements started together with the failed one", () =>
    withDuckDb(async (db) => {
      for (let round = 0; round < 20; round += 1) {
        const failure = await rejection(
          db.transaction().execute(async (transaction) => {
            const slow = sql`INSERT INTO payments SELECT range, NULL, NULL FROM range(10000)`.execute(transaction)
            await Promise.race([slow, Promise.reject(new Error("changed my mind"))])
          })
        )
        assert.strictEqual(String(failure), "Error: changed my mind")
        assert.deepStrictEqual(await ids(db), [])
      }
    }))

  it("conflict if two write the same row: the second writer fails and nothing of it is kept", () =>
    withDuckDb(async (db) => {
      await insert(db, "1")
      const update = (transaction: Kysely<Tables>, count: number) =>
        transaction.updateTable("payments").set({ count }).execute()
      const [first, second] = [await db.startTransaction().execute(), await db.startTransaction().execute()]
      await update(first, 1)
      assert.match(String(await rejection(update(second, 2))), /Conflict on update/)
      await second.rollback().execute()
      await first.commit().execute()
      assert.deepStrictEqual(await db.selectFrom("payments").select("count").execute(), [{ count: 1 }])
    }))

  it("can be read-only, have no savepoints, and refuse the isolation level that DuckDB lacks", () =>
    withDuckDb(async (db) => {
      const readOnly = db.transaction().setAccessMode("read only")
      assert.match(
        String(await rejection(readOnly.execute((transaction) => insert(transaction, "1")))),
        /read-only mode/
      )
      const controlled = await db.startTransaction().execute()
      assert.match(String(await rejection(controlled.savepoint("a").execute())), /not supported/)
      await controlled.rollback().execute()
      const serializable = db.transaction().setIsolationLevel("serializable")
      assert.match(String(await rejection(serializable.execute(ids))), /serializable/)
    }))
})

describe("the pool", () => {
  const numberOf = async (db: Kysely<Tables>, number: number) =>
    (await sql<{ n: number }>`SELECT ${number} AS n`.execute(db)).rows[0]?.n

  it("serves more callers than it has connections, and leaves the instance open when destroyed", async () => {
    const instance = await DuckDBInstance.create(":memory:")
    const db = new Kysely<Tables>({ dialect: new DuckDbDialect({ instance }) })
    const values = await Promise.all(Array.from({ length: 20 }, (_, index) => numberOf(db, index)))
    assert.deepStrictEqual(
      values,
      Array.from({ length: 20 }, (_, index) => index)
    )
    const held = await Promise.all(Array.from({ length: 4 }, () => db.startTransaction().execute()))
    const fifth = numberOf(db, 5)
    await Promise.all(held.map((transaction) => transaction.rollback().execute()))
    assert.strictEqual(await fifth, 5)
    await db.destroy()
    const connection = await instance.connect()
    assert.strictEqual((await connection.runAndReadAll("SELECT 1")).value(0, 0), 1)
    instance.closeSync()
  })
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
  const tableNames = async (db: Kysely<Tables>) =>
    (await db.introspection.getTables()).map(({ name, schema }) => `${schema}.${name}`).toSorted()
  const own = ["siteledger.kysely_migration", "siteledger.kysely_migration_lock"]

  it("migrates up and down in its own schema, all or nothing, also beside an attached database", () =>
    withDuckDb(async (db) => {
      await sql`CREATE SCHEMA construction; ATTACH ':memory:' AS other; CREATE SCHEMA other.siteledger;
        CREATE TABLE other.siteledger.kysely_migration (id INTEGER)`.execute(db)
      const migrator = (migrations: Record<string, Migration>) =>
        new Migrator({ db, provider: { getMigrations: async () => migrations }, migrationTableSchema: "siteledger" })
      const good = { "1": create("ipcs"), "2": create("vos") }
      assert.strictEqual((await migrator(good).migrateToLatest()).error, undefined)
      assert.deepStrictEqual((await migrator(good).migrateToLatest()).results, [])
      assert.deepStrictEqual(await tableNames(db), ["construction.ipcs", "construction.vos", "main.payments", ...own])
      await migrator(good).migrateDown()
      const before = ["construction.ipcs", "main.payments", ...own]
      assert.deepStrictEqual(await tableNames(db), before)

      const { error } = await migrator({ ...good, "3": create("vos") }).migrateToLatest()
      assert.match(String(error), /already exists/)
      assert.deepStrictEqual(await tableNames(db), before)
    }))
})
