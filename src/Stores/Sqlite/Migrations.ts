/**
 * The migrations of the Store's tables in SQLite.
 */
import type { Migration } from "kysely/migration"
import { storeTables } from "../StoreTables.ts"
import * as SchemaVersions from "../SchemaVersions.ts"
import * as Ddl from "./Ddl.ts"

export const migrationsOf = (schema: SchemaVersions.Schema): Readonly<Record<string, Migration>> =>
  SchemaVersions.migrations(schema, (version) => Ddl.statements(schema.store, version), {})

export const migrations = migrationsOf({ store: storeTables, own: [] })
