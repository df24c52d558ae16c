/** The terms when nothing is configured. */
import { rulesVersion } from "../../config/Ledger.ts"
import { unsaid } from "../../config/Certificates.ts"
import type { Terms } from "../../src/Ledger/Fact.ts"

export const contractor: Terms = {
  rules: rulesVersion,
  debitAccount: "bank",
  creditAccount: "receivable",
  currency: null,
  currencies: {},
  minorDigits: null,
  certificates: unsaid,
  openFrom: null,
  inClosedPeriod: "hold",
  timezone: "UTC",
  confirmAbove: null,
  reading: null
}
