/**
 * The rows in PostgreSQL that a copy lacks which was made of an earlier snapshot, and how many there are.
 *
 * PostgreSQL keeps with each row the transaction that wrote it (`xmin`), so nothing has to be noted, whichever worker wrote it.
 * What a snapshot doesn't see was written by a transaction that is at least as young as the oldest one that was running then
 * (`since`, its number). So no row is missing, and some that the copy has already are among them.
 *
 * Each table is read whole once, to count its rows: no index says who wrote one. The rows are then read only from the first place
 * that has a changed one to the last, which for events are the last few of millions.
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
  /** Where the first and the last of the changed ones are, as the server says it; undefined if there are none. */
  readonly places: readonly [string, string] | undefined
}

/** Whether a transaction as young as `since` wrote the row. Asked as a query of its own, the server works out its age once. */
const isChanged = (since: bigint): string => `age(xmin) <= (select age('${since}'::xid8::xid))`

/** In a snapshot, a row stays where it is. */
const changedIn = (since: bigint, { places }: Pick<Count, "places">): string =>
  places === undefined
    ? "false"
    : `ctid >= ${Literal.text(places[0])}::tid and ctid <= ${Literal.text(places[1])}::tid and ${isChanged(since)}`

/** Views over the books don't have it. */
const baseOf = ({ name }: Shown): string => (name === ledgerEntriesTable.name ? placed(name) : seen(name))

interface Counted {
  readonly name: string
  readonly rows: string
  readonly changed: string
  readonly first: string | null
  readonly last: string | null
}

/** In one reading of each table. */
export const counted = async (
  client: CopyingClient,
  tables: ReadonlyArray<Shown>,
  since: bigint
): Promise<ReadonlyMap<string, Count>> => {
  const among = isChanged(since)
  const changes = `count(*) filter (where ${among}) as changed, min(ctid) filter (where ${among})::text as first,
    max(ctid) filter (where ${among})::text as last`
  const counts = tables.map((table) => {
    const changed = small.has(table.name) ? "0 as changed, null as first, null as last" : changes
    return `select ${Literal.text(table.name)} as name, count(*) as rows, ${changed} from ${baseOf(table)}`
  })
  const { rows } = await client.query<Counted>(counts.join(" union all "))
  return new Map(
    rows.map(({ changed, first, last, name, rows: all }) => {
      const places = first === null || last === null ? undefined : ([first, last] as const)
      return [name, { rows: Number(all), changed: Number(changed), places }]
    })
  )
}

export const ofTable = (client: CopyingClient, table: Shown, since: bigint, count: Pick<Count, "places">): Rows => {
  if (small.has(table.name)) return { client, table, rest: "" }
  const where = changedIn(since, count)
  if (baseOf(table) === seen(table.name)) return { client, table, rest: `where ${where}` }
  const key = quoted(table.key)
  return { client, table, rest: `where ${key} in (select ${key} from ${baseOf(table)} where ${where})` }
}

/** Of the records that have changed; `count`: of their table. */
export const ofNested = (
  client: CopyingClient,
  table: NestedTable,
  since: bigint,
  count: Pick<Count, "places">
): Rows => {
  const { owner } = table
  if (owner === undefined) return { client, table, rest: "" }
  const records = `select ${quoted(owner.keyColumn)} from ${seen(owner.table)} where ${changedIn(since, count)}`
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
