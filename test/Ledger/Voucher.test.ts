/** An entry as an accounting system takes it: the system's codes, what its lines say, and lines that add up to zero. */
import { assert, it } from "@effect/vitest"
import { type Chart, plain } from "../../config/Chart.ts"
import type { OutboxMessage } from "../../src/Ledger/Outbox/Due.ts"
import { voucherOf } from "../../src/Ledger/Voucher.ts"

const entry = {
  entry_id: "0123456789abcdef0123456789abcdef",
  sequence: 12,
  ipc_id: "IPC-7",
  project_id: "4711",
  kind: "payment",
  amount: "100.5000",
  currency: "EUR",
  payment_reference: "PAY-1",
  debit_account: "bank",
  credit_account: "receivable",
  lines: null,
  effective_at: "2026-11-19T23:30:00.000000Z",
  posting_date: "2026-11-20"
} as OutboxMessage["entry"]

const line = { account: null, projects: [], taxCode: null, costCode: null, counterparty: null, tracking: {} }
const chart: Chart = {
  accounts: { bank: "1200" },
  company: "North",
  companies: { "4712": "South" },
  narration: "{kind} {sequence} of {ipc} in {project}: {reference} {iban}",
  lines: [
    { ...line, account: "receivable", projects: ["47*"], counterparty: { kind: "customer", name: "City" } },
    { ...line, account: "receivable", taxCode: "NEVER" },
    { ...line, projects: ["4711"], taxCode: "NONE", costCode: "03", tracking: { Project: "P{project}" } },
    { ...line, taxCode: "OTHER" }
  ]
}

it("has the system's codes, and each line says what the first rule that fits says", () => {
  const voucher = voucherOf({ entry, status: "draft" }, chart)
  const [debit, credit] = voucher.lines
  assert.deepStrictEqual(debit, {
    account: "1200",
    units: 1_005_000n,
    taxCode: "NONE",
    costCode: "03",
    counterparty: null,
    tracking: [{ category: "Project", option: "P4711" }]
  })
  assert.deepInclude(credit, { account: "receivable", units: -1_005_000n, taxCode: null })
  assert.deepStrictEqual(credit?.counterparty, { kind: "customer", name: "City" })
  assert.deepInclude(voucher, {
    id: entry.entry_id,
    company: "North",
    date: "2026-11-20",
    currency: "EUR",
    narration: "payment 12 of IPC-7 in 4711: PAY-1 {iban}",
    reference: "PAY-1",
    status: "draft"
  })
})

it("puts an amount below zero on the other sides, the debited line first", () => {
  const { lines } = voucherOf({ entry: { ...entry, amount: "-7.0000" }, status: "posted" }, plain)
  assert.deepStrictEqual(
    lines.map(({ account, units }) => [account, units]),
    [
      ["receivable", 70_000n],
      ["bank", -70_000n]
    ]
  )
})

it("has all lines of an entry, each by the rules of its own account, and codes that are names of objects' own", () => {
  const lines = JSON.stringify(
    Object.fromEntries([
      ["1400", "1140.0000"],
      ["VAT", "-190.0000"],
      ["__proto__", "50.0000"],
      ["constructor", "-1000.0000"]
    ])
  )
  const accounts = { VAT: "1776", "1400": "140000" }
  const rules = [
    { ...line, account: "VAT", taxCode: "OUTPUT" },
    { ...line, account: "__proto__", costCode: "9" },
    { ...line, account: "bank", costCode: "NEVER" },
    { ...line, counterparty: { kind: "customer", name: "City" } as const }
  ]
  const voucher = voucherOf(
    { entry: { ...entry, kind: "accrual", lines }, status: "posted" },
    { ...plain, accounts, lines: rules }
  )
  assert.deepStrictEqual(
    voucher.lines.map(({ account, costCode, counterparty, taxCode, units }) => ({
      account,
      units,
      is: taxCode ?? costCode ?? counterparty?.name
    })),
    [
      { account: "140000", units: 11_400_000n, is: "City" },
      { account: "__proto__", units: 500_000n, is: "9" },
      { account: "1776", units: -1_900_000n, is: "OUTPUT" },
      { account: "constructor", units: -10_000_000n, is: "City" }
    ]
  )
})

it("belongs to the company of its project, and has the UTC day if its entry has no posting date", () => {
  const other = voucherOf({ entry: { ...entry, project_id: "4712", posting_date: null }, status: "draft" }, chart)
  assert.deepStrictEqual([other.company, other.date], ["South", "2026-11-19"])
  assert.isNull(voucherOf({ entry, status: "draft" }, plain).company)
})
