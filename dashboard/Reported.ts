/**
 * Reports of the books as the worker sends them: what each report answers, which of its columns are amounts or counts,
 * and which go into a file. Pure. The file has every column as the worker wrote it; the view leaves out columns that
 * are empty in every row.
 */
import type { Answer } from "./Api.ts"
import type { Found } from "./Found.ts"

export type Report = Answer<"report">

/** Each report with its question, and the text for a report without rows. */
export const reports = {
  "trial-balance": {
    words: "Trial balance",
    says: "What was debited and credited to each account, by currency.",
    none: "Nothing was posted by that day."
  },
  balances: {
    words: "By month",
    says: "The movements on each account for each project in each month, the balance brought forward, and that at the month's end.",
    none: "Nothing that matches was posted by that day."
  },
  statement: {
    words: "Statement",
    says: "What was certified for each project, how much of it is due and paid, and what is open.",
    none: "Nothing was certified or paid by that day."
  },
  aged: {
    words: "Aged",
    says: "What is open for each IPC, and for how many days since its certificate; the oldest first.",
    none: "Nothing was open on that day."
  },
  unposted: {
    words: "Unposted",
    says: "What waited for a person or for an event, by its question.",
    none: "Nothing waited on that day."
  }
} as const

export type ReportName = keyof typeof reports

/** From the address; an unknown name means the first report. */
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

/** `held_back` becomes Held back. */
export const titleOf = (column: string): string =>
  titles[column] ?? `${column.slice(0, 1).toUpperCase()}${column.slice(1).replaceAll("_", " ")}`

/** Columns of a statement that are needed only for some kinds of certificates. */
const rare = new Set(["held_back", "released", "added", "unknown"])

const says = (name: string, value: unknown): boolean =>
  value !== null && value !== undefined && !(rare.has(name) && Number(value) === 0)

/** Amounts have their currency beside them; a company or code column that is empty in every row isn't shown. */
export const shownOf = ({ columns, rows }: Report): ReadonlyArray<string> =>
  columns.filter((name) => name !== "currency" && rows.some((row) => says(name, row[name])))

export const foundIn = ({ columns, rows }: Report): Pick<Found, "columns" | "rows"> => ({
  columns: columns.map((name) => ({ name, isNumber: kindOf(name) !== "text" })),
  rows: rows.map((row) => columns.map((name) => row[name] ?? null))
})

/** How the balances can be narrowed, in the address and in the verb. */
export const narrowings = { project: "Project", account: "Account", month: "Month" } as const
export type Narrowing = keyof typeof narrowings
export type Only = Partial<Readonly<Record<Narrowing, string>>>

/** The narrowing of this report, from the address; other reports can't be narrowed. */
export const onlyIn = (report: ReportName, query: URLSearchParams): Only =>
  report === "balances"
    ? Object.fromEntries(
        Object.keys(narrowings).flatMap((name) => {
          const value = query.get(name)
          return value === null || value === "" ? [] : [[name, value]]
        })
      )
    : {}

/** A day in the worker's form. While a year is being typed, a field contains days of the first century. */
export const isDay = (text: string): boolean => /^[12]\d{3}-\d\d-\d\d$/.test(text)
