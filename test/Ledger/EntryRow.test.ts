/**
 * An entry's row is compared with the entry in every column, so that verifying overlooks none, not even one of a later
 * version.
 */
import { describe, expect, it } from "vitest"
import type { Entry } from "../../src/Ledger/Fact.ts"
import { entryRow, isEntryRow } from "../../src/Ledger/Rows.ts"
import { ledger } from "../../src/Stores/Tables/Ledger.ts"

const at = "2026-11-20T02:00:00.000000Z"

const entry: Entry = {
  entry_id: "1".repeat(32),
  ipc_id: "IPC-1",
  project_id: "7",
  kind: "payment",
  units: 17_500n,
  currency: "EUR",
  payment_reference: "PAY-1",
  certificate_url: "https://example.com/c/1",
  debit_account: "bank",
  credit_account: "receivable",
  effective_at: at,
  known_at: at,
  event_id: "event-1",
  reverses: "2".repeat(32),
  part: "settlement",
  certified_as: "each",
  lines: [
    { account: "bank", units: 17_500n },
    { account: "receivable", units: -17_500n }
  ],
  posting_date: "2026-11-20",
  basis: [{ kind: "payment", number: 2 }]
}

const fact = { number: 2 }
const row = entryRow(entry, 1, fact, { epoch: 1, queued: "draft" })

/** They are its writer's: the numbers, the chain and the outbox are compared for themselves. */
const ofWriter = ["chain", "epoch", "queued", "sequence"]
const compared = Object.keys(ledger.ledger_entries.columns).filter((name) => !ofWriter.includes(name))

describe("an entry's row", () => {
  it("is the entry", () => {
    expect(isEntryRow({ ...row, chain: null }, entry, fact)).toBe(true)
    expect([...ofWriter, ...compared].toSorted()).toEqual([...Object.keys(row), "chain"].toSorted())
  })

  it.each(compared)("isn't with another %s", (name) => {
    const value = (row as Readonly<Record<string, unknown>>)[name]
    const other = typeof value === "number" ? value + 1 : `${String(value)} `
    expect(isEntryRow({ ...row, chain: null, [name]: other }, entry, fact)).toBe(false)
    expect(isEntryRow({ ...row, chain: null, [name]: null }, entry, fact)).toBe(false)
  })
})
