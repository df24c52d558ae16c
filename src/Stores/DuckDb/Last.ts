/**
 * The numbers of the newest rows in the warehouse, by which a writer distinguishes new rows from existing ones, and the
 * IPCs that have open holds.
 */
import type { DuckDBConnection } from "@duckdb/node-api"
import type { Batch } from "../Warehouse.ts"

/** The greatest stored numbers: a row with a greater one is new. */
export interface Last {
  readonly event: number
  readonly entry: number
  readonly decision: number
  /** The IPCs with open holds; each batch updates them. */
  readonly held: Set<string>
}

export const lastIn = async (connection: DuckDBConnection): Promise<Last> => {
  const newest = await connection.runAndReadAll(`
    select (select coalesce(max(sequence), 0) from construction.events),
      (select coalesce(max(sequence), 0) from construction.ledger_entries),
      (select coalesce(max("number"), 0) from construction.ledger_hold_decisions)`)
  const [event = 0, entry = 0, decision = 0] = (newest.getRows()[0] ?? []).map(Number)
  const holds = await connection.runAndReadAll("select distinct ipc_id from construction.ledger_holds")
  return { event, entry, decision, held: new Set(holds.getRows().map(([id]) => String(id))) }
}

export const after = (last: Last, { events, ledger }: Batch): Last => ({
  ...last,
  event: greatest(last.event, events, "sequence"),
  entry: greatest(last.entry, ledger?.entries ?? [], "sequence"),
  decision: greatest(last.decision, ledger?.decisions ?? [], "number")
})

const greatest = <K extends string>(
  before: number,
  rows: ReadonlyArray<Readonly<Partial<Record<K, string | null>>>>,
  key: K
): number => rows.reduce((last, row) => Math.max(last, Number(row[key])), before)
