/**
 * What the ledger has written is permanent: the worker's role has no right to change or remove it, nor, if the tables
 * have an owner, to grant itself that right; and triggers refuse roles that have it. The worker uses only INSERT there.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import { appendOnly, placed } from "../../../src/Stores/Postgres/Rights.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { rebuild } from "../../../src/Stores/Projection.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { certified, holds, paid } from "../../Ledger/Started.ts"
import * as Postgres from "../../Postgres.ts"
import { Administrator, Roles } from "./Roles.ts"
import { storesAt } from "./World.ts"

/** The SQLSTATE; undefined if it succeeded. */
const refusal = (url: string, query: string): Promise<string | undefined> =>
  Postgres.query(url, query).then(
    () => undefined,
    (cause: unknown) => String((cause as { readonly code?: unknown }).code)
  )

const noRight = "42501"
const byTrigger = "P0001"
const noReference = "23503"
const isTwice = "23505"

const worker = (url: string) => {
  const outbox = Outbox.layerWith({ status: "draft" })
  const books = Layer.unwrap(Effect.map(Outbox, (opened) => Ledger.layerWith(contractor, opened)))
  return books.pipe(Layer.provideMerge(outbox), Layer.provideMerge(storesAt(url)))
}

/** Everything that a worker does to the books: posts, holds, decides, delivers, rebuilds the warehouse, verifies. */
const work = Effect.gen(function* () {
  const ledger = yield* Ledger
  const outbox = yield* Outbox
  yield* ledger.hear([certified("1", 1, 1, "100.0000"), paid("1", 2, 2), paid("1", 2, 3, "AGAIN"), paid("2", 2, 4)])
  const open = yield* holds
  const decision = { hold: open.find(({ reason }) => reason === "second-payment-reference")?.hold_id ?? "none" }
  yield* ledger.decide({ ...decision, verdict: "accept", amount: "20", by: "Ada", reason: "On the statement" })
  const [letter = assert.fail("nothing to send")] = yield* outbox.next([], 1)
  yield* outbox.delivered(letter)
  yield* rebuild(yield* Store)
  return [yield* ledger.status, yield* ledger.verify, yield* outbox.status] as const
})

const changes = [
  ["update", "set ipc_id = 'other'"],
  ["delete", ""],
  ["truncate", ""]
] as const

/** A column of those that have no IPC. */
const columns: Readonly<Record<string, string>> = {
  admin_log: "principal",
  ledger_evidence: "body",
  ledger_terms: "content"
}

/** Each table with each change. */
const statements = appendOnly.flatMap((table) =>
  changes.map(([verb, set]) => {
    const values = set.replace("ipc_id", columns[table] ?? "ipc_id")
    return `${verb} ${verb === "delete" ? "from " : ""}ledger.${table} ${values}`
  })
)

/** Only an owner's, each of which could undo what keeps the books as they are. */
const powers = [
  ...appendOnly.flatMap((table) => [
    `alter table ledger.${table} disable trigger all`,
    `alter table ledger.${table} add column more text`,
    `alter table ledger.${table} owner to current_user`,
    `alter table ledger.${table} set schema siteledger`,
    `drop trigger ${table}_append_only on ledger.${table}`,
    `create trigger mine before insert on ledger.${table} for each row execute function ledger.refuse_change()`,
    `create rule mine as on insert to ledger.${table} do instead nothing`,
    `create unique index mine on ledger.${table} ((1))`,
    `drop table ledger.${table} cascade`,
    `begin; lock table ledger.${table} in access exclusive mode`
  ]),
  "create table ledger.mine (n int)",
  "create or replace function ledger.refuse_change() returns trigger language plpgsql as 'begin return null; end'",
  "create or replace function ledger.digest_of(varchar) returns bytea language sql immutable strict as 'select null::bytea'",
  "drop function ledger.refuse_change() cascade",
  "alter schema ledger owner to current_user",
  "alter schema ledger rename to mine",
  "drop schema ledger cascade",
  "insert into ledger.kysely_migration values ('0009', '2026-11-20')",
  "delete from ledger.kysely_migration"
]

