/**
 * Gives the schema `construction` the entity tables, columns and indexes that it lacks for this worker, and
 * `construction_jsonb` the views of them, one worker at a time and in one transaction. Other workers continue: they
 * don't know the new columns and leave them null.
 */
import { type Kysely, sql } from "kysely"
import type { ColumnType } from "../../Domain/Resource.ts"
import { type EntityTable, type EntityTables, evolutionOf, type Found } from "../EntityTables.ts"
import { viewNames } from "../Views.ts"
import * as EntityIndexes from "./EntityIndexes.ts"
import * as Ddl from "./Ddl.ts"
import * as JsonbViews from "./JsonbViews.ts"
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

/** Names and types are lists as JSON, because a row for each of tens of thousands of columns takes the driver 0.2 s. */
interface FoundRelation {
  readonly name: string
  readonly isView: boolean
  readonly names: string
  readonly types: string
  readonly of: string | null
}

/** What a nested table's view reads. */
const read = `
  select min(read.relname) from pg_rewrite
  join pg_depend on pg_depend.classid = 'pg_rewrite'::regclass and pg_depend.objid = pg_rewrite.oid
  join pg_class read on refclassid = 'pg_class'::regclass and refobjid = read.oid
  where ev_class = pg_class.oid and read.oid <> pg_class.oid`

export const foundIn = async <DB>(db: Kysely<DB>): Promise<Found> => {
  const { rows } = await sql<FoundRelation>`
    select relname as name, relkind not in ('r', 'p') as "isView", json_agg(attname order by attnum)::text as names,
      json_agg(format_type(atttypid, atttypmod) order by attnum)::text as types,
      case when relkind = 'v' and bool_or(attname = '_parent') then (${sql.raw(read)}) end as of
    from pg_class join pg_attribute on attrelid = pg_class.oid
    where relnamespace = 'construction'::regnamespace and relkind in ('r', 'p', 'v', 'm', 'f') and attnum > 0
      and not attisdropped
    group by pg_class.oid, relname, relkind order by relname`.execute(db)
  const of = (isView: boolean) =>
    new Map(rows.filter((row) => row.isView === isView).map((relation) => [relation.name, columnsOf(relation)]))
  return { tables: of(false), views: of(true) }
}

const columnsOf = ({ names, of, types }: FoundRelation) => {
  const all = JSON.parse(types) as ReadonlyArray<string>
  return (JSON.parse(names) as ReadonlyArray<string>).map((name, place) => ({
    name,
    type: typeOf[all[place]!],
    of: name === "_parent" ? (of ?? undefined) : undefined
  }))
}

const names = (tables: EntityTables): ReadonlyArray<string> => [...tables.all.map(({ name }) => name), ...viewNames]

/** `wanted`: tables that it must have; other existing tables are kept. */
export const evolve = async <DB>(db: Kysely<DB>, wanted: ReadonlyArray<EntityTable>): Promise<EntityTables> => {
  const before = evolutionOf(wanted, await foundIn(db))
  const lacking = [
    ...Ddl.evolving(before),
    ...(await EntityIndexes.due(db, before.tables)),
    ...(await JsonbViews.due(db, names(before.tables)))
  ]
  if (lacking.length === 0) return before.tables
  return db.transaction().execute((tx) => evolveWithin(tx, wanted))
}

/**
 * Runs in the caller's transaction. It doesn't wait long for readers or writers of a table, because others would all
 * queue behind it.
 */
export const evolveWithin = async <DB>(tx: Kysely<DB>, wanted: ReadonlyArray<EntityTable>): Promise<EntityTables> => {
  await sql`set local lock_timeout = 0`.execute(tx)
  await sql`select pg_advisory_xact_lock(${turn})`.execute(tx)
  await sql`set local lock_timeout = '3s'`.execute(tx)
  const evolution = evolutionOf(wanted, await foundIn(tx))
  for (const statement of Ddl.evolving(evolution)) await sql.raw(statement).execute(tx)
  for (const statement of await EntityIndexes.due(tx, evolution.tables)) await sql.raw(statement).execute(tx)
  await JsonbViews.renew(tx, names(evolution.tables))
  return evolution.tables
}
