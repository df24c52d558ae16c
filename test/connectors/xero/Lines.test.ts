/**
 * An entry with more than two lines in Xero: each line with the tax, the tracking and the texts of its account; and an
 * existing journal is compared line by line.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LineRule } from "../../../config/Chart.ts"
import * as Json from "../../../src/Domain/Json.ts"
import { accrued, linesText, takenBack, withheld } from "../Entries.ts"
import type { StandIn } from "./StandIn.ts"
import type { Line } from "./StandInJournals.ts"
import { chart, inForgetfulXero, inXero, mark, message, ownIn, reasonOf, started } from "./XeroWorld.ts"

const accounts = {
  ...chart.accounts,
  receivable: "611",
  retention: "612",
  revenue: "200",
  VAT: "820",
  withholding: "830"
}
const rule: LineRule = { account: null, projects: [], taxCode: null, costCode: null, counterparty: null, tracking: {} }
const rules: ReadonlyArray<LineRule> = [
  { ...rule, account: "revenue", taxCode: "OUTPUT2", tracking: { Project: "{project}" } },
  { ...rule, account: "receivable", taxCode: "NONE", counterparty: { kind: "customer", name: "City of Springfield" } },
  { ...rule, taxCode: "NONE", costCode: "03" }
]
const laidOut = { chart: { ...chart, accounts, lines: rules } }

/** Xero knows the accounts of the chart. */
const opened = (server: StandIn): void => {
  for (const code of ["611", "612", "820", "830"]) server.journals.accounts.set(code, "CURRENT")
}

const shown = (lines: ReadonlyArray<Line>) =>
  lines.map(({ AccountCode, Description, LineAmount, TaxType, Tracking }) => ({
    account: AccountCode,
    amount: Json.numberText(LineAmount) ?? JSON.stringify(LineAmount),
    tax: TaxType,
    says: Description,
    tracked: Tracking?.map(({ Option }) => Option)
  }))

