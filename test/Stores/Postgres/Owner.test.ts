/**
 * Where the books have an owner, `siteledger migrate` changes their tables as that role, and a worker refuses to start until
 * it has; workers of an older version go on meanwhile. What isn't possible is refused in one sentence.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { sql } from "kysely"
import { migrate as migrateAll } from "../../../src/Operate/Migrate.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Connections, ownersPath } from "../../../src/Stores/Postgres/Connections.ts"
import { migrate, migrateLedgerFor, migrationsOf } from "../../../src/Stores/Postgres/Migrations.ts"
import { Postgres } from "../../../src/Stores/Postgres/Postgres.ts"
import { latestOf } from "../../../src/Stores/SchemaVersions.ts"
import { described, storeTables } from "../../../src/Stores/StoreTables.ts"
import { listed, optional, text } from "../../../src/Stores/Table.ts"
import { ownTables } from "../../../src/Stores/WarehouseTables.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { certified, paid } from "../../Ledger/Started.ts"
import * as Databases from "../../Postgres.ts"
import { answering } from "./Answering.ts"
import { Administrator, Roles } from "./Roles.ts"
import { storesAt } from "./World.ts"

const using = async <A>(connections: Connections, use: (opened: Connections) => Promise<A>): Promise<A> => {
  try {
    return await use(connections)
  } finally {
    await connections.close()
  }
}

const opened = (url: string) => Effect.asVoid(Postgres).pipe(Effect.provide(storesAt(url)), Effect.scoped)

/** Why a worker refuses to start. */
const refusal = (url: string) => Effect.runPromise(Effect.flip(opened(url))).then(({ message }) => message)

/** Why `siteledger migrate` does; `owner`: what is given as the owner's address. */
const refused = (worker: string, owner?: string) => {
  const address = Option.map(Option.fromUndefinedOr(owner), Redacted.make<string>)
  return Effect.runPromise(Effect.flip(migrateAll(Redacted.make(worker), address))).then(({ message }) => message)
}

const sentence = (name: string, words: string) => new RegExp(`^PostgreSQL at [^ ]+, database ${name}: ${words}\\.$`)

const later = (() => {
  const { ledger_hold_decisions: decisions } = described
  const since = latestOf({ store: storeTables, own: ownTables }) + 1
  const columns = { ...decisions.columns, remark: optional(text, "What was remarked.", { since }) }
  return migrationsOf({
    store: listed({ ...described, ledger_hold_decisions: { ...decisions, columns } }),
    own: ownTables
  })
})()

