/**
 * config/postgres-roles.sql: the worker's role owns two schemas, a role of its own the books' tables, and an analyst reads
 * one schema and nothing else.
 */
import { assert, describe, it } from "@effect/vitest"
import { Redacted } from "effect"
import { Client } from "pg"
import { Connections } from "../../../src/Stores/Postgres/Connections.ts"
import { appendOnly } from "../../../src/Stores/Postgres/Rights.ts"
import { migrate } from "../../../src/Stores/Postgres/Migrations.ts"
import { viewNames } from "../../../src/Stores/Views.ts"
import { tables } from "../../../src/Stores/WarehouseTables.ts"
import * as Postgres from "../../Postgres.ts"
import { Administrator, Roles } from "./Roles.ts"

const migrated = async (url: string): Promise<void> => {
  const connections = new Connections(Redacted.make(url))
  try {
    await migrate(connections)
  } finally {
    await connections.close()
  }
}

const seen = [...tables.map(({ name }) => name), ...viewNames]

const refusal = async (url: string, query: string): Promise<string> =>
  Postgres.query(url, query).then(
    () => `allowed: ${query}`,
    (cause: unknown) => String(cause)
  )

const reads = async (url: string): Promise<void> => {
  for (const name of seen) await Postgres.query(url, `select * from construction.${name}`)
}

/** The notices that the server sends meanwhile. */
const warnings = async (url: string, query: string): Promise<ReadonlyArray<string>> => {
  const notices: Array<string> = []
  const client = new Client({ connectionString: url })
  client.on("notice", ({ message = "" }) => notices.push(message))
  await client.connect()
  try {
    await client.query(query)
  } finally {
    await client.end()
  }
  return notices
}

/** Settings that a session may change itself. */
const writable = "begin; set transaction read write; set local statement_timeout = 0; "

const holdSql = "insert into siteledger.ledger_holds values ('h', '1', 'r', 'reason', '2026-11-20T00:00:00Z', '{}')"

/** A fact, and an entry and a letter that refer to it. */
const writtenSql = (number: number) => `
  insert into ledger.ledger_facts values (${number}, 'i', 'paid', 'now', '{}');
  insert into ledger.ledger_entries (sequence, entry_id, ipc_id, kind, amount, payment_reference, debit_account,
      credit_account, effective_at, known_at, part, basis, fact)
    values (${number}, 'e${number}', 'i', 'payment', '1.0000', 'p${number}', 'd', 'c', 'now', 'now', 'whole', '[]', ${number});
  insert into siteledger.ledger_outbox (entry_id, sequence, ipc_id, status, queued_at, next_attempt_at)
    values ('e${number}', ${number}, 'i', 'draft', 'now', 'now')`

