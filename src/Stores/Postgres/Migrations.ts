/**
 * The migrations of a PostgreSQL database. Each version has up to two parts: what it adds to `ledger`, whose owner may
 * be a separate role, and the rest (`siteledger` and `construction`), which belongs to the worker. Each part is one
 * transaction, so a crash leaves nothing of it behind. `ledger` comes first, and doesn't need the rest.
 *
 * Where the worker's role owns everything, the first worker to start runs both parts in one transaction. Elsewhere
 * `siteledger migrate` runs the owner's part, and a worker refuses to start until then.
 */
import { type Kysely, sql } from "kysely"
import { type Migration, Migrator } from "kysely/migration"
import { storeTables } from "../StoreTables.ts"
import * as SchemaVersions from "../SchemaVersions.ts"
import { viewNames, viewsSince } from "../Views.ts"
import { ownTables, tables } from "../WarehouseTables.ts"
import * as Comments from "./Comments.ts"
import type { Connections } from "./Connections.ts"
import * as Ddl from "./Ddl.ts"
import { behindPooler, UnusableServer } from "./Failure.ts"
import * as JsonbViews from "./JsonbViews.ts"
import * as Owner from "./Owner.ts"
import * as Relocation from "./Relocation.ts"
import * as Rights from "./Rights.ts"

/** It has identity columns, SKIP LOCKED and transaction states that can be queried. */
export const oldestVersion = 14

/**
 * If the role may not create schemas, an administrator has created it; `if not exists` would require that right too.
 */
const createSchema =
  (name: string) =>
  async <DB>(db: Kysely<DB>): Promise<void> => {
    const { rows } = await sql`select from pg_namespace where nspname = ${name}`.execute(db)
    if (rows.length === 0) await sql`create schema ${sql.id(name)}`.execute(db)
  }

/** A cast, because a plain 0 has no decimals here. */
const firstLines = `
  select entry_id, account, cast(debit as numeric(28,4)) as debit, cast(credit as numeric(28,4)) as credit
  from (${viewsSince[1]?.["ledger_lines"]}) as lines`

/** A replaced view keeps its owner and its privileges. */
const made = (queries: Readonly<Record<string, string>> = {}): ReadonlyArray<string> =>
  Object.entries(queries).flatMap(([name, query]) => [
    `create or replace view construction.${name} as ${query}`,
    Rights.readOnly(`construction.${name}`)
  ])

const byHand = {
  1: {
    before: [createSchema("construction")],
    after: made({ ...viewsSince[1], ledger_lines: firstLines })
  },
  2: { after: [SchemaVersions.typesInQuarantine, ...made(viewsSince[2])] },
  3: { after: made(viewsSince[3]) },
  8: { after: made(viewsSince[8]) }
}

type Part = "ledger" | "rest"
type Version = { readonly [P in Part]: Migration | undefined }
export type Migrations = Readonly<Record<string, Version>>

export const migrationsOf = (schema: SchemaVersions.Schema): Migrations => {
  const ledger = SchemaVersions.migrations(schema, (version) => Ddl.ofLedger(schema, version), {
    1: { before: Rights.functions }
  })
  const rest = SchemaVersions.migrations(schema, (version) => Ddl.ofRest(schema, version), byHand)
  const names = Object.keys({ ...ledger, ...rest }).toSorted()
  return Object.fromEntries(names.map((name) => [name, { ledger: ledger[name], rest: rest[name] }]))
}

export const migrations = migrationsOf({ store: storeTables, own: ownTables })

export const partOf = (all: Migrations, part: Part): Readonly<Record<string, Migration>> =>
  Object.fromEntries(
    Object.entries(all).flatMap(([name, { [part]: migration }]) => (migration === undefined ? [] : [[name, migration]]))
  )

const noChange: Migration = { up: async () => undefined }

/** The advisory lock for migrations: arbitrary, but used for nothing else. */
export const turn = 7_130_221_001

export interface Step {
  /** Null if there was nothing. */
  readonly from: string | null
  readonly to: string
}

export interface LedgerStep extends Step {
  /** Moved from `siteledger`, where older versions had it. */
  readonly isMoved: boolean
}

export interface Migrated {
  readonly ledger: LedgerStep
  readonly rest: Step
  /** Older workers, for which stand-ins still exist (`Relocation`). */
  readonly olderWorkers: number
}

