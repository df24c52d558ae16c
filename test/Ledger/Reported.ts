/** Books of two companies over a month, and what reports say of them. */
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Chart, plain } from "../../config/Chart.ts"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { report } from "../../src/Ledger/Reports.ts"
import type { ReportName } from "../../src/Ledger/Reports/Report.ts"
import { contractor } from "./Contractor.ts"
import { certifiedIn } from "./Cumulative/Projects.ts"
import { created, hear, paid } from "./Started.ts"

export const day = 86_400

/** Project 7 is cumulative, before 5 % retention and 20 % tax, in pounds; 8 belongs to another company. */
export const terms: Terms = {
  ...contractor,
  currency: "EUR",
  currencies: { "7": "GBP" },
  minorDigits: {},
  timezone: "Europe/Berlin",
  certificates: {
    standard: "each",
    payable: [],
    byProject: {
      "7": {
        amounts: "cumulative",
        certifiedBefore: "0.0000",
        payable: [
          { name: "retention", percent: "-50000", amount: null, of: "payable", cap: null },
          { name: "VAT", percent: "200000", amount: null, of: "payable", cap: null }
        ]
      }
    }
  }
}

export const chart: Chart = { ...plain, accounts: { bank: "1200" }, company: "North", companies: { "8": "South" } }

export const rowsOf = (name: ReportName, asOf?: string) => Effect.map(report(name, asOf, chart), ({ rows }) => rows)

/** The books begin on 20 November. A and B are of project 7, C and D of 8; D isn't paid. */
export const happened = Effect.gen(function* () {
  yield* TestClock.setTime(Date.UTC(2026, 11, 31, 12))
  yield* hear([certifiedIn("7", "A", day, 1, "100"), paid("A", 2 * day, 2)])
  yield* hear([certifiedIn("7", "B", 5 * day, 3, "300"), certifiedIn("8", "C", day, 4, "50"), paid("C", 6 * day, 5)])
  yield* hear([paid("B", 11 * day - 1, 6), certifiedIn("8", "D", 3 * day, 7, "80"), created("E", 1, 8, "8")])
  yield* hear([paid("E", 8 * day, 9)])
})
