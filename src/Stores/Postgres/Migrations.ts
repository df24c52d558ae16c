/**
 * The migrations of a PostgreSQL database (schemas `siteledger` and `construction`). The first worker to start runs them in
 * one transaction, so a crash leaves nothing behind.
 */
import { type Kysely, sql } from "kysely"
import { type Migration, Migrator } from "kysely/migration"
import { storeTables } from "../StoreTables.ts"
import * as SchemaVersions from "../SchemaVersions.ts"
import { viewsSince } from "../Views.ts"
import { ownTables } from "../WarehouseTables.ts"
import type { Connections } from "./Connections.ts"
import * as Ddl from "./Ddl.ts"
import { behindPooler, UnusableServer } from "./Failure.ts"
import * as Rights from "./Rights.ts"

/** It has identity columns, SKIP LOCKED and transaction states that can be queried. */
export const oldestVersion = 14

/** If the role may not create schemas, an administrator has created it; `if not exists` would require that right too. */
const createSchema =
  (name: string) =>
  async <DB>(db: Kysely<DB>): Promise<void> => {
    const { rows } = await sql`select from pg_namespace where nspname = ${name}`.execute(db)
    if (rows.length === 0) await sql`create schema ${sql.id(name)}`.execute(db)
  }

const digestOf = `create function siteledger.digest_of(varchar) returns bytea language sql immutable strict
  as $$ select sha256(convert_to($1, 'UTF8')) $$`

/** Cast, because a plain 0 has no decimals here. */
const firstLines = `
  select entry_id, account, cast(debit as numeric(28,4)) as debit, cast(credit as numeric(28,4)) as credit
  from (${viewsSince[1]?.["ledger_lines"]}) as lines`

/** A replaced view keeps its owner and its rights. */
const made = (queries: Readonly<Record<string, string>> = {}): ReadonlyArray<string> =>
  Object.entries(queries).flatMap(([name, query]) => [
    `create or replace view construction.${name} as ${query}`,
    Rights.readOnly(`construction.${name}`)
  ])

const byHand = {
  1: {
    before: [createSchema("construction"), digestOf, Rights.refuseChange],
    after: made({ ...viewsSince[1], ledger_lines: firstLines })
  },
  2: { after: [SchemaVersions.typesInQuarantine, ...made(viewsSince[2])] },
  3: { after: made(viewsSince[3]) }
}

export const migrationsOf = (schema: SchemaVersions.Schema): Readonly<Record<string, Migration>> =>
  SchemaVersions.migrations(schema, (version) => Ddl.statements(schema, version), byHand)

export const migrations = migrationsOf({ store: storeTables, own: ownTables })

/** The advisory lock for migrations: arbitrary, but used for nothing else. */
export const turn = 7_130_221_001

export const migrate = async (connections: Connections, to = migrations): Promise<void> => {
  await assertFit(connections.db)
  await connections.db.transaction().execute(async (tx) => {
    // The first worker may take a while.
    await sql`set local lock_timeout = 0`.execute(tx)
    await sql`select pg_advisory_xact_lock(${turn})`.execute(tx)
    await createSchema("siteledger")(tx)
    const provider = { getMigrations: async () => to }
    const { error } = await new Migrator({ db: tx, provider, migrationTableSchema: "siteledger" }).migrateToLatest()
    if (error !== undefined) throw error
  })
}

const assertFit = async (db: Connections["db"]): Promise<void> => {
  const { rows } = await sql<{ version: string; path: string }>`
    select current_setting('server_version') as version, current_setting('search_path') as path`.execute(db)
  const { path = "", version = "" } = rows[0] ?? {}
  if (Number.parseInt(version, 10) < oldestVersion) {
    throw new UnusableServer(`PostgreSQL ${oldestVersion} or newer is needed; this server is ${version}`)
  }
  // A pooler has dropped the settings that the session asked for at its start.
  if (path !== "siteledger") throw behindPooler
}
