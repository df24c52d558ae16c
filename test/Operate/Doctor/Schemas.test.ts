/** What `siteledger doctor` says about the versions of the schemas: what is missing, and who creates it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ok } from "../../../src/Operate/Doctor.ts"
import { server } from "../../../src/Operate/Doctor/Server.ts"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import * as Databases from "../../Postgres.ts"
import { Administrator, Roles } from "../../Stores/Postgres/Roles.ts"
import { released } from "../../Stores/Postgres/Together.ts"
import { storesAt } from "../../Stores/Postgres/World.ts"

const examined = async (url: string): Promise<string | undefined> => {
  const found = await Effect.runPromise(server(Redacted.make(url), () => Effect.succeed(ok("none"))))
  const schemas = found.find(({ check }) => check === "schemas")
  return [schemas?.verdict, schemas?.sentence, schemas?.advice].filter(Boolean).join(" ")
}

const started = (url: string) =>
  Effect.runPromise(Effect.asVoid(Postgres).pipe(Effect.provide(storesAt(url)), Effect.scoped))

const byOwner = "Run siteledger migrate as their owner (SITELEDGER_MIGRATE_URL): until then, no worker starts."

describe.skipIf(Databases.skipped !== undefined)("doctor says of the tables", () => {
  it("that their owner has to make, move or migrate them", async () => {
    await using roles = new Roles()
    await using database = await Databases.database()
    await released.make(database.url)
    await roles.setUp(database)
    const url = roles.url(database, "worker")
    assert.strictEqual(
      await examined(url),
      `fail The ledger's tables have yet to move to the schema ledger. ${byOwner}`
    )
    await roles.migrated(database)
    assert.strictEqual(await examined(url), "ok The tables are current.")
    await database.query("delete from siteledger.kysely_migration where name = '0008'")
    assert.strictEqual(await examined(url), "ok The next start migrates the tables to 0008.")
    await database.query("delete from ledger.kysely_migration where name = '0005'")
    assert.strictEqual(await examined(url), `fail The ledger's tables lack 0005. ${byOwner}`)
    await database.query("insert into ledger.kysely_migration values ('0099', '2026-11-20')")
    const newer = "fail The tables were created by a newer siteledger (0099). Install that version."
    assert.strictEqual(await examined(url), newer)
    await database.query(`revoke usage on schema ledger from ${roles.worker}`)
    assert.match((await examined(url)) ?? "", /^fail The worker's role may not use the schema ledger as it must\. /)
    await database.query("drop schema ledger cascade")
    const none = "fail There is no schema ledger, and the worker's role may not create one. "
    assert.include(await examined(url), none)
  })

  it("that analysts lack the views with jsonb where the worker may not make their schema", async () => {
    await using roles = new Roles()
    await using database = await Databases.database()
    await roles.setUp(database)
    await roles.migrated(database)
    const url = roles.url(database, "worker")
    await database.query("alter schema construction_jsonb owner to current_user")
    const advice = "Let an administrator run config/postgres-roles.sql (again). The next start makes the views."
    assert.strictEqual(
      await examined(url),
      `warn The schema construction_jsonb is another role's, so analysts lack the views with jsonb. ${advice}`
    )
    await database.query("drop schema construction_jsonb cascade")
    const none =
      "warn There is no schema construction_jsonb, and the worker's role may not create one: analysts lack the views with jsonb."
    assert.strictEqual(await examined(url), `${none} ${advice}`)
    await database.query(roles.sql)
    assert.strictEqual(await examined(url), "ok The tables are current.")
  })

  it("that the next start makes, moves or migrates them where one role holds everything", async () => {
    await using administrator = new Administrator()
    await using database = await Databases.database()
    await using older = await Databases.database()
    const url = await administrator.own(database)
    assert.strictEqual(await examined(url), "ok The tables are created at the first start.")
    await started(url)
    assert.strictEqual(await examined(url), "ok The tables are current.")
    await released.make(older.url)
    const moves = "ok The next start moves the ledger's tables to the schema ledger, and migrates the others."
    assert.strictEqual(await examined(older.url), moves)
  })
})
