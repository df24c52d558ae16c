/**
 * The reports that analysts have as views equal those of the commands, to the last digit, on both engines: for any
 * entries, also those added by hand, taken back, in several currencies, or of more than two lines. SEED=n repeats a
 * run.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { sql } from "kysely"
import type { Row } from "../../../src/Domain/Merge.ts"
import { Copies } from "../../../src/Ledger/Copies.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import type { LedgerError } from "../../../src/Ledger/People/Decide.ts"
import { Warehouse } from "../../../src/Stores/Warehouse.ts"
import { rounds, seed } from "../../Long.ts"
import { type Random, seeded } from "../../Seeded.ts"
import { engines } from "../../Stores/WarehouseEngines.ts"
import { terms as accruing } from "../Accrual/Accruing.ts"
import { certifiedIn } from "../Cumulative/Projects.ts"
import { chart, day, rowsOf } from "../Reported.ts"
import { copy, created, hear, holds, journal, paid } from "../Started.ts"

const terms = { ...accruing, currencies: { "8": "GBP" }, timezone: "Pacific/Auckland" }

const books = Layer.provideMerge(Copies.layer, Ledger.layerWith(terms))

const by = { by: "Ana", reason: "checked" }

/** By people. What can't be done is refused, and changes nothing. */
const done = ({ below, pick }: Random, ipcId: string) =>
  Effect.gen(function* () {
    const { decide, post, reverse } = yield* Ledger
    const hand = { ipcId, amount: String(1 + below(50)), evidence: "letter", reference: undefined, ...by }
    const accounts = pick([
      { debit: undefined, credit: undefined },
      { debit: undefined, credit: "retention" },
      { debit: "receivable", credit: "retention" }
    ])
    const hold = pick([...(yield* holds).map(({ hold_id }) => hold_id), ""])
    const entry = pick([...(yield* journal).map(({ entry_id }) => entry_id), ""])
    const acts: ReadonlyArray<Effect.Effect<unknown, LedgerError | { readonly _tag: "StoreError" }>> = [
      post({ ...hand, ...accounts, currency: pick(["USD", undefined]) }),
      reverse(entry, by),
      decide({ hold, verdict: pick(["accept", "reject"]), amount: pick(["7", undefined]), ...by })
    ]
    yield* Effect.catchTag(pick(acts), "LedgerError", () => Effect.void)
  })

const lived = (random: Random) =>
  Effect.gen(function* () {
    const { below, chance, pick } = random
    for (let received = 1; received < 120; received++) {
      const [id, second] = [`IPC-${below(20)}`, below(30 * day)]
      const event = pick([
        () => certifiedIn(pick(["7", "8", "9"]), id, second, received, String(below(500))),
        () => paid(id, second, received, pick([`PAY-${id}`, `PAY-${id}`, `SECOND-${id}`])),
        () => created(id, second, received, pick(["7", "8"]))
      ])
      yield* hear([event()])
      if (chance(0.15)) yield* done(random, id)
    }
    yield* copy
  })

const shown = (query: string) =>
  Effect.flatMap(Warehouse, (warehouse) => warehouse.query(async (db) => (await sql.raw<Row>(query).execute(db)).rows))

const units = (text: unknown): bigint => BigInt(String(text).replace(".", ""))

const accountsOf = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
  rows
    .map(({ account, balance, company, credit, currency, debit }) =>
      [company, currency, account, units(debit), units(credit), units(balance)].join(" ")
    )
    .toSorted()

/** The days up to one, by company. */
const addedUp = (rows: ReadonlyArray<Row>, asOf: string) => {
  const until = rows.filter((row) => String(row["posting_date"]) <= asOf)
  const companyOf = (row: Row) => chart.companies[row["project_id"] ?? ""] ?? chart.company
  const keyOf = (row: Row) => JSON.stringify([companyOf(row), row["currency"], row["account"]])
  return [...Map.groupBy(until, keyOf)].map(([key, own]) => {
    const [company, currency, account] = JSON.parse(key) as ReadonlyArray<string | null>
    const sum = (name: string) => String(own.reduce((all, row) => all + units(row[name]), 0n))
    return { company, currency, account, debit: sum("debit"), credit: sum("credit"), balance: sum("balance") }
  })
}

const seeds = Array.from({ length: rounds(2, 30) }, (_, round) => seed + round)

describe.each(engines.filter(({ isSkipped }) => !isSkipped))("the views of reports, on $name", ({ layer }) => {
  it.effect.each(seeds)("say the same as the reports (SEED=%s)", (ofRound) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2027, 0, 1))
      yield* lived(seeded(ofRound))
      const balances = yield* shown("select * from construction.ledger_trial_balance")
      for (const asOf of ["2026-11-20", "2026-11-25", "2026-12-05", "2027-01-01"]) {
        assert.deepStrictEqual(
          accountsOf(addedUp(balances, asOf)),
          accountsOf(yield* rowsOf("trial-balance", asOf)),
          asOf
        )
      }
      const unposted = yield* shown("select * from construction.ledger_unposted")
      const inText = (rows: ReadonlyArray<Readonly<Record<string, unknown>>>) =>
        rows
          .map(({ amount, currency, holds: waiting, oldest, reason, unknown }) =>
            [reason, currency, waiting, amount, unknown, oldest].map(String).join(" ")
          )
          .toSorted()
      assert.deepStrictEqual(inText(unposted), inText(yield* rowsOf("unposted")))
      // Otherwise the comparison proves little.
      const entries = yield* journal
      assert.isTrue(entries.some(({ lines }) => lines !== null))
      assert.isAbove(new Set(entries.map(({ currency }) => currency)).size, 1)
      assert.isAbove(unposted.length, 1)
    }).pipe(Effect.provide(Layer.provideMerge(books, layer), { local: true }), Effect.scoped)
  )
})
