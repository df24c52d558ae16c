/** Entries on their way to an accounting system: a payment of 1,250.00 euros, which debits the bank, unless a test says otherwise. */
import type { OutboxMessage } from "../../src/Ledger/Outbox/Due.ts"

export type Given = Partial<OutboxMessage["entry"]> & Partial<Pick<OutboxMessage, "status">>

export const idOf = (number: number): string => number.toString(16).padStart(32, "0")

const at = "2026-03-01T09:00:00.000000Z"

/** `number`: in the journal. */
export const entryNumber = (number: number, { status = "posted", ...given }: Given = {}): OutboxMessage => ({
  entry: {
    entry_id: idOf(number),
    sequence: number,
    ipc_id: "12",
    project_id: "7",
    kind: "payment",
    amount: "1250.0000",
    currency: "EUR",
    payment_reference: `PAY-${number}`,
    certificate_url: null,
    debit_account: "bank",
    credit_account: "receivable",
    effective_at: at,
    known_at: at,
    event_id: null,
    reverses: null,
    part: "settlement",
    basis: "[]",
    fact: number,
    posting_date: "2026-03-01",
    epoch: 1,
    certified_as: "each",
    lines: null,
    queued: status,
    chain: null,
    ...given
  },
  status,
  attempts: 0,
  refusals: 0,
  dueAt: at
})
