/**
 * Rows of SQLite's kept statements: complete, or an error, but never without a column that the table has gained since.
 */
import { assert, describe, it } from "@effect/vitest"
import { DatabaseSync } from "node:sqlite"
import { Kysely, sql } from "kysely"
import { dialect, prepared } from "../../src/Stores/Sqlite/Dialect.ts"

const database = () =>
  new Kysely<{ notes: { id: number; text: string } }>({ dialect: dialect(prepared(new DatabaseSync(":memory:"))) })

describe("a kept statement", () => {
  it("gives a row for each run, of its own columns", async () => {
    const db = database()
    await sql`create table notes (id integer, text text)`.execute(db)
    const all = () => db.selectFrom("notes").selectAll().orderBy("id").execute()
    assert.deepStrictEqual(await all(), [])
    await db.insertInto("notes").values({ id: 1, text: "one" }).execute()
    const [first] = await all()
    await db.insertInto("notes").values({ id: 2, text: "two" }).execute()
    assert.deepStrictEqual(await all(), [
      { id: 1, text: "one" },
      { id: 2, text: "two" }
    ])
    assert.deepStrictEqual(first, { id: 1, text: "one" })
    await db.destroy()
  })

  it("fails rather than leave out a column that was added since", async () => {
    const db = database()
    await sql`create table notes (id integer, text text)`.execute(db)
    await db.insertInto("notes").values({ id: 1, text: "one" }).execute()
    const all = () => db.selectFrom("notes").selectAll().execute()
    await all()
    await sql`alter table notes add column written_by text default 'ada'`.execute(db)
    const error = await all().then(
      (rows) => assert.fail(JSON.stringify(rows)),
      (cause: unknown) => cause
    )
    assert.match(String(error), /has other columns than when it was prepared/)
    await db.destroy()
  })
})
