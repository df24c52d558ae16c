/**
 * `siteledger doctor` on a real PostgreSQL: the roles as config/postgres-roles.sql creates them, and what can be wrong
 * with them.
 */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Postgres from "../../Postgres.ts"
import { Administrator, Roles } from "../../Stores/Postgres/Roles.ts"
import { type Environment, freePort } from "../../RunningWorker.ts"
import { live, storyEvents } from "../Past.ts"
import { World } from "../World.ts"
import { examined, includes, named } from "./Examined.ts"

describe.skipIf(Postgres.skipped !== undefined)("doctor, on PostgreSQL", () => {
  const databaseOf = ({ database }: World) => database ?? assert.fail("no database")

  /** Sets up the roles; returns the environment of a worker with its own role. */
  const unmigrated = async (world: World, roles: Roles): Promise<Environment> => {
    const database = databaseOf(world)
    await roles.setUp(database)
    return { ...world.environment, SITELEDGER_WAREHOUSE: roles.url(database, "worker") }
  }

  /** With the tables. */
  const own = async (world: World, roles: Roles): Promise<Environment> => {
    const given = await unmigrated(world, roles)
    await roles.migrated(databaseOf(world))
    return given
  }

  const open = () => World.open({ projects: 3 }, {}, "postgres")

  it("finds nothing wrong with the roles of the SQL file, once the tables are made", async () => {
    await using roles = new Roles()
    await using world = await open()
    const given = await unmigrated(world, roles)
    const before = await examined(given)
    assert.deepStrictEqual(before.failed, [
      "schemas: There are no tables yet. Run siteledger migrate as their owner (SITELEDGER_MIGRATE_URL): until then, no worker starts."
    ])
    await roles.migrated(databaseOf(world))
    const worker = world.start(given)
    await live(world, worker, storyEvents(7, 30))
    const during = await examined(given)
    await worker.stop()
    const after = await examined(given)
    for (const found of [during, after]) {
      assert.deepStrictEqual(found.failed, [])
      includes(found.ok, new RegExp(`analysts: ${roles.analyst} reads construction, and nothing else`))
      includes(found.ok, new RegExp(`worker's role: ${roles.worker} may do what the worker needs`))
      includes(found.ok, new RegExp(`books: ${roles.worker} may append .* no more: 59 other acts were refused`))
      includes(found.ok, /schemas: The tables are current/)
      includes(found.ok, /secrets: The webhook secrets in the store can be opened \(1\)/)
      includes(found.ok, /clock: /)
    }
    // The tests' own server runs without fsync, and that must not go unnoticed.
    for (const warning of after.warnings) assert.match(warning, /^durability: \w+ is off: a (power cut|damaged disk)/)
    const [fsync] = await databaseOf(world).query("show fsync")
    assert.strictEqual(
      after.warnings.some((line) => line.includes("fsync")),
      fsync?.["fsync"] === "off"
    )
  })

  it("notices an analyst who reaches the store, can write, can't read, or won't see new tables", async () => {
    await using roles = new Roles()
    await using world = await open()
    const given = await own(world, roles)
    const worker = world.start(given)
    await worker.live()
    await worker.stop()
    const { analyst, worker: owner } = roles
    const failures = async (grant: string): Promise<string> => {
      await databaseOf(world).query(grant)
      const { failed, warnings } = await examined(given)
      await databaseOf(world).query(`revoke all on schema siteledger from ${analyst}`)
      await databaseOf(world).query(`revoke all on all tables in schema siteledger, construction from ${analyst}`)
      await databaseOf(world).query(roles.sql)
      return [...failed, ...warnings].filter((line) => line.startsWith("analysts")).join("\n")
    }
    const inStore = `grant usage on schema siteledger to ${analyst}; grant select on siteledger.inbox to ${analyst}`
    assert.match(await failures(inStore), new RegExp(`${analyst} reaches siteledger`))
    assert.match(await failures(`grant insert on construction.projects to ${analyst}`), /can write in construction/)
    assert.match(await failures(`revoke select on construction.ipcs from ${analyst}`), /can't read construction.ipcs\./)
    const never = `alter default privileges for role ${owner} in schema construction revoke select on tables from ${analyst}`
    assert.match(await failures(never), /won't see what newer versions add/)
    const jsonb = await failures(`revoke select on construction_jsonb.ipcs from ${analyst}`)
    assert.match(jsonb, /can't read all of construction_jsonb, the views with jsonb\./)
    assert.match(await failures("grant create on schema public to public"), /can create tables in public\./)
    assert.match(
      await failures(`revoke usage on schema construction from ${analyst}`),
      /No role except the worker's can read/
    )
    assert.strictEqual(await failures("select 1"), "")
  })

  it("notices views for analysts that can be written through, as after a restore without privileges", async () => {
    await using roles = new Roles()
    await using world = await open()
    const given = await own(world, roles)
    const warnings = async (): Promise<ReadonlyArray<string>> =>
      (await examined(given)).warnings.filter((line) => line.startsWith("worker's role"))
    await databaseOf(world).query(`grant update on construction.ledger_holds to ${roles.worker}`)
    const [found, ...others] = await warnings()
    assert.deepStrictEqual(others, [])
    assert.include(found, "may change or delete what it should only append or read: construction.ledger_holds.")
    await databaseOf(world).query(roles.sql)
    assert.deepStrictEqual(await warnings(), [])
  })

  it("says plainly that one role holds everything, and of what it may change what it should only append", async () => {
    await using administrator = new Administrator()
    await using world = await open()
    const url = await administrator.own(databaseOf(world))
    await databaseOf(world).query(`alter role ${administrator.name} nocreaterole`)
    const given = { ...world.environment, SITELEDGER_WAREHOUSE: url }
    const worker = world.start(given)
    await worker.live()
    await worker.stop()
    const found = await examined(given)
    assert.deepStrictEqual(found.failed, [])
    const plainly = `books: ${administrator.name} holds everything: .*let an administrator run config/postgres-roles.sql, then run siteledger migrate`
    includes(found.ok, new RegExp(plainly))
    await databaseOf(world).query(`grant delete on ledger.ledger_facts to ${administrator.name}`)
    const changed = await examined(given)
    includes(changed.warnings, /may change or delete what it should only append or read: ledger\.ledger_facts\./)
  })

  it("says in one sentence that the password is wrong, the database isn't there, or the server is down", async () => {
    await using roles = new Roles()
    await using world = await open()
    const given = await own(world, roles)
    const of = async (change: (url: URL) => void): Promise<ReadonlyArray<string>> => {
      const url = new URL(given["SITELEDGER_WAREHOUSE"] ?? "")
      change(url)
      const { failed, ok } = await examined({ ...given, SITELEDGER_WAREHOUSE: url.href })
      includes(ok, /service: .* lists projects/)
      return failed
    }
    const free = await freePort()
    const wrong = await of((url) => (url.password = "a-wrong-one"))
    assert.strictEqual(wrong.length, 1)
    assert.match(wrong[0]!, /^PostgreSQL: .*password.*SITELEDGER_WAREHOUSE/)
    assert.notInclude(wrong[0]!, "a-wrong-one")
    const none = await of((url) => (url.pathname = "/nowhere"))
    assert.strictEqual(none.length, 1)
    assert.match(none[0]!, /^PostgreSQL: .*database nowhere: there is no such database: create it first/)
    const down = await of((url) => (url.port = String(free)))
    assert.strictEqual(down.length, 1)
    assert.match(down[0]!, /^PostgreSQL: .*ECONNREFUSED/)
  })

  it("warns of a superuser, of a key that is a file, and of tables that the worker's role can't write", async () => {
    await using roles = new Roles()
    await using world = await open()
    const given = await unmigrated(world, roles)
    const { SITELEDGER_KEY: _, ...keyless } = world.environment
    const { warnings } = await examined(keyless)
    includes(warnings, /worker's role: \w+ has SUPERUSER/)
    includes(warnings, /key: .*Workers on one database must share it: set SITELEDGER_KEY/)
    const worker = world.start()
    await worker.live()
    await worker.stop()
    // Made by the superuser, so they belong to it.
    const { failed } = await examined(given)
    includes(failed, /worker's role: .* may not write .*siteledger\.inbox|It can't be checked/)
    await databaseOf(world).query(`${roles.sql}; alter role ${roles.worker} connection limit 10`)
    const few = await examined(given)
    assert.deepStrictEqual(named(few.failed), ["connections"])
    includes(few.failed, /up to 18 connections; the server has 10 for them.*Raise max_connections/)
  })
})

describe.skipIf(Postgres.skipped !== undefined)("on PostgreSQL", () => {
  it("backup and restore are refused in one sentence", async () => {
    await using world = await World.open({ projects: 3 }, {}, "postgres")
    const file = join(world.dataDir, "backup.sqlite")
    for (const [verb, tool] of [
      ["backup", "pg_dump"],
      ["restore", "pg_restore"]
    ] as const) {
      const { code, stderr, stdout } = await world.run(verb, file)
      assert.deepStrictEqual({ code, stdout }, { code: 1, stdout: "" })
      assert.match(stderr, new RegExp(`^siteledger: The store is in PostgreSQL: .*${tool}.*\\.\n$`))
      assert.isFalse(existsSync(file))
    }
    assert.isFalse(readdirSync(world.dataDir).some((name) => /store|restor/.test(name)))
  })
})
