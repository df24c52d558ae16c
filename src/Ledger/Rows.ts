/**
 * Facts, entries and holds as rows of the Store and back. What comes back is what went in, to the byte.
 */
import * as Amount from "../Domain/Amount.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import type { DecisionFact, Entry, Fact, Hold } from "./Fact.ts"

/** Amounts of certificates and of decisions fit, and the fold posts no more at once than fits. */
const amountText = (units: bigint): string => {
  const text = Amount.ofUnits(units)
  if (text === undefined) throw new RangeError(`${units} ten-thousandths don't fit an amount`)
  return text
}

/** Whole numbers of any size as text. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner))

export const factRow = ({ ipcId, kind, knownAt, number, ...content }: Fact) => ({
  number,
  ipc_id: ipcId,
  kind,
  known_at: knownAt,
  content: toJson(content)
})

export const entryRow = (entry: Entry, sequence: number, fact: Fact) => ({
  sequence,
  entry_id: entry.entryId,
  ipc_id: entry.ipcId,
  project_id: entry.projectId,
  kind: entry.kind,
  amount: amountText(entry.units),
  currency: entry.currency,
  payment_reference: entry.paymentReference,
  certificate_url: entry.certificateUrl,
  debit_account: entry.debitAccount,
  credit_account: entry.creditAccount,
  effective_at: entry.effectiveAt,
  known_at: entry.knownAt,
  event_id: entry.eventId,
  reverses: entry.reverses,
  part: entry.part,
  basis: JSON.stringify(entry.basis),
  fact: fact.number
})

export const holdRow = (hold: Hold) => ({
  hold_id: hold.holdId,
  ipc_id: hold.ipcId,
  payment_reference: hold.paymentReference,
  reason: hold.reason,
  since: hold.since,
  basis: JSON.stringify(hold.basis),
  amount: hold.units === null ? null : amountText(hold.units),
  currency: hold.currency
})

/** How a hold was closed: by the person's decision that this fact is, or because the question went away. */
export const decisionRow = (hold: Hold, fact: Fact) => {
  const decision: DecisionFact | undefined = fact.kind === "decision" && fact.holdId === hold.holdId ? fact : undefined
  return {
    hold_id: hold.holdId,
    ipc_id: hold.ipcId,
    payment_reference: hold.paymentReference,
    reason: hold.reason,
    since: hold.since,
    verdict: decision?.verdict ?? ("answered" as const),
    amount: decision === undefined || decision.units === null ? null : amountText(decision.units),
    decided_by: decision?.by ?? null,
    decided_at: fact.knownAt,
    why: decision?.reason ?? null,
    fact: fact.number
  }
}

export const toFact = (row: StoreTables["ledger_facts"]): Fact => {
  const content = JSON.parse(row.content) as Record<string, unknown>
  const units = typeof content["units"] === "string" ? { units: BigInt(content["units"]) } : {}
  const { ipc_id: ipcId, kind, known_at: knownAt, number } = row
  return { ...content, ...units, kind, number, ipcId, knownAt } as Fact
}

export const toEntry = (row: StoreTables["ledger_entries"]): Entry => ({
  entryId: row.entry_id,
  ipcId: row.ipc_id,
  projectId: row.project_id,
  kind: row.kind,
  units: Amount.toUnits(row.amount),
  currency: row.currency,
  paymentReference: row.payment_reference,
  certificateUrl: row.certificate_url,
  debitAccount: row.debit_account,
  creditAccount: row.credit_account,
  effectiveAt: row.effective_at,
  knownAt: row.known_at,
  eventId: row.event_id,
  reverses: row.reverses,
  part: row.part,
  basis: JSON.parse(row.basis) as Entry["basis"]
})

export const toHold = (row: StoreTables["ledger_holds"]): Hold => ({
  holdId: row.hold_id,
  ipcId: row.ipc_id,
  paymentReference: row.payment_reference,
  reason: row.reason,
  since: row.since,
  basis: JSON.parse(row.basis) as Hold["basis"],
  units: row.amount === null ? null : Amount.toUnits(row.amount),
  currency: row.currency
})
