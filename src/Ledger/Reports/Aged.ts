/**
 * What is open of each IPC, and since when: a contractor's receivables, an employer's payables. Oldest first.
 */
import { Effect } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import { dateIn } from "../../Domain/CalendarDay.ts"
import { amountsOf } from "../Balance.ts"
import type { Report, Row } from "./Report.ts"
import { type AsOf, companyOf, eachBooks } from "./Entries.ts"
import { postedUnder } from "./PostedUnder.ts"

const dayMs = 86_400_000

const ages = [
  [30, "0-30"],
  [60, "31-60"],
  [90, "61-90"]
] as const

const ageOf = (days: number): string => ages.find(([most]) => days <= most)?.[1] ?? "over 90"

export const aged = (of: AsOf) =>
  Effect.gen(function* () {
    const open: Array<Row & { readonly days: number }> = []
    yield* eachBooks(of, (books) => {
      const { due, newest, paid } = amountsOf(books, of.terms)
      if (newest === undefined || due === undefined || due === paid) return
      const certified = dateIn(newest.at, of.terms.timezone)
      const days = Math.round((Date.parse(of.day) - Date.parse(certified)) / dayMs)
      const { currency, projectId: project } = postedUnder(books, of.terms)
      open.push({
        company: companyOf(of.chart, project),
        project,
        ipc: books.ipcId,
        currency,
        certified_on: certified,
        days,
        age: ageOf(days),
        due: Amount.sumOfUnits(due),
        paid: Amount.sumOfUnits(paid),
        open: Amount.sumOfUnits(due - paid)
      })
    })
    return {
      columns: ["company", "project", "ipc", "currency", "certified_on", "days", "age", "due", "paid", "open"],
      rows: open.toSorted((a, b) => b.days - a.days || (String(a["ipc"]) < String(b["ipc"]) ? -1 : 1))
    } satisfies Report
  })
