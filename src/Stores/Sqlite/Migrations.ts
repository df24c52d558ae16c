/**
 * The migrations of the Store's tables in SQLite.
 */
import type { Migration } from "kysely/migration"
import { storeTables } from "../StoreTables.ts"
import * as SchemaVersions from "../SchemaVersions.ts"
import * as Ddl from "./Ddl.ts"

/** Since version 2 deliveries are in segments, which know the ids, and which deliveries are still to be counted. */
const superseded = [
  `create table "event_ids" ( -- Event ids, each with the first delivery that used it.
  -- The id.
  "event_id" text primary key,
  -- The first delivery that used it (inbox.sequence).
  "sequence" integer not null
) strict, without rowid`,
  `create table "inbox_touched" ( -- Events that were delivered again after they were applied.
  -- The delivery (inbox.sequence).
  "sequence" integer primary key
) strict`
]
const handOver = [
  "insert into meta select 'inbox_touched', json_group_array(sequence) from inbox_touched having count(*) > 0",
  "drop table event_ids",
  "drop table inbox_touched"
]

export const migrationsOf = (schema: SchemaVersions.Schema): Readonly<Record<string, Migration>> =>
  SchemaVersions.migrations(schema, (version) => Ddl.statements(schema.store, version), {
    1: { after: superseded },
    2: { after: [SchemaVersions.typesInQuarantine, ...handOver] }
  })

export const migrations = migrationsOf({ store: storeTables, own: [] })
