/**
 * Version 3 allows an entry to be an accrual. SQLite recreates the table of entries for it: everything that depends on
 * the table stays, in a database of version 0.1.0 with its rows and in a new one.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Engine, engines, type Made } from "./VersionEngines.ts"

const stores = engines.filter(({ name }) => name !== "DuckDB")

/** What the table has besides its columns and the constraint on kinds, and what refers to it. */
const parts: Readonly<Record<string, ReadonlyArray<string>>> = {
  SQLite: [
    "select name, sql from sqlite_schema where tbl_name = 'ledger_entries' and type <> 'table' order by name",
    `select "from", "table", "to", on_delete from pragma_foreign_key_list('ledger_entries')`,
    `select t.name, k."from", k."to" from sqlite_schema t, pragma_foreign_key_list(t.name) k
     where k."table" = 'ledger_entries' order by 1`
  ],
  PostgreSQL: [
    "select indexdef from pg_indexes where tablename = 'ledger_entries' order by 1",
    `select tgname, pg_get_triggerdef(oid) as makes from pg_trigger
     where tgrelid = 'ledger_entries'::regclass and not tgisinternal order by 1`,
    `select conname, pg_get_constraintdef(oid) as says from pg_constraint
     where 'ledger_entries'::regclass in (conrelid, confrelid) and conname <> 'ledger_entries_kind_check'
       and contype <> 'n' and conname not like '%queued%' order by 1`
  ]
}

const partsOf = async ({ name }: Engine, { ask }: Made): Promise<ReadonlyArray<unknown>> => {
  const all = await Promise.all((parts[name] ?? []).map((sql) => ask(sql)))
  for (const found of all) assert.isNotEmpty(found)
  return all
}

const upTo = ({ migrations }: Engine, version: string) =>
  Object.fromEntries(Object.entries(migrations).filter(([name]) => name <= version))

interface Entry {
  readonly number: number
  readonly kind: string
  readonly fact?: number
  readonly lines?: string
}

const insert = ({ fact = 1, kind, lines, number }: Entry): string => `
  insert into ledger_entries (sequence, entry_id, ipc_id, kind, amount, payment_reference, debit_account, credit_account,
    effective_at, known_at, part, basis, fact, lines)
  values (${number}, 'entry ${number}', 'I', '${kind}', '1.0000', 'R', 'd', 'c', 'now', 'now', 'settlement', '[]', ${fact},
    ${lines === undefined ? "null" : `'${lines}'`})`

const refused = (outcome: Promise<unknown>, why: RegExp): Promise<void> =>
  outcome.then(
    () => assert.fail("it wasn't refused"),
    (cause: unknown) => assert.match(String(cause), why)
  )

const isReferred = /FOREIGN KEY|foreign key|there is no/i
const lines = '{"9":"-1.0000","a":"0.5000","b \\"c\\"":"0.5000"}'

describe.each(stores)("the entries of version 3 in $name", (engine) => {
  const { empty, isSkipped, migrations, released } = engine

  it.live.skipIf(isSkipped)("have the indexes, triggers and references of version 2", () =>
    Effect.gen(function* () {
      const [old, fresh] = yield* Effect.all([released, empty])
      yield* Effect.promise(async () => {
        await old.migrate(upTo(engine, "0002"))
        const before = await partsOf(engine, old)
        await old.migrate(migrations)
        assert.deepStrictEqual(await partsOf(engine, old), before)
        await fresh.migrate(migrations)
        assert.deepStrictEqual(await partsOf(engine, fresh), before)
      })
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(isSkipped)("are payments, accruals, adjustments or reversals, and nothing else", () =>
    Effect.gen(function* () {
      const old = yield* released
      yield* Effect.promise(async () => {
        await old.migrate(upTo(engine, "0002"))
        const early = insert({ number: 1001, kind: "accrual" })
          .replace(", lines)", ")")
          .replace(/,\s+null\)$/, ")")
        await refused(old.ask(early), /CHECK constraint|ledger_entries_kind_check/)
        await old.migrate(migrations)
        for (const [index, kind] of ["payment", "adjustment", "reversal", "accrual"].entries())
          await old.ask(insert({ number: 1001 + index, kind, lines }))
        for (const kind of ["accruals", "Accrual", "", "payment "])
          await refused(old.ask(insert({ number: 1005, kind })), /CHECK constraint|ledger_entries_kind_check/)
        const [kept] = await old.ask(`select kind, lines from ledger_entries where sequence = 1004`)
        assert.deepStrictEqual({ ...kept }, { kind: "accrual", lines })
      })
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(isSkipped)("can't be changed or removed, refer to facts, and are referred to", () =>
    Effect.gen(function* () {
      const old = yield* released
      const queue = (
        entry: string
      ) => `insert into ledger_outbox (entry_id, sequence, ipc_id, status, queued_at, next_attempt_at)
        values ('${entry}', 1001, 'I', 'draft', 'now', 'now')`
      yield* Effect.promise(async () => {
        await old.migrate(migrations)
        await refused(old.ask(`update ledger_entries set lines = '{}'`), /append-only/)
        await refused(old.ask(`delete from ledger_entries`), /append-only/)
        await refused(old.ask(insert({ number: 1001, kind: "accrual", fact: 99 })), isReferred)
        await refused(old.ask(queue("entry 1001")), isReferred)
        await old.ask(insert({ number: 1001, kind: "accrual", lines }))
        await old.ask(queue("entry 1001"))
        // A second payment of one IPC and reference.
        await old.ask(insert({ number: 1002, kind: "payment" }))
        await refused(old.ask(insert({ number: 1003, kind: "payment" })), /unique/i)
      })
    }).pipe(Effect.scoped)
  )
})
