/** What a stand-in worker answers about reports of the books and the tables that statements can read. */
import { longAgo, markup } from "./ShownStatus.ts"

const trialBalance = {
  columns: ["company", "currency", "account", "code", "debit", "credit", "balance"],
  rows: [
    ["EUR", "Construction in progress", "4000", "1234567.5000", "0.0000", "1234567.5000"],
    ["EUR", markup, null, "0.0000", "1234567.5678", "-1234567.5678"],
    ["JPY", "Construction in progress", "4000", "990000.0000", "0.0000", "990000.0000"]
  ].map(([currency, account, code, debit, credit, balance]) => ({
    company: null,
    currency,
    account,
    code,
    debit,
    credit,
    balance
  }))
}

const statement = {
  columns: [
    "company",
    "project",
    "currency",
    "ipcs",
    "certified",
    "held_back",
    "released",
    "added",
    "due",
    "paid",
    "open",
    "unknown"
  ],
  rows: ["PROJ-1", "PROJ-2"].map((project) => ({
    company: "North",
    project,
    currency: "EUR",
    ipcs: 12,
    certified: "12345678901.0000",
    held_back: "1234567890.1000",
    released: "0.0000",
    added: "-12.5000",
    due: "11111111010.9000",
    paid: "11111111000.9000",
    open: "10.0000",
    unknown: 0
  }))
}

const aged = {
  columns: ["company", "project", "ipc", "currency", "certified_on", "days", "age", "due", "paid", "open"],
  rows: [
    {
      company: null,
      project: "PROJ-1",
      ipc: "IPC-7",
      currency: "EUR",
      certified_on: "2026-09-01",
      days: 87,
      age: "61-90",
      due: "1234.5000",
      paid: "1000.0000",
      open: "234.5000"
    }
  ]
}

const unposted = {
  columns: ["reason", "currency", "holds", "amount", "unknown", "oldest"],
  rows: [
    { reason: "over-payment", currency: "EUR", holds: 3, amount: "1234.5000", unknown: 1, oldest: longAgo },
    { reason: "currency-unknown", currency: null, holds: 1, amount: "12.0000", unknown: 0, oldest: longAgo }
  ]
}

/** More than a browser lays out at once. */
const byMonth = Array.from({ length: 301 }, (_, place) => ({
  company: null,
  project: place === 0 ? markup : `PROJ-${place}`,
  currency: "EUR",
  account: "Construction in progress",
  code: "4000",
  month: place < 2 ? "2026-10" : "2026-09",
  brought_forward: "-1234567.5678",
  debit: "1234567.5000",
  credit: "0.0000",
  balance: "-0.0678"
}))

const balances = ({ month, project }: Readonly<Record<string, unknown>>) => ({
  columns: Object.keys(byMonth[0]!),
  rows: byMonth.filter((row) => (project ?? row.project) === row.project && (month ?? row.month) === row.month)
})

const reports: Readonly<Record<string, unknown>> = { "trial-balance": trialBalance, statement, aged, unposted }

const column = (name: string, type: string, says: string) => ({ name, type, says })

export const tables = {
  tables: [
    {
      name: "ipcs",
      says: "Interim payment certificates.",
      kind: "records",
      key: "id",
      of: null,
      columns: [
        column("id", "VARCHAR", `Its id in the service. ${markup}`),
        column("status", "VARCHAR", "Like `paid`, as the service says it.")
      ]
    },
    {
      name: "cashflow_by_month",
      says: "What was paid in each month.",
      kind: "view",
      key: null,
      of: null,
      columns: [column("month", "DATE", "The first day of it.")]
    }
  ]
}

export const answers = {
  report: ({ asOf, name, ...only }: Readonly<Record<string, unknown>>) => {
    if (asOf === "2026-01-01") return { ...trialBalance, rows: [] }
    return name === "balances" ? balances(only) : reports[String(name)]
  },
  tables: () => tables
}