describe.skipIf(Databases.skipped !== undefined)("where the books have an owner", () => {
  const setUp = async () => {
    const roles = new Roles()
    const database = await Databases.database()
    await roles.setUp(database)
    return {
      roles,
      database,
      worker: roles.url(database, "worker"),
      owner: roles.url(database, "owner"),
      [Symbol.asyncDispose]: async () => {
        await database[Symbol.asyncDispose]()
        await roles[Symbol.asyncDispose]()
      }
    }
  }

  it("a worker starts only once `siteledger migrate` has made the tables, which can be run again", async () => {
    await using own = await setUp()
    const { database, roles, worker } = own
    const why = "the ledger's tables need a migration, which only their owner may do: run siteledger migrate"
    assert.match(await refusal(worker), sentence(database.name, why))
    assert.deepStrictEqual(
      await database.query("select from pg_class where relnamespace = 'siteledger'::regnamespace"),
      []
    )
    const made = {
      ledger: { from: null, to: "0005", isMoved: false },
      rest: { from: null, to: "0008" },
      olderWorkers: 0
    }
    assert.deepStrictEqual(await roles.migrated(database), made)
    await Effect.runPromise(opened(worker))
    const current = { ...made, ledger: { ...made.ledger, from: "0005" }, rest: { from: "0008", to: "0008" } }
    assert.deepStrictEqual(await roles.migrated(database), current)
    // Nothing is due for the owner, so its address isn't needed.
    assert.deepStrictEqual(await Effect.runPromise(migrateAll(Redacted.make(worker), Option.none())), current)
  })

  it("`siteledger migrate` gives the worker the rights that it needs, and no others", async () => {
    await using own = await setUp()
    const { database, roles } = own
    const granted = () =>
      database.query(`
        select relname as name, string_agg(privilege_type, ', ' order by privilege_type) as rights
        from pg_class c, aclexplode(c.relacl) a where relnamespace = 'ledger'::regnamespace
          and a.grantee = '${roles.worker}'::regrole group by 1 order by 1`)
    const rights = {
      admin_log: "INSERT, SELECT",
      admin_log_number_seq: "SELECT, UPDATE",
      kysely_migration: "SELECT",
      kysely_migration_lock: "SELECT",
      ledger_entries: "INSERT, SELECT",
      ledger_evidence: "INSERT, SELECT",
      ledger_facts: "INSERT, SELECT",
      ledger_hold_decisions: "INSERT, SELECT",
      ledger_hold_decisions_number_seq: "SELECT, UPDATE",
      ledger_terms: "INSERT, SELECT",
      ledger_terms_number_seq: "SELECT, UPDATE"
    }
    const expected = Object.entries(rights).map(([name, rights]) => ({ name, rights }))
    await roles.migrated(database)
    assert.deepStrictEqual(await granted(), expected)
    // The same by the roles' file, as after a restore, and by the verb, each over nothing.
    for (const restore of [() => database.query(roles.sql), () => roles.migrated(database)]) {
      await database.query(`revoke all on all tables in schema ledger from ${roles.worker}`)
      await database.query(`revoke all on all sequences in schema ledger from ${roles.worker}`)
      // The version has to be known.
      await database.query(`grant select on ledger.kysely_migration to ${roles.worker}`)
      await restore()
      assert.deepStrictEqual(await granted(), expected)
    }
  })

  it("what a member of the owner's role makes by `siteledger migrate` belongs to the owner", async () => {
    await using own = await setUp()
    await using person = new Administrator()
    const { database, roles, worker } = own
    await database.query(`create role ${person.name} login in role ${roles.owner} password 'hush'`)
    await database.query(`grant connect on database ${database.name} to ${person.name}`)
    const url = Object.assign(new URL(database.url), { username: person.name, password: "hush" }).href
    const address = Option.some(Redacted.make(url))
    await Effect.runPromise(migrateAll(Redacted.make(worker), address))
    const owners = `select distinct relowner::regrole::text as owner from pg_class
      where relnamespace = 'ledger'::regnamespace
      union select proowner::regrole::text from pg_proc where pronamespace = 'ledger'::regnamespace`
    assert.deepStrictEqual(await database.query(owners), [{ owner: roles.owner }])
    await Effect.runPromise(opened(worker))
    await database.query(`drop owned by ${person.name}`)
  })

  it("a later version starts after `siteledger migrate`, beside a worker of this one, which goes on", async () => {
    await using own = await setUp()
    const { database, owner, roles, worker } = own
    await roles.migrated(database)
    const start = (to: typeof later) => using(new Connections(Redacted.make(worker)), (it) => migrate(it, to))
    const body = Effect.gen(function* () {
      const ledger = yield* Ledger
      yield* ledger.hear([certified("1", 1, 1, "5.0000"), paid("1", 2, 2)])
      const early = yield* Effect.promise(() => start(later).then(String, String))
      assert.match(early, /the ledger's tables need a migration/)
      const as = new Connections(Redacted.make(owner), "siteledger migrate", ownersPath)
      const step = yield* Effect.promise(() =>
        using(as, (it) => migrateLedgerFor({ role: roles.worker, versions: [] }, it, later))
      )
      assert.deepStrictEqual(step, { from: "0005", to: "0009", isMoved: false })
      yield* ledger.hear([certified("2", 1, 3, "5.0000"), paid("2", 2, 4)])
      yield* Effect.promise(() => start(later))
      yield* ledger.hear([certified("3", 1, 5, "5.0000"), paid("3", 2, 6)])
      return yield* ledger.verify
    })
    const books = Ledger.layerWith(contractor).pipe(Layer.provideMerge(storesAt(worker)))
    const verified = await Effect.runPromise(Effect.scoped(Effect.provide(body, books)))
    assert.deepInclude(verified, { entries: 3, differences: [] })
    // Analysts read what the later version adds, without a right on its table.
    const analyst = roles.url(database, "analyst")
    await database.query(`
      insert into ledger.ledger_hold_decisions (hold_id, ipc_id, payment_reference, reason, since, verdict, decided_at, fact, remark)
      values ('h', '1', 'p', 'zero-amount', '2026-11-20T00:00:00Z', 'reject', '2026-11-20T00:00:00Z', 1, 'so')`)
    assert.deepStrictEqual(
      await Databases.query(analyst, "select hold_id, remark from construction.ledger_hold_decisions"),
      [{ hold_id: "h", remark: "so" }]
    )
    // This version no longer starts there, as it never did on a newer one's tables.
    const newer = "the ledger's tables were made by a newer siteledger \\(0009\\): run that version"
    assert.match(await refusal(worker), sentence(database.name, newer))
    assert.match(await refused(worker, owner), sentence(database.name, newer))
  })

  it("`siteledger migrate` refuses in one sentence what it may not do, and changes nothing", async () => {
    await using own = await setUp()
    await using elsewhere = await Databases.database()
    const { database, owner, roles, worker } = own
    const name = database.name
    const give = `the ledger's tables are to belong to ${roles.owner}: give that role's address in SITELEDGER_MIGRATE_URL`
    assert.match(await refused(worker), sentence(name, give))
    assert.match(await refused(worker, worker), sentence(name, give))
    assert.match(await refused(worker, roles.url(database, "analyst")), sentence(name, give))
    const same = "SITELEDGER_MIGRATE_URL must name the same database as SITELEDGER_WAREHOUSE\\. Nothing was changed"
    assert.match(await refused(worker, elsewhere.url), sentence(elsewhere.name, same))
    const wrong = Object.assign(new URL(owner), { password: "wrong" }).href
    const check = "user or password is wrong: check SITELEDGER_MIGRATE_URL"
    assert.match(await refused(worker, wrong), sentence(name, check))
    const made =
      "select relname from pg_class where relnamespace in ('ledger'::regnamespace, 'siteledger'::regnamespace)"
    assert.deepStrictEqual(await database.query(made), [])

    // As the roles' file of version 0.1 left it.
    await database.query("drop schema ledger")
    const none =
      "there is no schema ledger, and this role may not make one: let an administrator run config/postgres-roles.sql"
    assert.match(await refusal(worker), sentence(name, `${none}, and then run siteledger migrate`))
    assert.match(await refused(worker), sentence(name, none))
    assert.match(await refused(worker, owner), sentence(name, none))
    await database.query(`create schema ledger authorization ${roles.worker}`)
    const still =
      "the ledger's tables still belong to the worker's role: let an administrator run config/postgres-roles\\.sql, .*"
    assert.match(await refused(worker, owner), sentence(name, still))
    await database.query(roles.sql)
    await roles.migrated(database)
  })

  it("the owner's session is no pooler's, and looks into nothing that the worker's role has made", async () => {
    await using own = await setUp()
    const { owner } = own
    const as = (url: string) => new Connections(Redacted.make(url), "siteledger migrate", ownersPath)
    const paths = await using(as(owner), async ({ db }) => (await sql`show search_path`.execute(db)).rows)
    assert.deepStrictEqual(paths, [{ search_path: "ledger" }])
    // The worker's own path is none for the owner.
    for (const path of ["ledger,siteledger", '"$user", public']) {
      await using pooler = await answering({ version: "17.2", path })
      const outcome = await using(as(pooler.url), (it) =>
        migrateLedgerFor({ role: "worker", versions: [] }, it).then(String, String)
      )
      assert.match(outcome, /needs a direct connection to the server, not a connection pooler/)
    }
  })
})