describe.skipIf(Postgres.skipped !== undefined)("what the ledger has written", () => {
  const opened = async () => {
    const roles = new Roles()
    const database = await Postgres.database()
    await roles.setUp(database)
    await roles.migrated(database)
    const url = roles.url(database, "worker")
    const done = await Effect.runPromise(Effect.scoped(Effect.provide(work, worker(url))))
    return {
      database,
      roles,
      url,
      done,
      [Symbol.asyncDispose]: async () => {
        await database[Symbol.asyncDispose]()
        await roles[Symbol.asyncDispose]()
      }
    }
  }

  it("can't be changed or removed by the role that writes it: not by right, past a trigger, or through a view", async () => {
    await using own = await opened()
    const { database, done, roles, url } = own
    const [status, verified, outbox] = done
    assert.deepInclude(status, { entries: 2, holds: 1 })
    assert.deepInclude(verified, { facts: 5, entries: 2, differences: [] })
    assert.deepInclude(outbox, { backlog: 1 })

    const views = await database.query("select viewname as name from pg_views where schemaname = 'construction'")
    assert.isAbove(views.length, 5)
    for (const { name } of views) {
      const [column] = await database.query(
        `select attname as name from pg_attribute where attrelid = 'construction.${name}'::regclass and attnum = 2`
      )
      for (const who of ["worker", "analyst"] as const) {
        for (const statement of [
          `insert into construction.${name} default values`,
          `update construction.${name} set "${column?.["name"]}" = null`,
          `delete from construction.${name}`
        ]) {
          const asked = `begin; set transaction read write; ${statement}`
          const outcome = await Postgres.query(roles.url(database, who), asked).then(
            () => "done",
            (cause: unknown) => String(cause)
          )
          assert.match(outcome, /permission denied for view|cannot (insert into|update|delete from) view/, asked)
        }
      }
    }

    const before = await database.query("select * from ledger.ledger_entries order by sequence")
    const each = async (expected: string, forbidden = statements) => {
      for (const statement of forbidden) assert.strictEqual(await refusal(url, statement), expected, statement)
    }
    await each(noRight)
    await each(noRight, [...powers, `set role ${roles.owner}`, `grant ${roles.owner} to ${roles.worker}`])
    for (const name of appendOnly) {
      // Without the right to it, a grant only warns.
      await Postgres.query(url, `grant update, delete, truncate on ledger.${name} to ${roles.worker}`)
    }
    await each(noRight)
    for (const name of appendOnly) {
      await database.query(`grant update, delete, truncate on ledger.${name} to ${roles.worker}`)
    }
    // Statement triggers also refuse statements that touch no row.
    await each(byTrigger)
    for (const statement of statements) assert.strictEqual(await refusal(database.url, statement), byTrigger, statement)
    // As after a backup restored without privileges.
    await database.query(roles.sql)
    await each(noRight)
    assert.deepStrictEqual(await database.query("select * from ledger.ledger_entries order by sequence"), before)
  })

  it("can't be changed without more ado where one role holds everything, and past its triggers by no one", async () => {
    await using administrator = new Administrator()
    await using database = await Postgres.database()
    const url = await administrator.own(database)
    const done = await Effect.runPromise(Effect.scoped(Effect.provide(work, worker(url))))
    assert.deepInclude(done[1], { facts: 5, entries: 2, differences: [] })
    const each = async (expected: string, at = url) => {
      for (const statement of statements) assert.strictEqual(await refusal(at, statement), expected, statement)
    }
    await each(noRight)
    for (const name of appendOnly) {
      await Postgres.query(url, `grant update, delete, truncate on ledger.${name} to ${administrator.name}`)
    }
    await each(byTrigger)
    await each(byTrigger, database.url)
  })

  it("references only facts and entries that exist, without a foreign key", async () => {
    await using own = await opened()
    const { database, url } = own
    const copyOf = async (table: string, changed: Readonly<Record<string, string>>, first = "") => {
      const columns = await database.query(
        `select attname as name from pg_attribute
         where attrelid = '${placed(table)}'::regclass and attnum > 0 and attidentity = ''`
      )
      const names = columns.map(({ name }) => String(name))
      const values = names.map((name) => changed[name] ?? `"${name}"`)
      return refusal(
        url,
        `${first} insert into ${placed(table)} (${names.map((name) => `"${name}"`).join(", ")})
         select ${values.join(", ")} from ${placed(table)} limit 1`
      )
    }
    const other = { sequence: "99", entry_id: "'other'", ipc_id: "'other'" }
    assert.strictEqual(await copyOf("ledger_entries", { ...other, fact: "99" }), noReference)
    assert.strictEqual(await copyOf("ledger_hold_decisions", { fact: "99" }), noReference)
    assert.strictEqual(await copyOf("ledger_outbox", other), noReference)
    assert.strictEqual(await refusal(url, "insert into ledger.ledger_evidence values (99, '{}')"), noReference)
    // A session chooses which operators and functions a name means, but not for what checks it.
    await Postgres.query(
      url,
      `create function siteledger.yes(bigint, bigint) returns boolean language sql as 'select true';
       create operator siteledger.= (leftarg = bigint, rightarg = bigint, function = siteledger.yes);
       create function siteledger.sha256(bytea) returns bytea language sql immutable as 'select $1 || gen_random_uuid()::text::bytea'`
    )
    const misled = "set search_path = siteledger, pg_catalog;"
    assert.strictEqual(await copyOf("ledger_entries", { ...other, fact: "99" }, misled), noReference)
    assert.strictEqual(await copyOf("ledger_entries", { sequence: "99", entry_id: "'other'" }, misled), isTwice)
    const renamed = "update siteledger.ledger_outbox set entry_id = 'other' where sequence = 1"
    assert.strictEqual(await refusal(url, renamed), byTrigger)
    // Not even by a superuser: references never change.
    for (const table of ["ledger_entries", "ledger_hold_decisions"]) {
      assert.strictEqual(await refusal(database.url, `update ledger.${table} set fact = 99`), byTrigger, table)
    }
    assert.isUndefined(await copyOf("ledger_entries", other))
    assert.isUndefined(await copyOf("ledger_hold_decisions", {}))
    assert.isUndefined(await copyOf("ledger_outbox", other))
    const keys = await database.query(
      "select conname from pg_constraint where contype = 'f' and confrelid::regclass::text ~ 'ledger_(facts|entries)'"
    )
    assert.deepStrictEqual(keys, [])
  })
})
