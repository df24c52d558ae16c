/**
 * The schemas of a PostgreSQL database, `siteledger` and `construction`, made and brought up to date by whichever worker
 * comes first, in one transaction: a death in the middle leaves nothing behind.
 */
import { type Kysely, sql } from "kysely"
import { type Migration, Migrator } from "kysely/migration"
import { storeTables } from "../StoreTables.ts"
import * as SchemaVersions from "../SchemaVersions.ts"
import { views } from "../Views.ts"
import { ownTables } from "../WarehouseTables.ts"
import type { Connections } from "./Connections.ts"
import * as Ddl from "./Ddl.ts"
import { behindPooler, UnusableServer } from "./Failure.ts"
import * as Rights from "./Rights.ts"

/** Identity columns, skipped locks and transaction states that can be asked for are all there since then. */
export const oldestVersion = 14

/** Where the worker's role may make none, an administrator has made it: `if not exists` would ask for that right too. */
const createSchema =
  (name: string) =>
  async <DB>(db: Kysely<DB>): Promise<void> => {
    const { rows } = await sql`select from pg_namespace where nspname = ${name}`.execute(db)
    if (rows.length === 0) await sql`create schema ${sql.id(name)}`.execute(db)
  }

const digestOf = `create function siteledger.digest_of(varchar) returns bytea language sql immutable strict
  as $$ select sha256(convert_to($1, 'UTF8')) $$`

/** A plain 0 has no decimals here. */
const ledgerLines = `
  select entry_id, account, cast(debit as numeric(28,4)) as debit, cast(credit as numeric(28,4)) as credit
  from (${views.ledger_lines}) as lines`

const byHand = {
  1: {
    before: [createSchema("construction"), digestOf, Rights.refuseChange],
    after: Object.entries({ ...views, ledger_lines: ledgerLines }).flatMap(([name, query]) => [
      `create view construction.${name} as ${query}`,
      Rights.readOnly(`construction.${name}`)
    ])
  }
}

export const migrationsOf = (schema: SchemaVersions.Schema): Readonly<Record<string, Migration>> =>
  SchemaVersions.migrations(schema, (version) => Ddl.statements(schema, version), byHand)

export const migrations = migrationsOf({ store: storeTables, own: ownTables })

/** All workers of a database take turns here: any number, not used for anything else. */
export const turn = 7_130_221_001

export const migrate = async (connections: Connections, to = migrations): Promise<void> => {
  await assertFit(connections.db)
  await connections.db.transaction().execute(async (tx) => {
    // Whoever is first may take a while.
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
    throw new UnusableServer({ message: `PostgreSQL ${oldestVersion} or newer is needed; this server is ${version}` })
  }
  // A pooler has dropped the settings that the session asked for at its start.
  if (path !== "siteledger") throw behindPooler
}