describe.skipIf(Postgres.skipped !== undefined)("the roles", () => {
  it("let the worker make tables without a right to make schemas, and the analyst read them, also later ones", async () => {
    await using roles = new Roles()
    await using database = await Postgres.database()
    await roles.setUp(database)
    const [worker, analyst] = [roles.url(database, "worker"), roles.url(database, "analyst")]
    for (const role of ["worker", "owner"] as const) {
      assert.match(await refusal(roles.url(database, role), "create schema mine"), /permission denied for database/)
    }
    await roles.migrated(database)
    await reads(analyst)
    // By way of the views' owner: the analyst has no right on the table.
    await Postgres.query(worker, holdSql)
    assert.deepStrictEqual(await Postgres.query(analyst, "select hold_id from construction.ledger_holds"), [
      { hold_id: "h" }
    ])
    await Postgres.query(
      worker,
      "create table construction.later (n int); create view construction.newer as select 1 as n"
    )
    await Postgres.query(analyst, "select n from construction.later union all select n from construction.newer")
  })

  it("keep the analyst from the store, from other tables and from writing, regardless of session settings", async () => {
    await using roles = new Roles()
    await using database = await Postgres.database()
    await roles.setUp(database)
    await roles.migrated(database)
    await database.query(roles.sql)
    const enters = `select nspname from pg_namespace
      where nspname in ('ledger', 'siteledger') and has_schema_privilege('${roles.analyst}', oid, 'usage')`
    assert.deepStrictEqual(await database.query(enters), [])
    await database.query(
      "create table public.others (n int); grant select on public.others to public; create schema more; create table more.secrets (n int)"
    )
    const analyst = roles.url(database, "analyst")
    for (const query of [
      "select * from siteledger.inbox",
      "select * from siteledger.webhook_secrets",
      "select * from siteledger.ledger_holds",
      "select * from ledger.ledger_entries",
      "select * from public.others",
      "select * from more.secrets",
      "insert into construction.events (body_sha256) values ('x')",
      "delete from construction.projects",
      "update construction.ipcs set status = 'paid'",
      "insert into construction.ledger_holds (hold_id) values ('x')",
      "truncate construction.events",
      "create table construction.mine (n int)",
      "create table public.mine (n int)",
      "create temporary table mine (n int)",
      "create schema mine"
    ]) {
      assert.match(await refusal(analyst, writable + query), /permission denied/, query)
    }
    assert.match(await refusal(analyst, "create table construction.mine (n int)"), /read-only transaction|permission/)
    const show =
      "select current_setting('default_transaction_read_only') as only, current_setting('statement_timeout') as max"
    assert.deepStrictEqual(await Postgres.query(analyst, show), [{ only: "on", max: "5min" }])
  })

  it("are restored when the file is run again, also over tables that a superuser made, and keep changed limits", async () => {
    await using roles = new Roles()
    await using database = await Postgres.database()
    await migrated(database.url)
    await roles.setUp(database)
    const [worker, analyst] = [roles.url(database, "worker"), roles.url(database, "analyst")]
    await migrated(worker)
    await Postgres.query(worker, holdSql)
    await reads(analyst)
    await database.query(`
      grant usage on schema siteledger to ${roles.analyst}; grant select on siteledger.inbox to ${roles.analyst};
      grant insert on construction.projects to public; grant create on schema construction to ${roles.analyst};
      revoke select on construction.events from ${roles.analyst};
      alter role ${roles.analyst} set statement_timeout = '1h'`)
    assert.match(await refusal(analyst, "select * from siteledger.inbox"), /allowed/)
    await database.query(roles.sql)
    assert.match(await refusal(analyst, "select * from siteledger.inbox"), /permission denied/)
    assert.match(
      await refusal(analyst, `${writable}insert into construction.projects (id) values (1)`),
      /permission denied/
    )
    await reads(analyst)
    assert.deepStrictEqual(await Postgres.query(analyst, "select current_setting('statement_timeout') as max"), [
      { max: "1h" }
    ])
    const owners = `
      select distinct relnamespace::regnamespace::text as schema, relowner::regrole::text as owner from pg_class
        where relnamespace in ('ledger'::regnamespace, 'siteledger'::regnamespace, 'construction'::regnamespace,
          'construction_jsonb'::regnamespace)
      union select pronamespace::regnamespace::text, proowner::regrole::text from pg_proc
        where pronamespace in ('ledger'::regnamespace, 'construction_jsonb'::regnamespace) order by 1`
    assert.deepStrictEqual(await database.query(owners), [
      { schema: "construction", owner: roles.worker },
      { schema: "construction_jsonb", owner: roles.worker },
      { schema: "ledger", owner: roles.owner },
      { schema: "siteledger", owner: roles.worker }
    ])
  })

  it("let the worker add to append-only tables and never change them, also when the file is run again", async () => {
    await using roles = new Roles()
    await using database = await Postgres.database()
    await roles.setUp(database)
    const worker = roles.url(database, "worker")
    for (const number of [1, 2]) {
      await roles.migrated(database)
      await Postgres.query(worker, writtenSql(number))
      for (const table of appendOnly) {
        assert.match(await refusal(worker, `delete from ledger.${table}`), /permission denied for table/)
        // As after a backup restored without privileges.
        await database.query(`grant update, delete, truncate on ledger.${table} to ${roles.worker}`)
        assert.match(await refusal(worker, `delete from ledger.${table}`), /is append-only/)
      }
      await database.query(roles.sql)
      for (const table of appendOnly) {
        assert.match(await refusal(worker, `delete from ledger.${table}`), /permission denied for table/)
      }
    }
  })

  it("are made by a database owner without superuser rights, who is warned about what stays open before version 15", async () => {
    await using roles = new Roles()
    await using administrator = new Administrator()
    await using database = await Postgres.database()
    const url = await administrator.own(database)
    assert.deepStrictEqual(await warnings(url, roles.sql), [])
    // As it is for every database of version 14.
    await database.query("alter schema public owner to current_user; grant create on schema public to public")
    assert.include((await warnings(url, roles.sql)).at(-1), 'tables in the schema "public"')
    await database.query("drop schema public")
    assert.deepStrictEqual(await warnings(url, roles.sql), [])
  })

  it("are refused when one of them has more rights than needed, and nothing is half done", async () => {
    for (const [role, excess, why] of [
      ["worker", "superuser", /has more rights than siteledger needs/],
      ["owner", "createrole", /has more rights than siteledger needs/],
      ["worker", "member", /is a member of .*, and so could change the books/]
    ] as const) {
      await using roles = new Roles()
      await using database = await Postgres.database()
      const join = `create role ${roles.owner}; create role ${roles.worker} login in role ${roles.owner}`
      await database.query(excess === "member" ? join : `create role ${roles[role]} login ${excess}`)
      assert.match(await refusal(database.url, roles.sql), why)
      const made = await database.query(`select rolname from pg_roles where rolname = '${roles.analyst}'`)
      assert.deepStrictEqual(made, [])
    }
  })
})
