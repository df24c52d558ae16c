/**
 * The migrations of the warehouse's file. Schema `siteledger` holds the file's own metadata.
 */
import type { Migration } from "kysely/migration"
import { storeTables } from "../StoreTables.ts"
import * as SchemaVersions from "../SchemaVersions.ts"
import { viewsSince } from "../Views.ts"
import { ownTables } from "../WarehouseTables.ts"
import * as Ddl from "./Ddl.ts"

/**
 * In one call: the first version has 157 statements, each of which would otherwise be parsed and run by other threads.
 */
const together = (statements: ReadonlyArray<string>): string => statements.join(";\n")

const made = (version: number): ReadonlyArray<string> =>
  Object.entries(viewsSince[version] ?? {}).map(
    ([name, query]) => `create or replace view construction.${name} as ${query}`
  )

const byHand = {
  1: {
    before: [
      "create schema construction",
      "create table siteledger.meta (key varchar primary key, value varchar not null)"
    ],
    after: made(1)
  },
  2: {
    before: [
      `create table siteledger.inbox (inbox varchar not null, first bigint not null, "last" bigint not null, frames blob not null)`
    ],
    after: [together(Ddl.withoutKeys(storeTables, 2)), ...made(2)]
  },
  3: { after: made(3) },
  8: { after: made(8) }
}

export const migrationsOf = (schema: SchemaVersions.Schema): Readonly<Record<string, Migration>> =>
  SchemaVersions.migrations(
    schema,
    (version) => {
      const all = Ddl.statements(schema, version)
      return all.length === 0 ? [] : [together(all)]
    },
    byHand
  )

export const migrations = migrationsOf({ store: storeTables, own: ownTables })
