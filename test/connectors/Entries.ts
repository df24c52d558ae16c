/** Entries on their way to an accounting system: a payment of 1,250.00 euros, which debits the bank, unless a test says otherwise. */
import type { OutboxMessage } from "../../src/Ledger/Outbox/Due.ts"

export type Given = Partial<OutboxMessage["entry"]> & Partial<Pick<OutboxMessage, "status">>

export const idOf = (number: number): string => number.toString(16).padStart(32, "0")

/** As the books keep more than two of them. */
export const linesText = (...lines: ReadonlyArray<readonly [account: string, amount: string]>): string =>
  JSON.stringify(Object.fromEntries(lines))

/** A certified amount of 1,000 with 19 % tax, of which 50 is retained. */
export const accrued: Given = {
  kind: "accrual",
  amount: "1000.0000",
  payment_reference: "12",
  lines: linesText(
    ["receivable", "1140.0000"],
    ["retention", "50.0000"],
    ["revenue", "-1000.0000"],
    ["VAT", "-190.0000"]
  )
}

/** The same, taken back. */
export const takenBack: Given = {
  ...accrued,
  kind: "reversal",
  amount: "-1000.0000",
  lines: (accrued.lines ?? "").replaceAll(/:"(-?)/g, (_, sign: string) => (sign === "" ? ':"-' : ':"'))
}

/** Of a newer certificate, only what is retained and the tax are others: nothing more comes to the receivable. */
export const shifted: Given = {
  kind: "accrual",
  amount: "0.0000",
  payment_reference: "12",
  lines: linesText(["retention", "10.0000"], ["VAT", "-10.0000"])
}

/** A payment of 100, of which 5 is withheld as tax. */
export const withheld: Given = {
  amount: "100.0000",
  lines: linesText(["bank", "95.0000"], ["withholding", "5.0000"], ["receivable", "-100.0000"])
}

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
  queuedAt: at,
  dueAt: at,
  isKept: false
})
