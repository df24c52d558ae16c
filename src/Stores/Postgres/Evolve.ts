/**
 * Gives the schema `construction` the tables and columns of entities that it lacks for this worker, one worker at a time and
 * in one transaction. Other workers go on: they don't know what is new, and leave it null.
 */
import { type Kysely, sql } from "kysely"
import type { ColumnType } from "../../Domain/Resource.ts"
import { type EntityTable, type EntityTables, evolutionOf, type FoundTables } from "../EntityTables.ts"
import * as Ddl from "./Ddl.ts"
import { turn } from "./Migrations.ts"

const typeOf: Readonly<Record<string, ColumnType>> = {
  bigint: "BIGINT",
  text: "VARCHAR",
  "numeric(28,4)": "DECIMAL(28,4)",
  "numeric(10,2)": "DECIMAL(10,2)",
  "timestamp with time zone": "TIMESTAMPTZ",
  date: "DATE",
  json: "JSON",
  boolean: "BOOLEAN",
  "double precision": "DOUBLE"
}

interface Found {
  readonly table: string
  readonly name: string
  readonly type: string
}

export const foundIn = async <DB>(db: Kysely<DB>): Promise<FoundTables> => {
  const { rows } = await sql<Found>`
    select relname as table, attname as name, format_type(atttypid, atttypmod) as type
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'construction'::regnamespace and relkind in ('r', 'p') and attnum > 0 and not attisdropped
    order by relname, attnum`.execute(db)
  const byTable = Map.groupBy(rows, ({ table }) => table)
  return new Map(
    [...byTable].map(([table, all]) => [table, all.map(({ name, type }) => ({ name, type: typeOf[type] }))])
  )
}

/** `wanted`: tables that it is to have; it keeps those that it has besides. */
export const evolve = async <DB>(db: Kysely<DB>, wanted: ReadonlyArray<EntityTable>): Promise<EntityTables> => {
  const before = evolutionOf(wanted, await foundIn(db))
  if (Ddl.evolving(before).length === 0) return before.tables
  return db.transaction().execute((tx) => evolveWithin(tx, wanted))
}

/** In the caller's transaction. It doesn't wait long for those who read or write a table: they would all wait behind it. */
export const evolveWithin = async <DB>(tx: Kysely<DB>, wanted: ReadonlyArray<EntityTable>): Promise<EntityTables> => {
  await sql`set local lock_timeout = 0`.execute(tx)
  await sql`select pg_advisory_xact_lock(${turn})`.execute(tx)
  await sql`set local lock_timeout = '3s'`.execute(tx)
  const evolution = evolutionOf(wanted, await foundIn(tx))
  for (const statement of Ddl.evolving(evolution)) await sql.raw(statement).execute(tx)
  return evolution.tables
}
