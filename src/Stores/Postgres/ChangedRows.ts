/**
 * The rows in PostgreSQL that a copy lacks because it was made from an earlier snapshot, and how many rows there are.
 *
 * PostgreSQL stores with each row the transaction that wrote it (`xmin`), so nothing has to be noted, whichever worker
 * wrote it. What a snapshot doesn't see was written by a transaction at least as young as the oldest one that was then
 * running (`since`, its number). So no row is missing, though some that the copy already has are included.
 *
 * Each table is read completely once, to count its rows: no index says who wrote a row. Then rows are read only from
 * the first place with a changed row to the last; for events these are the last few of millions.
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

/** The numbers in rows have 32 bits: of two that are much further apart, it can't be told which is older. */
export const mostApart = 2n ** 30n

/** Tables with few rows, some of which are also deleted: copied completely. */
export const small: ReadonlySet<string> = new Set(
  [ledgerHoldsTable, ledgerDecisionsTable, currenciesTable].map(({ name }) => name)
)

export interface Count {
  readonly rows: number
  readonly changed: number
  /** The places of the first and last changed rows, as the server prints them; undefined if there are none. */
  readonly places: readonly [string, string] | undefined
}

/**
 * Whether a transaction as young as `since` wrote the row. Written as a subquery, so that the server computes the age
 * once.
 */
const isChanged = (since: bigint): string => `age(xmin) <= (select age('${since}'::xid8::xid))`

/** Within a snapshot, a row stays in its place. */
const changedIn = (since: bigint, { places }: Pick<Count, "places">): string =>
  places === undefined
    ? "false"
    : `ctid >= ${Literal.text(places[0])}::tid and ctid <= ${Literal.text(places[1])}::tid and ${isChanged(since)}`

/** Views over the books don't have `xmin`. */
const baseOf = ({ name }: Shown): string => (name === ledgerEntriesTable.name ? placed(name) : seen(name))

interface Counted {
  readonly name: string
  readonly rows: string
  readonly changed: string
  readonly first: string | null
  readonly last: string | null
}

/** With one scan of each table. */
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

/** For the records that have changed; `count`: the count of their table. */
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

/**
 * How many times the memory of a whole copy a column takes: it is staged, and the file's own rows are read and changed.
 */
export const held = 4

/** Tables that change together: a table and those of the lists in its records. */
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
