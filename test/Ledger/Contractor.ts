/** The terms when nothing is configured. */
import type { Terms } from "../../src/Ledger/Fact.ts"

export const contractor: Terms = {
  debitAccount: "bank",
  creditAccount: "receivable",
  currency: null,
  currencies: {},
  openFrom: null,
  inClosedPeriod: "hold"
}
