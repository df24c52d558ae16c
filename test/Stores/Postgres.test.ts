/** The databases that the tests on PostgreSQL get. */
import { assert, describe, it } from "@effect/vitest"
import { Client } from "pg"
import * as Postgres from "../Postgres.ts"

describe.skipIf(Postgres.skipped !== undefined)("the tests' databases", () => {
  const names = async (through: Postgres.Database) =>
    (await through.query("select datname from pg_database")).map(({ datname }) => datname)

  it("are independent, and dropped when their test ends, even with open connections", async () => {
    await using witness = await Postgres.database()
    const gone: Array<string> = []
    {
      await using one = await Postgres.database()
      await using other = await Postgres.database()
      gone.push(one.name, other.name)
      assert.includeMembers(await names(witness), gone)
      await one.query("create table places (n bigint, at timestamptz); insert into places values (1, null)")
      await other.query("create table places (n bigint); insert into places values (9007199254740993)")
      assert.deepStrictEqual(await one.query("select n, at from places"), [{ n: "1", at: null }])
      assert.deepStrictEqual(await other.query("select n from places"), [{ n: "9007199254740993" }])
      const client = new Client({ connectionString: one.url })
      client.on("error", () => undefined)
      await client.connect()
    }
    for (const name of gone) assert.notInclude(await names(witness), name)
  })
})
