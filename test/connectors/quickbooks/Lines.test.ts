/**
 * An entry with more than two lines in QuickBooks: each line with the account, the customer, the class and the texts of
 * its account; and an existing entry is compared line by line.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Chart, LineRule } from "../../../config/Chart.ts"
import { accrued, linesText, takenBack, withheld } from "../Entries.ts"
import type { Stored } from "./Rules.ts"
import { chart, message, reasonOf, taken, within } from "./World.ts"

const rule: LineRule = { account: null, projects: [], taxCode: null, costCode: null, counterparty: null, tracking: {} }
const rules: ReadonlyArray<LineRule> = [
  { ...rule, account: "receivable", counterparty: { kind: "customer", name: "City of Leeds" } },
  { ...rule, account: "revenue", costCode: "03", tracking: { Class: "Bridges:North" } }
]

/** `receivable` is the account of QuickBooks that wants a customer. */
const laidOut: Chart = {
  ...chart,
  accounts: {
    bank: "1000",
    receivable: "1100",
    retention: "2010",
    revenue: "4000",
    VAT: "4010",
    withholding: "2010"
  },
  lines: rules
}

const shown = ({ entry }: Stored): ReadonlyArray<string> =>
  entry.Line.map(
    ({ Amount, JournalEntryLineDetail: { AccountRef, PostingType } }) => `${PostingType} ${AccountRef.value} ${Amount}`
  )

describe("an entry with more than two lines", () => {
  it.effect("is one journal entry with all of them, each by the rules of its account", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started({ chart: laidOut })
        assert.deepStrictEqual(yield* post(message(accrued)), taken)
        const [stored, ...more] = quickBooks.entries
        assert.deepStrictEqual(more, [])
        assert.isDefined(stored)
        assert.deepStrictEqual(shown(stored), [
          "Debit 84 1140.00",
          "Debit 93 50.00",
          "Credit 91 1000.00",
          "Credit 92 190.00"
        ])
        const [receivable, retention, revenue, tax] = stored.entry.Line.map((line) => line.JournalEntryLineDetail)
        assert.deepStrictEqual(receivable?.Entity, { Type: "Customer", EntityRef: { value: "2" } })
        assert.deepStrictEqual(revenue?.ClassRef, { value: "5000000000000007431" })
        for (const other of [retention, revenue, tax]) assert.isUndefined(other?.Entity)
        for (const other of [receivable, retention, tax]) assert.isUndefined(other?.ClassRef)
        assert.match(stored.entry.Line[2]?.Description ?? "", /\(cost code 03\)$/)
      })
    )
  )

  it.effect.each([
    {
      what: "taken back",
      given: takenBack,
      expected: ["Debit 91 1000.00", "Debit 92 190.00", "Credit 84 1140.00", "Credit 93 50.00"]
    },
    {
      what: "a payment with a tax withheld",
      given: withheld,
      expected: ["Debit 35 95.00", "Debit 93 5.00", "Credit 84 100.00"]
    },
    {
      what: "of 24 digits",
      given: {
        lines: linesText(
          ["bank", "123456789012345678901234.5600"],
          ["VAT", "-0.5600"],
          ["revenue", "-123456789012345678901234.0000"]
        )
      },
      expected: ["Debit 35 123456789012345678901234.56", "Credit 92 0.56", "Credit 91 123456789012345678901234.00"]
    }
  ])("$what has its exact amounts, debits first", ({ expected, given }) =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const post = yield* started({ chart: laidOut })
        assert.deepStrictEqual(yield* post(message(given)), taken)
        assert.deepStrictEqual(quickBooks.entries.map(shown), [expected])
      })
    )
  )

  it.effect("is held if one of its amounts has a fraction of a cent, and nothing is sent", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const lines = linesText(["bank", "1.0000"], ["VAT", "-0.0050"], ["revenue", "-0.9950"])
        const verdict = yield* (yield* started({ chart: laidOut }))(message({ lines }))
        assert.strictEqual(verdict._tag, "Held")
        assert.match(reasonOf(verdict), /0\.0050 has a fraction of a cent/)
        assert.lengthOf(quickBooks.came, 0)
      })
    )
  )

  it.effect("is refused in QuickBooks' words if the line on a receivable names no customer", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const verdict = yield* (yield* started({ chart: { ...laidOut, lines: rules.slice(1) } }))(message(accrued))
        assert.strictEqual(verdict._tag, "Refused")
        assert.include(reasonOf(verdict), "you must choose a customer in the Name field")
        assert.lengthOf(quickBooks.entries, 0)
      })
    )
  )

  it.effect("is refused by name if QuickBooks lacks the account of one line, and nothing is posted", () =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        const accounts = { ...laidOut.accounts, VAT: "2200" }
        const verdict = yield* (yield* started({ chart: { ...laidOut, accounts } }))(message(accrued))
        assert.strictEqual(verdict._tag, "Refused")
        assert.include(reasonOf(verdict), 'no active account "2200"')
        assert.lengthOf(quickBooks.entries, 0)
      })
    )
  )

  const found = (change: (text: string) => string) =>
    within(({ quickBooks, started }) =>
      Effect.gen(function* () {
        yield* (yield* started({ chart: laidOut }))(message(accrued))
        const [stored] = quickBooks.entries
        assert.isDefined(stored)
        const text = change(stored.text)
        assert.notStrictEqual(text, stored.text)
        quickBooks.entries[0] = { ...stored, text }
        const verdict = yield* (yield* started({ chart: laidOut }))(message(accrued))
        assert.lengthOf(quickBooks.entries, 1)
        return verdict._tag
      })
    )

  /** Its lines, by a person. */
  const withLines = (change: (lines: ReadonlyArray<string>) => ReadonlyArray<string>) => (text: string) => {
    const [before = "", rest = ""] = text.split('"Line":[')
    const lines = rest.split(/,(?=\{"Amount")/)
    const [last = "", end = ""] = lines.at(-1)?.split(/\](?=\}$)/) ?? []
    return `${before}"Line":[${change([...lines.slice(0, -1), last]).join(",")}]${end}`
  }

  it.effect("is found again, with its lines in any order", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found(withLines((lines) => lines.toReversed())), "Taken")
    })
  )

  it.effect.each([
    { what: "a line less", change: withLines((lines) => lines.slice(1)) },
    { what: "a line more", change: withLines((lines) => [...lines, lines[1]!]) },
    {
      what: "amounts moved between two lines, which leaves the total",
      change: (text: string) =>
        text.replace('"Amount":1140.0', '"Amount":1130.0').replace('"Amount":50.0', '"Amount":60.0')
    },
    { what: "another account on one line", change: (text: string) => text.replace('"value":"93"', '"value":"92"') }
  ])("with $what in QuickBooks is refused", ({ change }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found(change), "Refused")
    })
  )
})
