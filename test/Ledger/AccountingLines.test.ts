/**
 * The books compared with accounting, line by line; and entries that only accounting has: an accrual comes into the
 * books only with its lines.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { AccountingFact, Fact } from "../../src/Ledger/Fact.ts"
import * as Comparison from "../../src/Ledger/People/Comparison.ts"
import * as Rows from "../../src/Ledger/Rows.ts"
import { factsOf } from "../../src/Ledger/StoredBooks.ts"
import { Store } from "../../src/Stores/Store.ts"
import { accrued, type Given, idOf, takenBack, withheld } from "../connectors/Entries.ts"
import { accruedUnits, inFolder, read, type Sent, sent, units } from "./AccountingFiles.ts"
import { at, hear, keep, payment, started } from "./Started.ts"

/** The books have entry 1, a payment by its events, and these after it. */
const compared = (ours: ReadonlyArray<Given>, has: ReadonlyArray<Sent>) =>
  inFolder((path) =>
    started(
      path,
      Effect.gen(function* () {
        yield* hear(payment("A"))
        yield* keep(ours)
        const { lines } = yield* read(path, "has.jsonl", has.map((each) => JSON.stringify(each)).join("\n"))
        return yield* (yield* Store).run((db) => Comparison.compare(db, lines))
      })
    )
  )

const without = (given: Sent, ...names: ReadonlyArray<string>): Sent =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !names.includes(name)))

describe("the books beside what accounting has", () => {
  const ours = [accrued, { ...withheld, ipc_id: "13" }, { amount: "-7.5000", kind: "adjustment" as const }]

  it.effect("are the same if every line is, and if the file says none", () =>
    Effect.gen(function* () {
      const has = ours.map((given, index) => sent(index + 2, given))
      assert.deepInclude(yield* compared(ours, has), { same: 3, different: [], unknown: [] })
      const bare = has.map((each) => without(each, "lines", "kind"))
      assert.deepInclude(yield* compared(ours, bare), { same: 3, different: [], unknown: [] })
    })
  )

  it.effect.each([
    {
      what: "an amount moved between two accounts",
      lines: { receivable: "1130", retention: "60", revenue: "-1000", VAT: "-190" },
      there: "receivable 1130.0000 + retention 60.0000 / VAT 190.0000 + revenue 1000.0000"
    },
    {
      what: "a line less",
      lines: { receivable: "1190", revenue: "-1000", VAT: "-190" },
      there: "receivable 1190.0000 / VAT 190.0000 + revenue 1000.0000"
    },
    {
      what: "another account",
      lines: { receivable: "1140", escrow: "50", revenue: "-1000", VAT: "-190" },
      there: "escrow 50.0000 + receivable 1140.0000 / VAT 190.0000 + revenue 1000.0000"
    }
  ])("differ by $what, in a sentence", ({ lines, there }) =>
    Effect.gen(function* () {
      const { different, same } = yield* compared([accrued], [{ ...sent(2, accrued), lines }])
      const here = "receivable 1140.0000 + retention 50.0000 / VAT 190.0000 + revenue 1000.0000"
      assert.deepStrictEqual(different, [`Entry ${idOf(2)} has ${here} here and ${there} there.`])
      assert.strictEqual(same, 0)
    })
  )

  it.effect("differ by one account of an entry with two lines", () =>
    Effect.gen(function* () {
      const { different } = yield* compared([{}], [{ ...sent(2), lines: { escrow: "1250", receivable: "-1250" } }])
      assert.deepStrictEqual(different, [
        `Entry ${idOf(2)} has bank 1250.0000 / receivable 1250.0000 here and escrow 1250.0000 / receivable 1250.0000 there.`
      ])
    })
  )
})

describe("an entry that only accounting has", () => {
  const [accrual, back, paid] = [sent(8, accrued), sent(9, takenBack), sent(10, withheld)]

  it.effect("is told apart by accruals and payments", () =>
    Effect.gen(function* () {
      const { unknown } = yield* compared([], [accrual, back, paid, sent(11, { ...accrued, currency: "USD" })])
      assert.deepStrictEqual(unknown, [
        { currency: "EUR", isAccrued: true, entries: 2, amount: "0.0000" },
        { currency: "EUR", isAccrued: false, entries: 1, amount: "100.0000" },
        { currency: "USD", isAccrued: true, entries: 1, amount: "1000.0000" }
      ])
    })
  )

  it.effect("and is an accrual, or takes one back, is taken over with its lines only", () =>
    Effect.gen(function* () {
      const asks = (number: number) =>
        `Entry ${idOf(number)} isn't in the books, and is an accrual, or takes one back: the file has to say its lines, as the entry was sent.`
      const { different } = yield* compared(
        [],
        [without(accrual, "lines"), without(back, "lines"), without(paid, "lines")]
      )
      assert.deepStrictEqual(different, [asks(8), asks(9)])
      const kindless = yield* compared([], [without(accrual, "kind"), without(paid, "kind")])
      assert.deepStrictEqual(kindless.different, [
        `Entry ${idOf(8)} isn't in the books, and its payment_reference is its ipc_id, as an accrual's: the file has to say its kind.`
      ])
      const nameless = yield* compared([], [without(accrual, "ipc_id"), without(back, "payment_reference")])
      for (const sentence of nameless.different) assert.include(sentence, "the file doesn't say its ipc_id and")
      assert.lengthOf(nameless.different, 2)
    })
  )

  it.effect(
    "comes into the fact with its kind and lines, as far as the file says them, and is read as it was written",
    () =>
      Effect.gen(function* () {
        const comparison = yield* compared([], [accrual, back, paid, without(sent(11), "kind", "lines")])
        const [fact, ...others] = Comparison.factsOf(comparison, { by: "Ana", reason: "compared", at: at(9) })
        assert.deepStrictEqual(others, [])
        const has = (fact as AccountingFact).has
        const effectiveAt = "2026-03-01T09:00:00.000000Z"
        assert.deepStrictEqual(has, [
          {
            entryId: idOf(8),
            units: 10_000_000n,
            currency: "EUR",
            reference: "12",
            effectiveAt,
            kind: "accrual",
            lines: accruedUnits
          },
          {
            entryId: idOf(9),
            units: -10_000_000n,
            currency: "EUR",
            reference: "12",
            effectiveAt,
            kind: "accrual",
            lines: accruedUnits.map(({ account, units: moved }) => ({ account, units: -moved }))
          },
          {
            entryId: idOf(10),
            units: 1_000_000n,
            currency: "EUR",
            reference: "PAY-10",
            effectiveAt,
            lines: units({ bank: "95.0000", receivable: "-100.0000", withholding: "5.0000" })
          },
          { entryId: idOf(11), units: 12_500_000n, currency: "EUR", reference: "PAY-11", effectiveAt }
        ])
        const numbered = { ...fact, number: 4 } as Fact
        assert.deepStrictEqual(Rows.toFact({ ...Rows.factRow(numbered), chain: null }), numbered)
        // And through a Store.
        const stored = yield* inFolder((path) =>
          started(
            path,
            Effect.gen(function* () {
              const store = yield* Store
              yield* store.transaction((tx) =>
                tx
                  .insertInto("ledger_facts")
                  .values({ ...Rows.factRow(numbered), chain: null })
                  .execute()
              )
              return yield* store.run((db) => factsOf(db, ["12"]))
            })
          )
        )
        assert.deepStrictEqual(stored.get("12"), [numbered])
      })
  )
})
