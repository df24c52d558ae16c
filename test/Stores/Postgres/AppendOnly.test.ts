/**
 * What the ledger has written is permanent: the worker's role has no right to change or remove it, and triggers refuse
 * roles that have. The worker uses only INSERT there.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Outbox } from "../../../src/Ledger/Outbox.ts"
import { appendOnly } from "../../../src/Stores/Postgres/Rights.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { rebuild } from "../../../src/Stores/Projection.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { certified, holds, paid } from "../../Ledger/Started.ts"
import * as Postgres from "../../Postgres.ts"
import { Roles } from "./Roles.ts"
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
  return [yield* ledger.status, yield* ledger.verify(), yield* outbox.status] as const
})

const changes = [
  ["update", "set ipc_id = 'other'"],
  ["delete", ""],
  ["truncate", ""]
] as const

/** Each table with each change; `ledger_terms` has no IPC. */
const statements = appendOnly.flatMap((table) =>
  changes.map(([verb, set]) => {
    const values = table === "ledger_terms" ? set.replace("ipc_id", "content") : set
    return `${verb} ${verb === "delete" ? "from " : ""}siteledger.${table} ${values}`
  })
)

describe.skipIf(Postgres.skipped !== undefined)("what the ledger has written", () => {
  const opened = async () => {
    const roles = new Roles()
    const database = await Postgres.database()
    await roles.setUp(database)
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

    const before = await database.query("select * from siteledger.ledger_entries order by sequence")
    const each = async (expected: string) => {
      for (const statement of statements) assert.strictEqual(await refusal(url, statement), expected, statement)
    }
    await each(noRight)
    for (const name of appendOnly) {
      await Postgres.query(url, `alter table siteledger.${name} disable trigger ${name}_append_only`)
    }
    await each(noRight)
    for (const name of appendOnly) {
      await Postgres.query(url, `alter table siteledger.${name} enable trigger ${name}_append_only`)
      await Postgres.query(url, `grant update, delete, truncate on siteledger.${name} to ${roles.worker}`)
    }
    // Statement triggers also refuse statements that touch no row.
    await each(byTrigger)
    for (const statement of statements) assert.strictEqual(await refusal(database.url, statement), byTrigger, statement)
    // As after a backup restored without privileges.
    await database.query(roles.sql)
    await each(noRight)
    assert.deepStrictEqual(await database.query("select * from siteledger.ledger_entries order by sequence"), before)
  })

  it("references only facts and entries that exist, without a foreign key", async () => {
    await using own = await opened()
    const { database, url } = own
    const copyOf = async (table: string, changed: Readonly<Record<string, string>>) => {
      const columns = await database.query(
        `select attname as name from pg_attribute
         where attrelid = 'siteledger.${table}'::regclass and attnum > 0 and attidentity = ''`
      )
      const names = columns.map(({ name }) => String(name))
      const values = names.map((name) => changed[name] ?? `"${name}"`)
      return refusal(
        url,
        `insert into siteledger.${table} (${names.map((name) => `"${name}"`).join(", ")})
         select ${values.join(", ")} from siteledger.${table} limit 1`
      )
    }
    const other = { sequence: "99", entry_id: "'other'", ipc_id: "'other'" }
    assert.strictEqual(await copyOf("ledger_entries", { ...other, fact: "99" }), noReference)
    assert.strictEqual(await copyOf("ledger_hold_decisions", { fact: "99" }), noReference)
    assert.strictEqual(await copyOf("ledger_outbox", other), noReference)
    const renamed = "update siteledger.ledger_outbox set entry_id = 'other' where sequence = 1"
    assert.strictEqual(await refusal(url, renamed), byTrigger)
    // Not even by a superuser: references never change.
    for (const table of ["ledger_entries", "ledger_hold_decisions"]) {
      assert.strictEqual(await refusal(database.url, `update siteledger.${table} set fact = 99`), byTrigger, table)
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
