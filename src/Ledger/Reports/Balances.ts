/**
 * What was debited and credited in each month to each account of each project, what was brought forward from earlier
 * months, and the balance at the month's end; by company and currency. Can be limited to one project, one account (by
 * its name or its code), or one month. A month has every account that moved in it or has a balance at its end.
 */
import { Effect } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import * as Lines from "../Lines.ts"
import { LedgerError } from "../People/Decide.ts"
import { codeOf } from "../Voucher.ts"
import { type AsOf, companyOf, dayOf, eachEntry } from "./Entries.ts"
import type { Report, Row } from "./Report.ts"

/** Absent for all. */
export interface Only {
  readonly project?: string
  readonly account?: string
  /** Like 2026-09. */
  readonly month?: string
}

interface Moved {
  debit: bigint
  credit: bigint
}

interface Book {
  readonly company: string | null
  readonly project: string | null
  readonly currency: string | null
  readonly account: string
  readonly months: Map<string, Moved>
}

const monthOf = (day: string): string => day.slice(0, 7)

const columns = [
  "company",
  "project",
  "currency",
  "account",
  "code",
  "month",
  "brought_forward",
  "debit",
  "credit",
  "balance"
]

const still: Moved = { debit: 0n, credit: 0n }

/** The requested month, even if nothing moved in it, or all months in which something did. */
const monthsOf = ({ months }: Book, month: string | undefined): ReadonlyArray<string> => {
  const all = [...months.keys()].toSorted()
  if (month === undefined) return all
  return all.some((each) => each <= month) ? [month] : []
}

const rowsOf = (book: Book, code: string, only: Only): ReadonlyArray<Row> => {
  const { account, company, currency, months, project } = book
  return monthsOf(book, only.month).flatMap((month) => {
    let before = 0n
    for (const [each, { credit, debit }] of months) if (each < month) before += debit - credit
    const { credit, debit } = months.get(month) ?? still
    if (before === 0n && debit === 0n && credit === 0n) return []
    return [
      {
        company,
        project,
        currency,
        account,
        code,
        month,
        brought_forward: Amount.sumOfUnits(before),
        debit: Amount.sumOfUnits(debit),
        credit: Amount.sumOfUnits(credit),
        balance: Amount.sumOfUnits(before + debit - credit)
      }
    ]
  })
}

const isMonth = (text: string): boolean => /^[12]\d{3}-(0[1-9]|1[0-2])$/.test(text)

export const balances = ({ chart, day }: AsOf, only: Only) =>
  Effect.gen(function* () {
    if (only.month !== undefined && !isMonth(only.month))
      return yield* new LedgerError({ message: "Say the month like 2026-09." })
    if (only.month !== undefined && only.month > monthOf(day))
      return yield* new LedgerError({ message: `${only.month} comes after ${day}, the day of the report.` })
    const books = new Map<string, Book>()
    const isWanted = (account: string): boolean =>
      only.account === undefined || account === only.account || codeOf(chart, account) === only.account
    yield* eachEntry(day, (entry) => {
      const { currency, project_id: project } = entry
      if (only.project !== undefined && project !== only.project) return
      const [company, month] = [companyOf(chart, project), monthOf(dayOf(entry))]
      for (const { account, units } of Lines.inRow(entry)) {
        if (!isWanted(account)) continue
        const key = JSON.stringify([company, project, currency, account])
        const book = books.get(key) ?? { company, project, currency, account, months: new Map<string, Moved>() }
        const moved = book.months.get(month) ?? { debit: 0n, credit: 0n }
        if (units > 0n) moved.debit += units
        else moved.credit -= units
        book.months.set(month, moved)
        books.set(key, book)
      }
    })
    const ordered = [...books].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, book]) => book)
    return {
      columns,
      rows: ordered.flatMap((book) => rowsOf(book, codeOf(chart, book.account), only))
    } satisfies Report
  })