describe("an entry with more than two lines", () => {
  it.live("is one journal with all of them, each by the rules of its account", () =>
    inXero((server) =>
      Effect.gen(function* () {
        opened(server)
        const adapter = yield* started(server, laidOut)
        assert.deepStrictEqual(yield* adapter.post(message(1, accrued)), { _tag: "Taken" })
        const [journal, ...more] = server.journals.all
        assert.deepStrictEqual(more, [])
        assert.strictEqual(journal?.LineAmountTypes, "Inclusive")
        assert.deepStrictEqual(shown(journal?.JournalLines ?? []), [
          { account: "611", amount: "1140.00", tax: "NONE", says: "12, City of Springfield", tracked: [] },
          { account: "612", amount: "50.00", tax: "NONE", says: "12, 03", tracked: [] },
          { account: "200", amount: "-1000.00", tax: "OUTPUT2", says: "12", tracked: ["7"] },
          { account: "820", amount: "-190.00", tax: "NONE", says: "12, 03", tracked: [] }
        ])
      })
    )
  )

  it.live.each([
    {
      what: "taken back",
      given: takenBack,
      expected: ["200 1000.00", "820 190.00", "611 -1140.00", "612 -50.00"]
    },
    { what: "a payment with a tax withheld", given: withheld, expected: ["880 95.00", "830 5.00", "611 -100.00"] },
    {
      what: "of 24 digits",
      given: {
        lines: linesText(
          ["bank", "123456789012345678901234.5600"],
          ["VAT", "-0.5600"],
          ["revenue", "-123456789012345678901234.0000"]
        )
      },
      expected: ["880 123456789012345678901234.56", "820 -0.56", "200 -123456789012345678901234.00"]
    }
  ])("$what has its exact amounts, debits first", ({ expected, given }) =>
    inXero((server) =>
      Effect.gen(function* () {
        opened(server)
        const adapter = yield* started(server, laidOut)
        assert.strictEqual((yield* adapter.post(message(1, given)))._tag, "Taken")
        const lines = shown(server.journals.all[0]?.JournalLines ?? [])
        assert.deepStrictEqual(
          lines.map(({ account, amount }) => `${account} ${amount}`),
          expected
        )
      })
    )
  )

  it.live("is held if one of its amounts has more than two decimals, and nothing is sent", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server, laidOut)
        const lines = linesText(["bank", "1.0000"], ["VAT", "-0.0050"], ["revenue", "-0.9950"])
        const verdict = yield* adapter.post(message(1, { lines }))
        assert.strictEqual(verdict._tag, "Held")
        assert.match(reasonOf(verdict), /amount of 0\.0050 has more than two decimals/)
        assert.deepStrictEqual(server.asked, [])
      })
    )
  )

  it.live("with a line on an account that Xero keeps for itself is refused in Xero's words", () =>
    inXero((server) =>
      Effect.gen(function* () {
        opened(server)
        server.journals.accounts.set("611", "DEBTORS")
        const verdict = yield* (yield* started(server, laidOut)).post(message(1, accrued))
        assert.strictEqual(verdict._tag, "Refused")
        assert.include(reasonOf(verdict), "Account code '611' is not a valid code")
      })
    )
  )

  const found = (change: (lines: ReadonlyArray<Line>) => ReadonlyArray<Line>, options = laidOut) =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        opened(server)
        yield* (yield* started(server, options)).post(message(1, accrued))
        const [journal] = server.journals.all
        if (journal === undefined) return assert.fail("no journal")
        journal.JournalLines = change(journal.JournalLines)
        const verdict = yield* (yield* started(server, options)).post(message(1, accrued))
        assert.lengthOf(ownIn(server, 1), 1)
        return verdict._tag
      })
    )

  it.live("is found again, with its lines in any order and more tracking", () =>
    Effect.gen(function* () {
      const reordered = yield* found((lines) =>
        lines.toReversed().map((line) => ({ ...line, Tracking: [...(line.Tracking ?? []), north] }))
      )
      assert.strictEqual(reordered, "Taken")
    })
  )
  const north = { Name: "Region", Option: "South" }

  it.live.each([
    { what: "a line less", change: (lines: ReadonlyArray<Line>) => lines.slice(1) },
    { what: "a line more", change: (lines: ReadonlyArray<Line>) => [...lines, { LineAmount: 0, AccountCode: "200" }] },
    {
      what: "amounts moved between two lines, which leaves the total",
      change: ([first, second, ...rest]: ReadonlyArray<Line>) => [
        { ...first!, LineAmount: 1130 },
        { ...second!, LineAmount: 60 },
        ...rest
      ]
    },
    {
      what: "two accounts exchanged",
      change: ([first, second, ...rest]: ReadonlyArray<Line>) => [
        { ...first!, AccountCode: second!.AccountCode ?? "" },
        { ...second!, AccountCode: first!.AccountCode ?? "" },
        ...rest
      ]
    },
    {
      what: "the tax of one line",
      change: (lines: ReadonlyArray<Line>) => lines.map((line) => ({ ...line, TaxType: "NONE" }))
    },
    {
      what: "the tracking of one line",
      change: (lines: ReadonlyArray<Line>) => lines.map((line) => ({ ...line, Tracking: [] }))
    }
  ])("with $what in Xero is refused", ({ change }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found(change), "Refused")
    })
  )

  it.live.each([
    { taxes: ["NONE", "OUTPUT2"], tag: "Taken" },
    { taxes: ["OUTPUT2", "NONE"], tag: "Taken" },
    { taxes: ["NONE", "NONE"], tag: "Refused" }
  ])("whose accounts are one there is $tag, if their lines have the taxes $taxes", ({ tag, taxes }) =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const lines = linesText(["retention", "50.0000"], ["receivable", "50.0000"], ["revenue", "-100.0000"])
        const shared = { ...accounts, retention: "880", receivable: "880" }
        const taxed = { ...rule, account: "receivable", taxCode: "OUTPUT2" }
        server.journals.enter({
          Narration: mark(1),
          JournalLines: [
            ...taxes.map((TaxType) => ({ LineAmount: 50, AccountCode: "880", TaxType })),
            { LineAmount: -100, AccountCode: "200", TaxType: "NONE" }
          ]
        })
        const adapter = yield* started(server, { chart: { ...chart, accounts: shared, lines: [taxed] } })
        assert.strictEqual((yield* adapter.post(message(1, { ...accrued, lines })))._tag, tag)
        assert.strictEqual(server.puts.length, 0)
      })
    )
  )
})
