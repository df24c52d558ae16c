/**
 * The tables of a PostgreSQL database: those of the warehouse whose rows are changed, and those that aren't
 * siteledger's.
 */
import { type Kysely, sql } from "kysely"
import type { Resource } from "../../Domain/Resource.ts"
import { evolutionOf } from "../../Stores/EntityTables.ts"
import * as LearnedColumns from "../../Stores/LearnedColumns.ts"
import { foundIn } from "../../Stores/Postgres/Evolve.ts"
import { inStore } from "../../Stores/Postgres/Rights.ts"
import { wantedTables } from "../../Stores/Resources.ts"
import { type StoreTables, storeTables } from "../../Stores/StoreTables.ts"
import { ownTables } from "../../Stores/WarehouseTables.ts"
import * as Warehouse from "./ServerWarehouse.ts"

export interface Known {
  /** Tables of the warehouse with texts that come from the service. */
  readonly written: ReadonlyArray<Warehouse.Written>
  /** What people have created, in words. */
  readonly strangers: ReadonlyArray<string>
}

const kinds = { r: "table", p: "table", m: "materialized view", f: "foreign table" }

interface Relation {
  readonly name: string
  readonly kind: keyof typeof kinds
}

const relations = sql<Relation>`
  select nspname || '.' || relname as name, relkind as kind
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
  where relkind in ('r', 'p', 'm', 'f') and relpersistence <> 't' and nspname !~ '^pg_' and nspname <> 'information_schema'
  order by 1`

const migrations = ["ledger", "siteledger"].flatMap((schema) =>
  ["kysely_migration", "kysely_migration_lock"].map((table) => `${schema}.${table}`)
)

/** As they are on the server: nothing is added. */
export const known = async <DB>(db: Kysely<DB>, resources: ReadonlyArray<Resource>): Promise<Known> => {
  const learned = await LearnedColumns.all(db as unknown as Kysely<StoreTables>)
  const found = await foundIn(db)
  const { tables } = evolutionOf(wantedTables(resources, learned), found)
  const entities = tables.ofEntities.filter(({ name }) => found.tables.has(name))
  const ours = new Set([
    ...storeTables.map(inStore),
    ...[...ownTables, ...entities].map(({ name }) => `construction.${name}`),
    ...migrations
  ])
  return {
    written: [
      Warehouse.events,
      ...entities.map((table) =>
        Warehouse.ofEntities(table, new Set((found.tables.get(table.name) ?? []).map(({ name }) => name)))
      )
    ],
    strangers: (await relations.execute(db)).rows.flatMap(({ kind, name }) =>
      ours.has(name) ? [] : [`the ${kinds[kind]} ${name}`]
    )
  }
}
