/**
 * Facts, entries and holds as rows of the Store and back: amounts and bases become text, everything else is unchanged.
 * What is read equals what was written, to the byte.
 */
import * as Amount from "../Domain/Amount.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import type { DecisionFact, Entry, Fact, Hold } from "./Fact.ts"
import * as Lines from "./Lines.ts"

/** Amounts of certificates and decisions fit, and the fold never posts more at once than fits. */
const amountText = (units: bigint): string => {
  const text = Amount.ofUnits(units)
  if (text === undefined) throw new RangeError(`${units} ten-thousandths don't fit an amount`)
  return text
}

/** Bigints become text. Most facts have none, and a replacer would take several times as long. */
export const toJson = (value: object): string =>
  Object.values(value).some((inner) => typeof inner === "bigint" || (typeof inner === "object" && inner !== null))
    ? JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? String(inner) : inner))
    : JSON.stringify(value)

export const factRow = ({ ipcId, kind, knownAt, number, ...content }: Fact) => ({
  number,
  ipc_id: ipcId,
  kind,
  known_at: knownAt,
  content: toJson(content)
})

export const entryRow = (
  { basis, lines, units, ...entry }: Entry,
  sequence: number,
  fact: Pick<Fact, "number">,
  { epoch, queued }: Pick<StoreTables["ledger_entries"], "epoch" | "queued">
) => ({
  ...entry,
  sequence,
  epoch,
  queued,
  amount: amountText(units),
  lines: lines === null ? null : Lines.toText(lines),
  basis: JSON.stringify(basis),
  fact: fact.number
})

/**
 * Whether the row is what `entryRow` would now make of the entry, to the byte. Compared without making a row, because
 * there may be millions.
 */
export const isEntryRow = (row: StoreTables["ledger_entries"], entry: Entry, fact: Pick<Fact, "number">): boolean => {
  const { basis, lines, units } = entry
  return (
    row.fact === fact.number &&
    hasValues(row, entry) &&
    row.amount === amountText(units) &&
    row.basis === JSON.stringify(basis) &&
    row.lines === (lines === null ? null : Lines.toText(lines))
  )
}

/**
 * The columns that the entry has in the same form as the row. Compared one by one: looping over the names took five
 * times as long.
 */
const hasValues = (row: StoreTables["ledger_entries"], entry: Entry): boolean =>
  row.entry_id === entry.entry_id &&
  row.ipc_id === entry.ipc_id &&
  row.project_id === entry.project_id &&
  row.kind === entry.kind &&
  row.currency === entry.currency &&
  row.payment_reference === entry.payment_reference &&
  row.certificate_url === entry.certificate_url &&
  row.debit_account === entry.debit_account &&
  row.credit_account === entry.credit_account &&
  row.effective_at === entry.effective_at &&
  row.known_at === entry.known_at &&
  row.event_id === entry.event_id &&
  row.reverses === entry.reverses &&
  row.part === entry.part &&
  row.posting_date === entry.posting_date &&
  row.certified_as === entry.certified_as

export const holdRow = ({ basis, units, ...hold }: Hold) => ({
  ...hold,
  basis: JSON.stringify(basis),
  amount: units === null ? null : amountText(units)
})

/** How a hold was closed: by a person's decision, if this fact is one, or because its question went away. */
export const decisionRow = ({ hold_id, ipc_id, payment_reference, reason, since }: Hold, fact: Fact) => {
  const decision: DecisionFact | undefined = fact.kind === "decision" && fact.holdId === hold_id ? fact : undefined
  return {
    hold_id,
    ipc_id,
    payment_reference,
    reason,
    since,
    verdict: decision?.verdict ?? ("answered" as const),
    amount: decision === undefined || decision.units === null ? null : amountText(decision.units),
    decided_by: decision?.by ?? null,
    decided_at: fact.knownAt,
    why: decision?.reason ?? null,
    fact: fact.number,
    principal: decision?.principal ?? null
  }
}

/** A reviver would take several times as long. */
const makeUnits = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return
  const inner = value as Record<string, unknown>
  for (const name of Object.keys(inner)) {
    const each = inner[name]
    if (name === "units" && typeof each === "string") inner[name] = BigInt(each)
    else makeUnits(each)
  }
}

/** Reads what `toJson` has written. */
export const fromJson = (text: string): unknown => {
  const value: unknown = JSON.parse(text)
  if (text.includes('"units"')) makeUnits(value)
  return value
}

export const toFact = (row: StoreTables["ledger_facts"]): Fact => {
  const content = fromJson(row.content) as object
  const { ipc_id: ipcId, kind, known_at: knownAt, number } = row
  return { ...content, kind, number, ipcId, knownAt } as Fact
}

export const toEntry = ({
  amount,
  basis,
  chain: _chain,
  epoch: _epoch,
  fact: _fact,
  lines,
  queued: _queued,
  sequence: _sequence,
  ...entry
}: StoreTables["ledger_entries"]): Entry => ({
  ...entry,
  units: Amount.toUnits(amount),
  lines: lines === null ? null : Lines.parsed(lines),
  basis: JSON.parse(basis) as Entry["basis"]
})

/** The first version of the rules stored no part: see Refold. */
export const toHold = ({ amount, basis, part, ...hold }: StoreTables["ledger_holds"]): Hold => ({
  ...hold,
  part: part ?? "",
  units: amount === null ? null : Amount.toUnits(amount),
  basis: JSON.parse(basis) as Hold["basis"]
})
