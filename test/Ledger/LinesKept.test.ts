/**
 * Entries with two lines and with more, with hostile names of accounts and amounts of any size: the view `ledger_lines`, the
 * journal and the trial balance have every line exactly, on each engine.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { sql } from "kysely"
import { plain } from "../../config/Chart.ts"
import { Copies } from "../../src/Ledger/Copies.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { report } from "../../src/Ledger/Reports.ts"
import { columns, type JournalLine } from "../../src/Stores/JournalLines.ts"
import type { Store } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { accrued, type Given, linesText, shifted, takenBack, withheld } from "../connectors/Entries.ts"
import { forSeeds } from "../Seeded.ts"
import { engines } from "../Stores/WarehouseEngines.ts"
import { contractor } from "./Contractor.ts"
import * as Journals from "./Files/Journals.ts"
import { copy, hear, keep, payment } from "./Started.ts"

const most = "123456789012345678901234.5678"

const fixed: ReadonlyArray<Given> = [
  accrued,
  takenBack,
  withheld,
  shifted,
  { amount: "-7.5000" },
  {
    amount: most,
    lines: linesText(
      ["1400", most],
      ["9", "-1.0000"],
      ["__proto__", "1.0000"],
      ['a "b", \\ c', `-${most}`],
      ["", "0.0001"],
      ["'; drop table x --\u2028", "-0.0001"]
    )
  },
  // More lines than two are kept even of two.
  { kind: "accrual", amount: "2.0000", lines: linesText(["b", "-2.0000"], ["a", "2.0000"]) }
]

/** As texts, what no Store holds isn't among them. */
const random = (): ReadonlyArray<Given> => {
  const all: Array<Given> = []
  forSeeds(6, (random, seed) => {
    const rows = Journals.rows(random, { count: 50 })
    all.push(
      ...rows.map(({ credit_account: given, debit_account, ...row }, index) => {
        const credit_account = given === debit_account ? `not ${given}` : given
        const own = { ipc_id: `IPC ${index}`, payment_reference: `PAY ${seed} ${index}`, certificate_url: null }
        return { ...row, ...own, debit_account, credit_account }
      })
    )
  })
  return all
}

/** A payment by its events, then these. */
const kept = Effect.gen(function* () {
  yield* hear(payment("A"))
  const entries = yield* keep([...fixed, ...random()])
  yield* copy
  return entries
})

interface Shown {
  readonly entry_id: string
  readonly account: string
  readonly debit: string
  readonly credit: string
}

const keyOf = ({ account, credit, debit, entry_id }: Shown): string =>
  JSON.stringify([entry_id, account, debit, credit])

const amountOf = (units: bigint): string => (units > 0n ? Journals.decimal(units) : "0.0000")

const expectedOf = (row: Journals.Row): ReadonlyArray<Shown> =>
  Journals.linesOf(row).map(({ account, units }) => ({
    entry_id: row.entry_id,
    account,
    debit: amountOf(units),
    credit: amountOf(-units)
  }))

const sumOf = (lines: ReadonlyArray<Shown>, side: "credit" | "debit"): bigint =>
  lines.reduce((sum, line) => sum + Journals.unitsOf(line[side]), 0n)

describe.each(engines)("entries with more than two lines, in $name", ({ isSkipped, layer }) => {
  const test = (fact: string, body: Effect.Effect<void, unknown, Copies | Ledger | Store | Warehouse>) =>
    it.live.skipIf(isSkipped)(fact, () =>
      Effect.scoped(
        Effect.provide(body, Layer.provideMerge(Layer.merge(Ledger.layerWith(contractor), Copies.layer), layer))
      )
    )

  test(
    "are in the view ledger_lines with each of them, balanced",
    Effect.gen(function* () {
      const entries = yield* kept
      const lines = yield* (yield* Warehouse).query(async (db) => {
        const { rows } = await sql<Shown>`
          select entry_id, account, cast(debit as varchar) as debit, cast(credit as varchar) as credit
          from construction.ledger_lines order by entry_id`.execute(db)
        return rows
      })
      const found = lines.filter(({ entry_id }) => entry_id.startsWith("000"))
      assert.deepStrictEqual(found.map(keyOf).toSorted(), entries.flatMap(expectedOf).map(keyOf).toSorted())
      for (const own of Map.groupBy(lines, ({ entry_id }) => entry_id).values()) {
        assert.strictEqual(sumOf(own, "debit"), sumOf(own, "credit"))
        assert.isTrue(own.every(({ credit, debit }) => (credit === "0.0000") !== (debit === "0.0000")))
      }
    })
  )

  test(
    "are in the journal in their order, debits before credits",
    Effect.gen(function* () {
      const entries = yield* kept
      const read: Array<JournalLine> = []
      const snapshot = yield* (yield* Warehouse).snapshot
      yield* snapshot.readJournal(async (lines) => void read.push(...lines))
      const named = read.map((cells) => Object.fromEntries(columns.map((name, index) => [name, cells[index] ?? null])))
      const own = named.filter(
        ({ entry_id }) => entry_id?.startsWith("000") === true
      ) as ReadonlyArray<unknown> as ReadonlyArray<Shown & { readonly sequence: string; readonly kind: string }>
      assert.deepStrictEqual(
        own.map(({ sequence }) => Number(sequence)),
        entries.flatMap((row) => Journals.linesOf(row).map(() => row.sequence))
      )
      for (const [index, line] of own.entries()) {
        const before = own[index - 1]
        if (before?.entry_id === line.entry_id && before.debit === "0.0000") assert.strictEqual(line.debit, "0.0000")
      }
      assert.deepStrictEqual(own.map(keyOf).toSorted(), entries.flatMap(expectedOf).map(keyOf).toSorted())
      assert.include(
        own.map(({ kind }) => kind),
        "accrual"
      )
    }).pipe(Effect.scoped)
  )

  test(
    "add up in the trial balance, which adds up to zero",
    Effect.gen(function* () {
      const entries = yield* kept
      const { rows } = yield* report("trial-balance", "2026-12-31", plain)
      const sums = new Map<string, { debit: bigint; credit: bigint }>()
      const add = (key: string, units: bigint) => {
        const sum = sums.get(key) ?? { debit: 0n, credit: 0n }
        if (units > 0n) sum.debit += units
        else sum.credit -= units
        sums.set(key, sum)
      }
      // What the events posted.
      add(Journals.key("bank", null), 50_000n)
      add(Journals.key("receivable", null), -50_000n)
      for (const { account, row, units } of Journals.eachLine(entries)) add(Journals.key(account, row.currency), units)
      assert.deepStrictEqual(
        new Map(
          rows
            .map((row) => {
              const key = Journals.key(String(row["account"]), row["currency"] as string | null)
              assert.strictEqual(row["code"], row["account"])
              const [debit, credit] = [Journals.unitsOf(String(row["debit"])), Journals.unitsOf(String(row["credit"]))]
              assert.strictEqual(Journals.unitsOf(String(row["balance"])), debit - credit)
              return [key, { debit, credit }] as const
            })
            .toSorted()
        ),
        new Map([...sums].toSorted())
      )
      for (const own of Map.groupBy(rows, (row) => row["currency"]).values())
        assert.strictEqual(
          own.reduce((sum, row) => sum + Journals.unitsOf(String(row["balance"])), 0n),
          0n
        )
    })
  )
})
