/**
 * Each entity table has an index by the time of its rows' last change, and one by when they were first seen.
 *
 * Readers that copy what changed since their last look use the former, and the dashboard shows the newest changes
 * first: sorting 1,000,000 rows took 200 to 600 ms. The index costs 9 MB for 1,000,000 rows, because the rows of a
 * batch share one time, which is stored once, and 2 to 6 % of a change's time in the server. An export reads a large
 * table in parts by the latter (`TableParts`), which is nearly the physical order of the rows: a BRIN index takes a few
 * kB and saves a scan of the whole table for each part.
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

/**
 * Statements that create the missing ones. An index that a person created on the same column will do, regardless of its
 * kind.
 */
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
