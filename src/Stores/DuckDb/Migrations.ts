/**
 * The migrations of the warehouse's file. Schema `siteledger` holds the file's own metadata.
 */
import type { Migration } from "kysely/migration"
import { storeTables } from "../StoreTables.ts"
import * as SchemaVersions from "../SchemaVersions.ts"
import { views } from "../Views.ts"
import { ownTables } from "../WarehouseTables.ts"
import * as Ddl from "./Ddl.ts"

const byHand = {
  1: {
    before: [
      "create schema construction",
      "create table siteledger.meta (key varchar primary key, value varchar not null)"
    ],
    after: Object.entries(views).map(([name, query]) => `create view construction.${name} as ${query}`)
  }
}

export const migrationsOf = (schema: SchemaVersions.Schema): Readonly<Record<string, Migration>> =>
  SchemaVersions.migrations(schema, (version) => Ddl.statements(schema, version), byHand)

export const migrations = migrationsOf({ store: storeTables, own: ownTables })
