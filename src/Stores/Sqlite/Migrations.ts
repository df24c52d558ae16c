/**
 * What makes the Store's tables in SQLite, and brings them up to date.
 */
import type { Migration } from "kysely/migration"
import { storeTables } from "../StoreTables.ts"
import * as Versions from "../Versions.ts"
import * as Ddl from "./Ddl.ts"

export const migrationsOf = (schema: Versions.Schema): Readonly<Record<string, Migration>> =>
  Versions.migrations(schema, (version) => Ddl.statements(schema.store, version), {})

export const migrations = migrationsOf({ store: storeTables, own: [] })
