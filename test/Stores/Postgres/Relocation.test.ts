/**
 * The books of an older version move from `siteledger` to `ledger`: at a worker's start if one role owns everything,
 * and by config/postgres-roles.sql and `siteledger migrate` to an owner. Nothing is rewritten, and older workers
 * continue.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import { certified, paid } from "../../Ledger/Started.ts"
import * as Databases from "../../Postgres.ts"
import { until } from "../../RunningWorker.ts"
import { Administrator, Roles } from "./Roles.ts"
import { chained, contents, files, moving, older, released, report, started, within } from "./Together.ts"
import { storesAt } from "./World.ts"

const kinds = [released, chained]

const opened = (url: string) => Effect.asVoid(Postgres).pipe(Effect.provide(storesAt(url)), Effect.scoped)

const verify = (url: string) =>
  started(
    url,
    Effect.flatMap(Ledger, (ledger) => ledger.verify)
  )

/** The sentence with which a start is refused. */
const refusal = (url: string) => Effect.runPromise(Effect.flip(opened(url))).then(({ message }) => message)

/** What is left in `siteledger` of tables that have moved. */
const standIns = ({ query }: Databases.Database) =>
  query(`select relname as name, relkind as kind from pg_class where relnamespace = 'siteledger'::regnamespace
    and relname in (${moving.map((table) => `'${table}'`).join(", ")})`)

const functions = ({ query }: Databases.Database) =>
  query("select proname from pg_proc where pronamespace = 'siteledger'::regnamespace")

