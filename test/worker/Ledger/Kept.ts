/**
 * The books in the Store and in the warehouse, read from outside: the Store while the worker runs, the warehouse's
 * tables from a copy or after the worker has ended. Both are in one form, so that they can be compared row by row.
 */
import type { Rows } from "../Place.ts"

export type Texts = Readonly<Record<string, string | null>>

export interface Kept {
  readonly entries: ReadonlyArray<Texts>
  readonly holds: ReadonlyArray<Texts>
}

const times = new Set(["effective_at", "known_at", "since"])
const numbers = new Set(["sequence", "project_id", "amount"])
const entryColumns = [
  "entry_id",
  "sequence",
  "ipc_id",
  "project_id",
  "kind",
  "amount",
  "currency",
  "payment_reference",
  "certificate_url",
  "debit_account",
  "credit_account",
  "effective_at",
  "known_at",
  "event_id",
  "reverses",
  "lines",
  "basis"
]
const holdColumns = ["hold_id", "ipc_id", "payment_reference", "reason", "since", "basis"]

type Query = (sql: string) => Promise<Rows>

const asText = (column: string): string => (numbers.has(column) ? `cast(${column} as text) as ${column}` : column)

export const storeBooks = async (store: { readonly store: Query }): Promise<Kept> => ({
  entries: (await store.store(
    `select ${entryColumns.map(asText).join(", ")} from ledger_entries order by ledger_entries.sequence`
  )) as ReadonlyArray<Texts>,
  holds: (await store.store(
    `select ${holdColumns.join(", ")} from ledger_holds order by hold_id`
  )) as ReadonlyArray<Texts>
})

const inWords = (column: string): string => {
  if (times.has(column)) return `strftime(make_timestamp(epoch_us(${column})), '%Y-%m-%dT%H:%M:%S.%fZ') as ${column}`
  return `${column}::varchar as ${column}`
}

export const warehouseBooks = async (query: Query): Promise<Kept> => ({
  entries: (await query(
    `select ${entryColumns.map(inWords).join(", ")} from construction.ledger_entries as e order by e.sequence`
  )) as ReadonlyArray<Texts>,
  holds: (await query(
    `select ${holdColumns.map(inWords).join(", ")} from construction.ledger_holds order by hold_id`
  )) as ReadonlyArray<Texts>
})

const units = (amount: string | null | undefined): bigint => BigInt(String(amount).replace(".", ""))

/** By IPC, in ten-thousandths. */
export const netOf = ({ entries }: Kept): ReadonlyMap<string, bigint> => {
  const net = new Map<string, bigint>()
  for (const { amount, ipc_id: ipc } of entries) net.set(String(ipc), (net.get(String(ipc)) ?? 0n) + units(amount))
  return net
}
