/**
 * Each table of entities has an index by the time of its rows' last change, and one by when they were first seen.
 *
 * Those who copy what changed since they last looked ask by the former, and the dashboard shows the newest changes first: of
 * 1,000,000 rows it took 200 to 600 ms to sort them all. It costs 9 MB for 1,000,000 rows, as the rows of a batch have one time,
 * which it keeps once, and 2 to 6 % of a change's time in the server. An export reads a large table in parts by the latter
 * (`TableParts`), which is nearly the order in which rows lie there: a BRIN index takes some kB, and spares a look at the whole
 * table for each part.
 */
import { type Kysely, sql } from "kysely"
import { quoted, seen } from "../Ddl.ts"
import type { EntityTables } from "../EntityTables.ts"
import * as TableParts from "../TableParts.ts"

const wanted = [
  { column: "_changed_at", using: "btree" },
  { column: TableParts.column, using: "brin" }
] as const

interface Found {
  readonly table: string
  readonly column: string
}

/** Statements that make those that are lacking. One that a person made for the same column will do, of whatever kind. */
export const due = async <DB>(db: Kysely<DB>, tables: EntityTables): Promise<ReadonlyArray<string>> => {
  const { rows } = await sql<Found>`
    select relname as "table", attname as "column" from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'construction'::regnamespace and relkind in ('r', 'p')
      and attname in (${sql.join(wanted.map(({ column }) => column))})
      and exists (
        select from pg_index where indrelid = pg_class.oid and indkey[0] = attnum and indisvalid and indpred is null
      )`.execute(db)
  const have = new Set(rows.map(({ column, table }) => `${table} ${column}`))
  return tables.ofEntities.flatMap(({ name }) =>
    wanted
      .filter(({ column }) => !have.has(`${name} ${column}`))
      .map(({ column, using }) => `create index on ${seen(name)} using ${using} (${quoted(column)})`)
  )
}
