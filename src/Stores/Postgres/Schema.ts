/**
 * The schemas of a PostgreSQL database: `siteledger` (the Store) and `construction` (what analysts see), made and
 * brought up to date by whichever worker comes first, in one transaction: a death in the middle leaves nothing behind.
 *
 * The ledger's tables in `construction` are views over the Store's, so they can never tell something else.
 */
import { type Kysely, sql } from "kysely"
import { type Migration, Migrator } from "kysely/migration"
import * as HoldAmounts from "../../Ledger/HoldAmounts.ts"
import type { ColumnType } from "../../Domain/Resource.ts"
import { statements } from "./StoreTables.ts"
import { noExportFiles } from "../Sqlite/Migrations.ts"
import { ledgerLines, views } from "../DuckDb/Schema.ts"
import { asAtFirst, copiedTables, ledgerHoldsTable, ledgerTables, type Table } from "../WarehouseTables.ts"
import type { Connections } from "./Connections.ts"
import { behindPooler, UnusableServer } from "./Failure.ts"
import * as Rights from "./Rights.ts"

/** Identity columns, skipped locks and transaction states that can be asked for are all there since then. */
export const oldestVersion = 14

/** JSON as it was written: `jsonb` refuses some of it and keeps no bytes. */
const typeNames: Readonly<Record<ColumnType, string>> = {
  BIGINT: "bigint",
  VARCHAR: "text",
  "DECIMAL(28,4)": "numeric(28,4)",
  "DECIMAL(10,2)": "numeric(10,2)",
  TIMESTAMPTZ: "timestamptz",
  DATE: "date",
  JSON: "json"
}

export const typeName = (type: ColumnType): string => typeNames[type]

const createTable = ({ columns, key, name }: Table): string => {
  const written = columns.map(
    ([column, type]) => `"${column}" ${typeName(type)}${column === key ? " primary key" : ""}`
  )
  return `create table construction.${name} (${written.join(", ")})`
}

const createLedgerView = ({ columns, name }: Table): string => {
  const written = columns.map(([column, type]) => `cast("${column}" as ${typeName(type)}) as "${column}"`)
  return `create or replace view construction.${name} as select ${written.join(", ")} from siteledger.${name}`
}

const first: Migration = {
  up: async (db: Kysely<unknown>) => {
    await createSchema(db, "construction")
    const all = [
      ...statements,
      ...copiedTables.map(createTable),
      // For "what came late": design's status asks for events by their own time.
      "create index events_timestamp on construction.events (event_timestamp)",
      ...ledgerTables.map(asAtFirst).map(createLedgerView),
      ...Object.entries(views).map(([name, query]) => `create view construction.${name} as ${query}`),
      // A plain 0 has no decimals here.
      `create view construction.ledger_lines as
        select entry_id, account, cast(debit as numeric(28,4)) as debit, cast(credit as numeric(28,4)) as credit
        from (${ledgerLines}) as lines`
    ]
    for (const statement of all) await sql.raw(statement).execute(db)
  }
}

/** Where the worker's role may make none, an administrator has made it: `if not exists` would ask for that right too. */
const createSchema = async (db: Kysely<unknown>, name: string): Promise<void> => {
  const { rows } = await sql`select from pg_namespace where nspname = ${name}`.execute(db)
  if (rows.length === 0) await sql`create schema ${sql.id(name)}`.execute(db)
}

const statementsOf = (statements: ReadonlyArray<string>): Migration => ({
  up: async (db: Kysely<unknown>) => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
})

const holdAmounts: Migration = {
  up: async (db: Kysely<unknown>) => {
    await HoldAmounts.migration.up(db)
    await sql.raw(createLedgerView(ledgerHoldsTable)).execute(db)
  }
}

export const migrations: Record<string, Migration> = {
  "0001_store_and_warehouse": first,
  "0002_append_only_rights": statementsOf(Rights.statements),
  "0003_hold_amounts": holdAmounts,
  "0004_no_export_files": statementsOf(noExportFiles)
}

/** All workers of a database take turns here: any number, not used for anything else. */
export const turn = 7_130_221_001

export const migrate = async (connections: Connections): Promise<void> => {
  await assertFit(connections.db)
  await connections.db.transaction().execute(async (tx) => {
    // Whoever is first may take a while.
    await sql`set local lock_timeout = 0`.execute(tx)
    await sql`select pg_advisory_xact_lock(${turn})`.execute(tx)
    const { rows } = await sql`select from pg_namespace where nspname = 'siteledger'`.execute(tx)
    if (rows.length === 0) await sql`create schema siteledger`.execute(tx)
    const provider = { getMigrations: async () => migrations }
    const { error } = await new Migrator({ db: tx, provider, migrationTableSchema: "siteledger" }).migrateToLatest()
    if (error !== undefined) throw error
  })
}

const assertFit = async (db: Connections["db"]): Promise<void> => {
  const { rows } = await sql<{ version: string; path: string }>`
    select current_setting('server_version') as version, current_setting('search_path') as path`.execute(db)
  const { path = "", version = "" } = rows[0] ?? {}
  if (Number.parseInt(version, 10) < oldestVersion) {
    throw new UnusableServer(`PostgreSQL ${oldestVersion} or newer is needed, and this server is ${version}`)
  }
  // A pooler that keeps what a session asks for at its start to itself.
  if (path !== "siteledger") throw new UnusableServer(behindPooler)
}
