/**
 * An export for readers of the lake, and the expected answers to the questions of docs/reading-the-lake.md.
 */
import { readFileSync } from "node:fs"
import { Effect } from "effect"
import type { Change } from "../../src/Domain/Change.ts"
import type { EntityName } from "../../src/Domain/Resource.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import { accrued, takenBack } from "../connectors/Entries.ts"
import { event, ipc, on, run, write } from "./ExportWorld.ts"

const text = readFileSync(new URL("../../docs/reading-the-lake.md", import.meta.url), "utf8")

/** The blocks that DuckDB runs, below their headings. */
export const blocks = (heading: string): ReadonlyArray<string> => {
  const [, section = ""] = text.split(`\n## ${heading}\n`)
  return [...(section.split("\n## ")[0] ?? "").matchAll(/^```sql\n(.*?)^```/gms)].map(([, sql = ""]) => sql)
}

const record = (entity: EntityName, id: string, values: Readonly<Record<string, string>>): Change => ({
  ...ipc(id, "0.0000"),
  entity,
  values,
  extra: {}
})

export const project = record("projects", "7", { name: "Harbour" })

const changes = [
  project,
  {
    ...ipc("IPC-1", "100.1000"),
    values: { ...ipc("IPC-1", "100.1000").values, paid_at: "2026-11-19T12:00:00.000000Z" }
  },
  {
    ...ipc("IPC-2", "0.2000"),
    values: { ...ipc("IPC-2", "0.2000").values, submitted_at: "2020-01-01T00:00:00.000000Z" }
  },
  record("projects", "9", { name: "Tunnel" }),
  {
    ...ipc("IPC-3", "5.0000"),
    values: { ...ipc("IPC-3", "5.0000").values, project_id: "9", submitted_at: "2020-01-01T00:00:00.000000Z" }
  },
  record("vos", "VO-1", {
    project_id: "7",
    created_at: "2026-10-01T00:00:00.000000Z",
    agreed_at: "2026-10-04T12:00:00.000000Z",
    total_cost_impact: "10.0000",
    final_amount: "9.9000"
  }),
  record("vos", "VO-2", {
    project_id: "9",
    created_at: "2026-10-01T00:00:00.000000Z",
    agreed_at: "2026-10-03T00:00:00.000000Z",
    total_cost_impact: "10.0000",
    final_amount: "8.0000"
  }),
  record("hse_incidents", "H-1", { classification: "near miss", reported_at: "2026-11-02T00:00:00.000000Z" })
]

export const entry = (number: number, amount: string, knownAt: string) => ({
  entry_id: `entry-${number}`,
  sequence: String(number),
  ipc_id: "IPC-1",
  project_id: "7",
  kind: "payment",
  amount,
  currency: "EUR",
  debit_account: "bank",
  credit_account: "receivable",
  effective_at: "2026-10-31T12:00:00.000000Z",
  known_at: knownAt,
  event_id: "e",
  basis: "[]"
})

/** Like `accrued`. */
const accrual = (number: number, day: string) => ({
  ...entry(number, "1000.0000", `${day}T00:00:00.000000Z`),
  kind: "accrual",
  lines: accrued.lines ?? null
})

const entries = [
  entry(1, "100.1000", "2026-11-01T00:00:00.000000Z"),
  entry(2, "-0.1000", "2026-11-20T00:00:00.000000Z"),
  { ...entry(3, "3.0000", "2026-11-01T00:00:00.000000Z"), ipc_id: "IPC-4", project_id: "9", currency: "USD" },
  // What became due, and was taken back; then what is due.
  accrual(4, "2026-10-30"),
  {
    ...accrual(5, "2026-10-30"),
    kind: "reversal",
    amount: "-1000.0000",
    lines: takenBack.lines ?? null,
    reverses: "entry-4"
  },
  accrual(6, "2026-11-01")
]

