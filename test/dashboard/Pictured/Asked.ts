/** What is on the lake, what a statement has found, and what the books' reports say on that day. */
import { before, events, newest, points } from "./Day.ts"
import * as Held from "./Held.ts"
import * as Listed from "./Listed.ts"
import * as Looked from "./Looked.ts"

const day = 24 * 3600

const runs = Array.from({ length: 5 }, (_, at) => ({
  run: `202611${26 - at}T020000Z-${["7f3c", "b81e", "04da", "c95a", "e271"][at]}`,
  isNewest: at === 0,
  safeUntil: at === 0 ? null : before(12.4 * 3600 - (7 - at) * day),
  asOf: before(12.5 * 3600 + at * day),
  tables: 14,
  files: 61 - at,
  rows: 412_907 - at * 2611,
  bytes: 38_412_006 - at * 241_377
}))

/** By month: how many IPCs were paid, and for how much. */
const months: ReadonlyArray<readonly [string, string, string]> = [
  ["2026-03-01", "2811", "318442907.5500"],
  ["2026-04-01", "2954", "334018255.0000"],
  ["2026-05-01", "3102", "347719480.7500"],
  ["2026-06-01", "3240", "371204366.2000"],
  ["2026-07-01", "3318", "365990121.4000"],
  ["2026-08-01", "2607", "288316740.0000"],
  ["2026-09-01", "3391", "402551093.9000"],
  ["2026-10-01", "3486", "417380664.2500"],
  ["2026-11-01", "2975", "340122918.6000"]
]

const trialBalance = [
  ["EUR", "bank", "1200", "0.0000", "2703342447.6000"],
  ["EUR", "construction-in-progress", "0710", "2845623629.0500", "0.0000"],
  ["EUR", "retention", "1745", "0.0000", "142281181.4500"],
  ["GBP", "bank", "1210", "0.0000", "310457266.4000"],
  ["GBP", "construction-in-progress", "0710", "326797122.5200", "0.0000"],
  ["GBP", "retention", "1745", "0.0000", "16339856.1200"]
] as const

const signed = (debit: string, credit: string): string => (debit === "0.0000" ? `-${credit}` : debit)

export const sql = `select month, ipcs_paid, certified_amount
from construction.cashflow_by_month
where currency = 'EUR' and month >= '2026-03-01'
order by month`

export const answers = {
  ...Held.answers,
  history: () => ({ stepSeconds: 60, points }),
  events: () => ({ through: newest, events, next: `${before(72)} ${newest - 19}` }),
  ...Listed.answers,
  ...Looked.answers,
  "lake-list": () => ({ lake: "s3://example-lake/construction", runs, fault: null }),
  query: () => ({
    columns: [
      { name: "month", isNumber: false },
      { name: "ipcs_paid", isNumber: true },
      { name: "certified_amount", isNumber: true }
    ],
    rows: months,
    isCut: false,
    isPlan: false
  }),
  report: () => ({
    columns: ["company", "currency", "account", "code", "debit", "credit", "balance"],
    rows: trialBalance.map(([currency, account, code, debit, credit]) => ({
      company: null,
      currency,
      account,
      code,
      debit,
      credit,
      balance: signed(debit, credit)
    }))
  })
}
