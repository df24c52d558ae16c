/**
 * Reports of the books as the worker sends them: what each answers, which of its columns are amounts or counts, and what of it a
 * file gets. Pure. The file has every column as the worker wrote it; the view leaves out those that say nothing in any row.
 */
import type { Answer } from "./Api.ts"
import type { Found } from "./Found.ts"

export type Report = Answer<"report">

/** Each with what it answers, and what is said if it has no row. */
export const reports = {
  "trial-balance": {
    words: "Trial balance",
    says: "What was debited and credited to each account, by currency.",
    none: "Nothing was posted by that day."
  },
  balances: {
    words: "By month",
    says: "What moved on each account for each project in each month, what was brought forward, and the balance at its end.",
    none: "Nothing like that was posted by that day."
  },
  statement: {
    words: "Statement",
    says: "What each project is certified, what of it is due and paid, and what is open.",
    none: "Nothing was certified or paid by that day."
  },
  aged: {
    words: "Aged",
    says: "What is open of each IPC, and for how many days since its certificate; the oldest first.",
    none: "Nothing was open on that day."
  },
  unposted: {
    words: "Unposted",
    says: "What waited for a person or for an event, by its question.",
    none: "Nothing waited on that day."
  }
} as const

export type ReportName = keyof typeof reports

/** In the address; anything else is the first. */
export const reportIn = (name: string | null): ReportName =>
  name !== null && Object.hasOwn(reports, name) ? (name as ReportName) : "trial-balance"

const amounts = new Set([
  "brought_forward",
  "debit",
  "credit",
  "balance",
  "certified",
  "held_back",
  "released",
  "added",
  "due",
  "paid",
  "open",
  "amount"
])
const counts = new Set(["ipcs", "unknown", "holds", "days"])

export type Kind = "amount" | "number" | "text"

export const kindOf = (column: string): Kind => {
  if (amounts.has(column)) return "amount"
  return counts.has(column) ? "number" : "text"
}

const titles: Readonly<Record<string, string>> = {
  ipc: "IPC",
  ipcs: "IPCs",
  unknown: "Amount not known",
  oldest: "Oldest since"
}

/** `held_back` is Held back. */
export const titleOf = (column: string): string =>
  titles[column] ?? `${column.slice(0, 1).toUpperCase()}${column.slice(1).replaceAll("_", " ")}`

/** What a statement needs only where certificates are of that kind. */
const rare = new Set(["held_back", "released", "added", "unknown"])

const says = (name: string, value: unknown): boolean =>
  value !== null && value !== undefined && !(rare.has(name) && Number(value) === 0)

/** Amounts have their currency beside them; a company or a code that no row has is no column. */
export const shownOf = ({ columns, rows }: Report): ReadonlyArray<string> =>
  columns.filter((name) => name !== "currency" && rows.some((row) => says(name, row[name])))

export const foundIn = ({ columns, rows }: Report): Pick<Found, "columns" | "rows"> => ({
  columns: columns.map((name) => ({ name, isNumber: kindOf(name) !== "text" })),
  rows: rows.map((row) => columns.map((name) => row[name] ?? null))
})

/** What the balances can be narrowed to, in the address and in the verb. */
export const narrowings = { project: "Project", account: "Account", month: "Month" } as const
export type Narrowing = keyof typeof narrowings
export type Only = Partial<Readonly<Record<Narrowing, string>>>

/** Of this report, in the address; others are of all. */
export const onlyIn = (report: ReportName, query: URLSearchParams): Only =>
  report === "balances"
    ? Object.fromEntries(
        Object.keys(narrowings).flatMap((name) => {
          const value = query.get(name)
          return value === null || value === "" ? [] : [[name, value]]
        })
      )
    : {}

/** A day as the worker takes it. While a year is typed, a field has days of the first century. */
export const isDay = (text: string): boolean => /^[12]\d{3}-\d\d-\d\d$/.test(text)