describe.skipIf(Databases.skipped !== undefined)("the books of an older version", () => {
  it.each(kinds)("$kind move at a start where one role holds everything, with their files", async (books) => {
    await using administrator = new Administrator()
    await using database = await Databases.database()
    const url = await administrator.own(database)
    await books.make(url)
    const before = { rows: await contents(database, "siteledger"), files: await files(database) }
    await Effect.runPromise(opened(url))
    assert.deepStrictEqual(within(await contents(database, "ledger"), before.rows), before.rows)
    assert.deepStrictEqual(await files(database), before.files)
    assert.deepStrictEqual([await standIns(database), await functions(database)], [[], []])
    const { ledger_entries: entries, ledger_facts: facts } = before.rows
    const verified = await verify(url)
    assert.deepInclude(verified, { facts: facts.length, entries: entries.length, differences: [] })
    const chain = entries.findLast(({ sequence }) => sequence === String(entries.length))?.["chain"]
    assert.strictEqual(verified.head, chain === undefined ? null : `${entries.length}:${chain}`)
    const posted = Effect.gen(function* () {
      const ledger = yield* Ledger
      yield* ledger.hear([certified("30", 1, 1, "7.0000"), paid("30", 2, 2)])
      return yield* ledger.verify
    })
    assert.deepInclude(await started(url, posted), { entries: entries.length + 1, differences: [] })
  })

  it.each(kinds)(
    "$kind get an owner by the roles' file and `siteledger migrate`, and older workers go on",
    async (books) => {
      await using roles = new Roles()
      await using database = await Databases.database()
      await books.make(database.url)
      const before = { rows: await contents(database, "siteledger"), files: await files(database) }
      await roles.setUp(database)
      const url = roles.url(database, "worker")
      await using old = await older(url)
      await old.client.query(report)
      await old.post(101)

      assert.match(await refusal(url), /: the ledger's tables need a migration, .*: run siteledger migrate\.$/)
      assert.deepStrictEqual(await roles.migrated(database), {
        ledger: { from: books.version, to: "0005", isMoved: true },
        rest: { from: books.version, to: "0008" },
        olderWorkers: 1
      })
      assert.deepStrictEqual(await functions(database), [])
      await old.post(102)
      assert.deepStrictEqual(await old.posted(), [101, 102])
      for (const table of moving) {
        const denied = await old.client.query(`delete from ${table}`).then(String, String)
        assert.match(denied, /permission denied for view/)
      }
      // A worker of this version starts beside it.
      await Effect.runPromise(opened(url))
      await old.post(103)
      assert.lengthOf(await standIns(database), moving.length)
      await database.query("delete from siteledger.workers")
      await Effect.runPromise(opened(url))
      assert.deepStrictEqual(await standIns(database), [])
      const mayEnter = `select has_schema_privilege('${roles.owner}', 'siteledger', 'usage, create') as may`
      assert.deepStrictEqual(await database.query(mayEnter), [{ may: "f" }])

      // What it had before it moved is the same, in the same files.
      await database.query(`
      set session_replication_role = replica;
      delete from ledger.ledger_facts where ipc_id = 'old'; delete from ledger.ledger_terms where number > 1;
      delete from ledger.ledger_entries where ipc_id = 'old'; delete from ledger.ledger_hold_decisions where ipc_id = 'old';
      delete from siteledger.ledger_outbox where ipc_id = 'old'`)
      const where = (found: Awaited<ReturnType<typeof files>>) =>
        found.map(({ oid, relfilenode, relname }) => ({ relname, oid, relfilenode }))
      assert.deepStrictEqual(within(await contents(database, "ledger"), before.rows), before.rows)
      assert.deepStrictEqual(where(await files(database)), where(before.files))
      const { ledger_entries: entries, ledger_facts: facts } = before.rows
      assert.deepInclude(await verify(url), { facts: facts.length, entries: entries.length, differences: [] })
    }
  )

  it("get an owner from an administrator without superuser rights, also where one role held everything already", async () => {
    for (const isOpened of [false, true]) {
      await using roles = new Roles()
      await using administrator = new Administrator()
      await using database = await Databases.database()
      const url = await administrator.own(database)
      await chained.make(url)
      if (isOpened) await Effect.runPromise(opened(url))
      await roles.setUp(database, url)
      const { ledger } = await roles.migrated(database)
      assert.strictEqual(ledger.isMoved, !isOpened)
      const others = `select oid::regclass from pg_class
        where relnamespace = 'ledger'::regnamespace and relowner <> '${roles.owner}'::regrole`
      assert.deepStrictEqual(await database.query(others), [])
      const verified = await verify(roles.url(database, "worker"))
      assert.deepStrictEqual(verified.differences, [])
      await roles.setUp(database, url)
      assert.deepStrictEqual(await verify(roles.url(database, "worker")), verified)
    }
  })

  it("don't move before the roles' file has given them to their owner", async () => {
    await using roles = new Roles()
    await using database = await Databases.database()
    await roles.setUp(database)
    await database.query("drop schema siteledger, construction")
    await released.make(database.url)
    await database.query(`
      alter schema siteledger owner to ${roles.worker};
      grant select on siteledger.kysely_migration to ${roles.worker}`)
    const before = [await contents(database, "siteledger"), await files(database)]
    const refused = await roles.migrated(database).then(String, String)
    assert.match(refused, /: the ledger's tables don't belong to this role yet: .* and then run siteledger migrate\.$/)
    assert.deepStrictEqual([await contents(database, "siteledger"), await files(database)], before)
    await database.query(roles.sql)
    assert.isTrue((await roles.migrated(database)).ledger.isMoved)
  })

  /** Stops a migration where `when` holds after a command, until it is cut off. */
  const cutOff = async (database: Databases.Database, when: string, migrate: () => Promise<unknown>) => {
    const asleep = "from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'"
    await database.query(`
      create function public.wait() returns event_trigger language plpgsql security definer as $$
        begin if ${when} then perform pg_sleep(20); end if; end $$;
      create event trigger slow on ddl_command_end execute function public.wait()`)
    const cut = migrate().then(String, String)
    await until("it is asleep", async () =>
      (await database.query(`select 1 ${asleep}`)).length > 0 ? true : undefined
    )
    await database.query("alter event trigger slow disable")
    await database.query(`select pg_terminate_backend(pid) ${asleep}`)
    assert.match(await cut, /terminating connection|doesn.t answer/)
    await database.query("drop event trigger slow; drop function public.wait()")
  }

  it("stay where they are if `siteledger migrate` is killed while they move, and move with the next one", async () => {
    await using roles = new Roles()
    await using database = await Databases.database()
    await chained.make(database.url)
    await roles.setUp(database)
    const url = roles.url(database, "worker")
    await using old = await older(url)
    const before = [await contents(database, "siteledger"), await files(database), await functions(database)]
    await cutOff(database, "to_regclass('ledger.ledger_entries') is not null", () => roles.migrated(database))
    assert.deepStrictEqual(
      [await contents(database, "siteledger"), await files(database), await functions(database)],
      before
    )
    const left = "select relname from pg_class where relnamespace = 'ledger'::regnamespace"
    assert.deepStrictEqual(await database.query(left), [])
    await old.post(101)
    const after = await contents(database, "siteledger")
    assert.isTrue((await roles.migrated(database)).ledger.isMoved)
    assert.deepStrictEqual(within(await contents(database, "ledger"), after), after)
  })

  it("are whole if it is killed between its two parts: older workers go on, and a start or the next one does the rest", async () => {
    await using roles = new Roles()
    await using database = await Databases.database()
    await chained.make(database.url)
    await roles.setUp(database)
    const url = roles.url(database, "worker")
    await using old = await older(url)
    await old.client.query(report)
    const isSecond = "current_setting('search_path') like '%siteledger'"
    await cutOff(database, isSecond, () => roles.migrated(database))
    await old.post(101)
    assert.deepStrictEqual(await old.posted(), [101])
    assert.deepStrictEqual(await database.query("select max(name) as name from siteledger.kysely_migration"), [
      { name: "0003" }
    ])
    await Effect.runPromise(opened(url))
    assert.deepStrictEqual(await database.query("select max(name) as name from siteledger.kysely_migration"), [
      { name: "0008" }
    ])
    await old.post(102)
    assert.deepStrictEqual((await roles.migrated(database)).olderWorkers, 1)
  })
})