const hold = (number: number, reason: string, amount: string | null) => ({
  hold_id: `hold-${number}`,
  ipc_id: `IPC-${number}`,
  payment_reference: `PAY-${number}`,
  reason,
  since: `2026-11-0${number}T00:00:00.000000Z`,
  basis: "[]",
  amount,
  currency: amount === null ? null : "EUR"
})

const open = [
  hold(1, "period-closed", "7.5000"),
  hold(2, "awaiting-certified-amount", null),
  hold(3, "period-closed", "5.0000")
]

const currencies = [
  { id: "default", project_id: null, currency: "EUR" },
  { id: "9", project_id: "9", currency: "USD" }
]

/** Three events and one without a time, and three entries of the books, in two currencies; exported. */
export const written = Effect.gen(function* () {
  yield* write([on("2026-10-30"), on("2026-11-18"), on("2026-11-19"), event(null)], changes)
  const warehouse = yield* Warehouse
  const holds = { open, ofIpcs: "all" as const }
  yield* warehouse.write({ changes: [], events: [], ledger: { entries, decisions: [], holds }, currencies })
  yield* run
})

/** In the order of the document. */
export const answers = {
  project: [
    {
      project: "7",
      name: "Harbour",
      currency: "EUR",
      certified: "100.3000",
      waiting: "0.2000",
      posted: "100.0000"
    },
    { project: "9", name: "Tunnel", currency: "USD", certified: "5.0000", waiting: "5.0000", posted: "3.0000" }
  ],
  ageing: [
    { days: "over 90", currency: "EUR", ipcs: "1", amount: "0.2000" },
    { days: "over 90", currency: "USD", ipcs: "1", amount: "5.0000" }
  ],
  vos: [
    { month: "2026-10-01 00:00:00", currency: "EUR", vos: "1", median_days: 3.5, agreed_less_priced: "-0.1000" },
    { month: "2026-10-01 00:00:00", currency: "USD", vos: "1", median_days: 2, agreed_less_priced: "-2.0000" }
  ],
  incidents: [{ month: "2026-11-01 00:00:00", classification: "near miss", incidents: "1", per_30_days: 1 }],
  balance: [
    {
      month: "2026-10-01",
      account: "VAT",
      currency: "EUR",
      debit: "190.0000",
      credit: "380.0000",
      balance: "-190.0000"
    },
    {
      month: "2026-10-01",
      account: "bank",
      currency: "EUR",
      debit: "100.1000",
      credit: "0.1000",
      balance: "100.0000"
    },
    { month: "2026-10-01", account: "bank", currency: "USD", debit: "3.0000", credit: "0.0000", balance: "3.0000" },
    {
      month: "2026-10-01",
      account: "receivable",
      currency: "EUR",
      debit: "2280.1000",
      credit: "1240.1000",
      balance: "1040.0000"
    },
    {
      month: "2026-10-01",
      account: "receivable",
      currency: "USD",
      debit: "0.0000",
      credit: "3.0000",
      balance: "-3.0000"
    },
    {
      month: "2026-10-01",
      account: "retention",
      currency: "EUR",
      debit: "100.0000",
      credit: "50.0000",
      balance: "50.0000"
    },
    {
      month: "2026-10-01",
      account: "revenue",
      currency: "EUR",
      debit: "1000.0000",
      credit: "2000.0000",
      balance: "-1000.0000"
    }
  ],
  unposted: [
    { reason: "period-closed", currency: "EUR", holds: "2", amount: "12.5000", unknown: "0" },
    { reason: "awaiting-certified-amount", currency: null, holds: "1", amount: "0.0000", unknown: "1" }
  ],
  asKnown: [
    { project_id: "7", currency: "EUR", paid: "100.1000" },
    { project_id: "9", currency: "USD", paid: "3.0000" }
  ],
  extra: [
    { id: "IPC-1", note: "ü" },
    { id: "IPC-2", note: "ü" },
    { id: "IPC-3", note: "ü" }
  ]
}
