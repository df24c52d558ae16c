/**
 * The trial balance: what was debited and credited to each account, by company and currency.
 */
import { Effect } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import * as Lines from "../Lines.ts"
import { codeOf } from "../Voucher.ts"
import type { Report } from "./Report.ts"
import { type AsOf, companyOf, eachEntry } from "./Entries.ts"

interface Sum {
  readonly company: string | null
  readonly currency: string | null
  readonly account: string
  debit: bigint
  credit: bigint
}

export const trialBalance = ({ chart, day }: AsOf) =>
  Effect.gen(function* () {
    const sums = new Map<string, Sum>()
    yield* eachEntry(day, (entry) => {
      const { currency } = entry
      const company = companyOf(chart, entry.project_id)
      for (const { account, units } of Lines.inRow(entry)) {
        const key = JSON.stringify([company, currency, account])
        const sum = sums.get(key) ?? { company, currency, account, debit: 0n, credit: 0n }
        if (units > 0n) sum.debit += units
        else sum.credit -= units
        sums.set(key, sum)
      }
    })
    const ordered = [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum)
    return {
      columns: ["company", "currency", "account", "code", "debit", "credit", "balance"],
      rows: ordered.map(({ account, company, credit, currency, debit }) => ({
        company,
        currency,
        account,
        code: codeOf(chart, account),
        debit: Amount.sumOfUnits(debit),
        credit: Amount.sumOfUnits(credit),
        balance: Amount.sumOfUnits(debit - credit)
      }))
    } satisfies Report
  })
