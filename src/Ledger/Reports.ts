/**
 * Reports for bookkeepers, as of a day: the trial balance, the balances of each month, what is certified, due and paid
 * in each project, what is open and since when, what waits unposted, and what was repaired after a gap. They count what
 * is posted by that day in the books' time zone, and agree with the books to the last digit. Each reads the Store in
 * pages, so memory doesn't grow with the books.
 */
import { Clock, DateTime, Effect, Option } from "effect"
import type { Chart } from "../../config/Chart.ts"
import { dateIn } from "../Domain/CalendarDay.ts"
import * as Instant from "../Domain/Instant.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import { newestIn } from "./Agreed.ts"
import { LedgerError } from "./People/Decide.ts"
import { aged } from "./Reports/Aged.ts"
import { balances, type Only } from "./Reports/Balances.ts"
import type { AsOf } from "./Reports/Entries.ts"
import type { Report, ReportName } from "./Reports/Report.ts"
import { repaired } from "./Reports/Repaired.ts"
import { statement } from "./Reports/Statement.ts"
import { trialBalance } from "./Reports/TrialBalance.ts"
import { unposted } from "./Reports/Unposted.ts"

type Make = (of: AsOf, only: Only) => Effect.Effect<Report, StoreError | LedgerError, Store>

const reports: Readonly<Record<ReportName, Make>> = {
  "trial-balance": trialBalance,
  balances,
  statement,
  aged,
  unposted,
  repaired
}

const isDay = (text: string): boolean =>
  /^[12]\d{3}-\d{2}-\d{2}$/.test(text) &&
  Option.exists(DateTime.make(text), (day) => DateTime.formatIsoDateUtc(day) === text)

const ofAll = (name: ReportName) =>
  new LedgerError({ message: `Only the report balances can be limited to a project, account or month, not ${name}.` })

/** `day`: defaults to today. */
export const report = Effect.fn("Ledger.report")(function* (
  name: ReportName,
  day: string | undefined,
  chart: Chart,
  only: Only = {}
) {
  if (name !== "balances" && Object.keys(only).length > 0) return yield* ofAll(name)
  if (day !== undefined && !isDay(day)) return yield* new LedgerError({ message: "Say the day like 2026-09-30." })
  const store = yield* Store
  const terms = yield* store.run(newestIn)
  if (terms === undefined) return yield* new LedgerError({ message: "Nothing is posted yet: no worker has started." })
  const today = dateIn(Instant.fromMillis(yield* Clock.currentTimeMillis), terms.timezone)
  return yield* reports[name]({ day: day ?? today, terms, chart }, only)
})
