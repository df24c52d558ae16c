/**
 * The rows in PostgreSQL that a copy lacks which was made of an earlier snapshot, and how many there are.
 *
 * PostgreSQL keeps with each row the transaction that wrote it (`xmin`), so nothing has to be noted, whichever worker wrote it.
 * What a snapshot doesn't see was written by a transaction that is at least as young as the oldest one that was running then
 * (`since`, its number). So no row is missing, and some that the copy has already are among them.
 */
import type { CopyingClient } from "./Guarded.ts"
import * as Literal from "../../Domain/Literal.ts"
import { quoted, seen } from "../Ddl.ts"
import type { EntityTables } from "../EntityTables.ts"
import type { NestedTable } from "../NestedTables.ts"
import {
  currenciesTable,
  ledgerDecisionsTable,
  ledgerEntriesTable,
  ledgerHoldsTable,
  type Shown
} from "../WarehouseTables.ts"
import { placed } from "./Rights.ts"
import type { Rows } from "./Staged.ts"

/** The numbers in rows have 32 bits: those that are much further apart can't be told older from younger. */
export const mostApart = 2n ** 30n

/** Few rows, some of which go again: copied as they are. */
export const small: ReadonlySet<string> = new Set(
  [ledgerHoldsTable, ledgerDecisionsTable, currenciesTable].map(({ name }) => name)
)

export interface Count {
  readonly rows: number
  readonly changed: number
}

/** Whether a transaction as young as `since` wrote the row. */
const isChanged = (since: bigint): string => `age(xmin) <= age('${since}'::xid8::xid)`

/** Views over the books don't have it. */
const baseOf = ({ name }: Shown): string => (name === ledgerEntriesTable.name ? placed(name) : seen(name))

/** In one reading of each table. */
export const counted = async (
  client: CopyingClient,
  tables: ReadonlyArray<Shown>,
  since: bigint
): Promise<ReadonlyMap<string, Count>> => {
  const counts = tables.map((table) => {
    const changed = small.has(table.name) ? "0" : `count(*) filter (where ${isChanged(since)})`
    return `select ${Literal.text(table.name)} as name, ${changed} as changed, count(*) as rows from ${baseOf(table)}`
  })
  const { rows } = await client.query<{ name: string; rows: string; changed: string }>(counts.join(" union all "))
  return new Map(rows.map(({ changed, name, rows: all }) => [name, { rows: Number(all), changed: Number(changed) }]))
}

export const ofTable = (client: CopyingClient, table: Shown, since: bigint): Rows => {
  if (small.has(table.name)) return { client, table, rest: "" }
  if (baseOf(table) === seen(table.name)) return { client, table, rest: `where ${isChanged(since)}` }
  const key = quoted(table.key)
  return { client, table, rest: `where ${key} in (select ${key} from ${baseOf(table)} where ${isChanged(since)})` }
}

/** Of the records that have changed. */
export const ofNested = (client: CopyingClient, table: NestedTable, since: bigint): Rows => {
  const { owner } = table
  if (owner === undefined) return { client, table, rest: "" }
  const records = `select ${quoted(owner.keyColumn)} from ${seen(owner.table)} where ${isChanged(since)}`
  return { client, table, rest: `where _parent in (${records})` }
}

/** By how much more memory a column takes than in a whole copy: it is staged, and what the file has of it is read and changed. */
export const held = 4

/** Tables that change together: one and those of the lists in its records. */
export interface Piece {
  readonly tables: ReadonlyArray<Shown>
  readonly nested: ReadonlyArray<NestedTable>
}

export const piecesOf = ({ nested }: EntityTables, changed: ReadonlyArray<Shown>): ReadonlyArray<Piece> => [
  ...nested.filter(({ owner }) => owner === undefined).map((table) => ({ tables: [], nested: [table] })),
  ...changed.map((table) => ({ tables: [table], nested: nested.filter(({ owner }) => owner?.table === table.name) }))
]

export const columnsIn = ({ nested, tables }: Piece): number =>
  [...tables, ...nested].reduce((sum, { columns }) => sum + columns.length, 0)
