/**
 * `siteledger migrate` as an operator runs it: a worker whose books have an owner starts only after it was run, and
 * others join; killed in the middle, it has changed nothing; stores are moved to such a database and back.
 */
import { once } from "node:events"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { version } from "../../src/Runtime/Program.ts"
import * as Postgres from "../Postgres.ts"
import { launch, run, until } from "../RunningWorker.ts"
import { Roles } from "../Stores/Postgres/Roles.ts"
import { contents, Folder, makeStore, strange } from "./MoveWorld.ts"
import { live, storyEvents } from "./Past.ts"
import { model, read } from "./Story.ts"
import { World } from "./World.ts"

const made = {
  ledger: { from: null, to: "0005", isMoved: false },
  siteledger: { from: null, to: "0008" },
  olderWorkers: 0
}

const current = { ...made, ledger: { ...made.ledger, from: "0005" }, siteledger: { from: "0008", to: "0008" } }

describe.skipIf(Postgres.skipped !== undefined)("migrate", () => {
  const databaseOf = ({ database }: World) => database ?? assert.fail("no database")

  const open = async () => {
    const roles = new Roles()
    const world = await World.open({ projects: 30, maxPerPage: 20 }, {}, "postgres")
    await roles.setUp(databaseOf(world))
    const [worker, owner] = (["worker", "owner"] as const).map((role) => roles.url(databaseOf(world), role))
    return {
      roles,
      world,
      owner: owner ?? "",
      given: { ...world.environment, SITELEDGER_WAREHOUSE: worker ?? "" },
      [Symbol.asyncDispose]: async () => {
        await world[Symbol.asyncDispose]()
        await roles[Symbol.asyncDispose]()
      }
    }
  }

  it("comes before the first start, as the owner, and says what it did; then any number of workers start", async () => {
    await using own = await open()
    const { given, owner, world } = own
    const early = await run(given, "start")
    assert.strictEqual(early.code, 1)
    assert.match(early.stderr, /^siteledger: PostgreSQL at [^\n]+ need a migration, [^\n]+: run siteledger migrate\.$/m)
    const withoutOwner = await run(given, "migrate")
    assert.strictEqual(withoutOwner.code, 1)
    assert.match(withoutOwner.stderr, /^siteledger: [^\n]+: give that role's address in SITELEDGER_MIGRATE_URL\.\n$/)
    const malformed = await run({ ...given, SITELEDGER_MIGRATE_URL: "duckdb:./x" }, "migrate")
    assert.strictEqual(malformed.code, 2)
    assert.match(malformed.stderr, /SITELEDGER_MIGRATE_URL must be postgres:\/\//)

    const secret = join(world.dataDir, "owner")
    writeFileSync(secret, `${owner}\n`)
    const migrating = { ...given, SITELEDGER_MIGRATE_URL_FILE: secret }
    const migrated = await run(migrating, "migrate")
    assert.strictEqual(migrated.code, 0, migrated.stderr)
    const words = /^The tables of ledger were made in version 0005\.\nThe tables of .* were made in version 0008\.\n$/
    assert.match(migrated.stdout, words)
    assert.match((await run(migrating, "migrate")).stdout, /^The tables of ledger are current: version 0005\.\n.*\n$/)
    assert.deepStrictEqual(JSON.parse((await run(migrating, "migrate", "--json")).stdout), current)

    const events = storyEvents(5, 60)
    const first = world.start(given)
    await live(world, first, events.slice(0, 30))
    const second = await world.startAnother({ SITELEDGER_WAREHOUSE: given.SITELEDGER_WAREHOUSE })
    await second.status("both are known", ({ workers }) => workers.filter(({ isUp }) => isUp).length === 2)
    // By which the next version knows whether older ones still run.
    assert.deepStrictEqual(await world.store("select distinct version from workers"), [{ version }])
    await first.stop()
    // Whose failure would only be a line of the log.
    assert.isNotEmpty(await world.store("select from history"))
    for (const event of events.slice(30)) assert.strictEqual(await world.server.deliver(event, world.at(second)), 200)
    await second.status("all is applied", ({ inbox }) => inbox.pending === 0)
    const verified = await run(given, "ledger", "verify")
    assert.strictEqual(verified.code, 0, verified.stderr)
    await second.stop()
    assert.deepStrictEqual(await read((sql) => world.query(sql)), model(events))
  })

  it("has changed nothing if its process is killed in the middle, and does everything the next time", async () => {
    await using own = await open()
    const { given, owner, world } = own
    const { query } = databaseOf(world)
    const asleep = "from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
    await query(`
      create function public.wait() returns event_trigger language plpgsql as $$
        begin if to_regclass('ledger.ledger_entries') is not null then perform pg_sleep(30); end if; end $$;
      create event trigger slow on ddl_command_end execute function public.wait()`)
    const migrating = { ...given, SITELEDGER_MIGRATE_URL: owner }
    const { child } = launch(migrating, "migrate")
    await until("it is in the middle", async () => ((await query(`select 1 ${asleep}`)).length > 0 ? true : undefined))
    child.kill("SIGKILL")
    await once(child, "close")
    await query("drop event trigger slow")
    // The server notices late that nobody waits for its answer.
    await query(`select pg_terminate_backend(pid) ${asleep}`)
    const left = "select from pg_class where relnamespace in ('ledger'::regnamespace, 'siteledger'::regnamespace)"
    await until("it is undone", async () => ((await query(left)).length === 0 ? true : undefined))
    const { code, stdout } = await run(migrating, "migrate", "--json")
    assert.deepStrictEqual([code, JSON.parse(stdout)], [0, made])
  })

  it("makes a place to which a whole store can be moved, as the worker's role, and back", async () => {
    await using own = await open()
    const { given, owner, roles, world } = own
    using first = new Folder()
    using last = new Folder()
    await makeStore(first.store, strange)
    const expected = await contents(first.store)
    const { SITELEDGER_WAREHOUSE: url, ...files } = given
    const move = (from: string, more: object, to: string) =>
      run({ ...files, SITELEDGER_DATA_DIR: from, ...more }, "move", "--to", to)
    const early = await move(first.path, {}, url)
    assert.strictEqual(early.code, 1)
    assert.match(early.stderr, /: run siteledger migrate\.\n$/)
    assert.strictEqual((await run({ ...given, SITELEDGER_MIGRATE_URL: owner }, "migrate")).code, 0)
    const there = await move(first.path, {}, url)
    assert.strictEqual(there.code, 0, there.stderr)
    const decision = `
      insert into ledger.ledger_hold_decisions (hold_id, ipc_id, payment_reference, reason, since, verdict, decided_at, fact)
      values ('h', 'i', 'p', 'r', 's', 'reject', 'd', 8) returning number`
    const after = `begin; ${decision}`
    assert.deepStrictEqual(await Postgres.query(roles.url(databaseOf(world), "worker"), after), [{ number: "4" }])
    const back = await move(last.path, { SITELEDGER_WAREHOUSE: url }, `duckdb:${join(last.path, "warehouse.duckdb")}`)
    assert.strictEqual(back.code, 0, back.stderr)
    assert.deepStrictEqual(await contents(last.store), expected)
  })

  it("has nothing to do with files, and says so", async () => {
    await using world = await World.open({ projects: 3 }, {}, "duckdb")
    const { code, stderr, stdout } = await world.run("migrate")
    assert.deepStrictEqual({ code, stdout }, { code: 0, stdout: "" })
    assert.match(stderr, /^The tables are in files, which every start migrates by itself\. There is nothing to do\.\n$/)
  })
})