const run = async <DB>(
  db: Kysely<DB>,
  schema: string,
  to: Readonly<Record<string, Migration>>,
  isRun: (name: string) => boolean = () => true
): Promise<Step> => {
  const all = Object.fromEntries(Object.entries(to).map(([name, each]) => [name, isRun(name) ? each : noChange]))
  const provider = { getMigrations: async () => all }
  const { error, results = [] } = await new Migrator({ db, provider, migrationTableSchema: schema }).migrateToLatest()
  const newer = SchemaVersions.newer(error)
  if (newer !== undefined) throw new UnusableServer(newer)
  if (error !== undefined) throw error
  const names = Object.keys(to).toSorted()
  const fresh = new Set(results.map(({ migrationName }) => migrationName).filter(isRun))
  return { from: names.findLast((name) => !fresh.has(name)) ?? null, to: names.at(-1) ?? "" }
}

/** Acts as the owner, so that everything it creates belongs to that role; creates the schema if there is none. */
const migrateLedger = async <DB>(
  db: Kysely<DB>,
  { owner, role, versions }: Owner.Owner,
  worker: Owner.Worker,
  to: Migrations
): Promise<LedgerStep> => {
  const isMoved = versions.length === 0 && (await Relocation.isDue(db))
  if (owner === null) await createSchema("ledger")(db)
  else if (owner !== role) await sql`set local role ${sql.id(owner)}`.execute(db)
  if (isMoved) await Relocation.relocate(db, worker.role, worker.versions)
  const step = await run(db, "ledger", partOf(to, "ledger"), (name) => !(isMoved && worker.versions.includes(name)))
  if ((owner ?? role) !== worker.role) {
    await Relocation.restoreFunctions(db, Object.keys(partOf(to, "ledger")))
    await Owner.letAppend(db, worker.role)
  }
  await sql`set local role ${sql.id(role)}`.execute(db)
  return { ...step, isMoved }
}

const inTurn = async <A>(connections: Connections, use: (db: Kysely<unknown>) => Promise<A>): Promise<A> => {
  await assertFit(connections)
  return connections.db.transaction().execute(async (tx) => {
    // The first worker may take a while, so this waits for it.
    await sql`set local lock_timeout = 0`.execute(tx)
    await sql`select pg_advisory_xact_lock(${turn})`.execute(tx)
    // But later statements on a table queue behind this one, so it gives up soon and is tried again.
    await sql`set local lock_timeout = '3s'`.execute(tx)
    return use(tx as unknown as Kysely<unknown>)
  })
}

/** Whether `ledger` lacks a version. While the books are still elsewhere, it lacks all of them (`Relocation`). */
const isDue = ({ versions }: Owner.Owner, to: Migrations): boolean => {
  const known = Object.keys(partOf(to, "ledger"))
  const unknown = versions.filter((name) => !known.includes(name))
  if (unknown.length > 0) throw Owner.tooNew(unknown)
  return known.some((name) => !versions.includes(name))
}

/** As the worker's role: everything that it may do. */
export const migrate = (connections: Connections, to = migrations, refused = Owner.refused): Promise<Migrated> =>
  inTurn(connections, async (db) => {
    const found = await Owner.look(db)
    const current = found.versions.at(-1) ?? null
    let ledger: LedgerStep = { from: current, to: current ?? "", isMoved: false }
    if (isDue(found, to)) {
      if (!found.mayChange) throw refused(found)
      ledger = await migrateLedger(db, found, { role: found.role, versions: await Relocation.versionsBefore(db) }, to)
    }
    await createSchema("siteledger")(db)
    const rest = await run(db, "siteledger", partOf(to, "rest"))
    await Comments.renew(db)
    await JsonbViews.renew(db, [...tables.map(({ name }) => name), ...viewNames])
    return { ledger, rest, olderWorkers: await Relocation.settle(db) }
  })

/** As the owner: only `ledger`, with its functions and the worker's privileges as they must be. */
export const migrateLedgerFor = (
  worker: Owner.Worker,
  connections: Connections,
  to = migrations
): Promise<LedgerStep> =>
  inTurn(connections, async (db) => {
    const found = await Owner.look(db)
    if (found.owner === worker.role && found.role !== worker.role) throw Owner.unseparated
    if (!found.mayChange) throw Owner.notOwner(found)
    // Refuses newer versions.
    isDue(found, to)
    return migrateLedger(db, found, worker, to)
  })

const assertFit = async ({ db, searchPath }: Connections): Promise<void> => {
  const { rows } = await sql<{ version: string; path: string }>`
    select current_setting('server_version') as version, current_setting('search_path') as path`.execute(db)
  const { path = "", version = "" } = rows[0] ?? {}
  if (Number.parseInt(version, 10) < oldestVersion) {
    throw new UnusableServer(`PostgreSQL ${oldestVersion} or newer is needed; this server is ${version}`)
  }
  // A pooler has dropped the settings that the session requested at startup.
  if (path !== searchPath) throw behindPooler
}
