/**
 * Everything about the DuckDB file except writing rows: creating, opening, migrating, copying.
 *
 * Guarantees: the first statement after every open is CHECKPOINT (it binds keys and empties the WAL). Migrations run on
 * a copy that is then renamed, so after a crash there is one usable file. The live file is never opened with `fs`,
 * because closing that descriptor would drop DuckDB's lock.
 */
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, renameSync, rmSync } from "node:fs"
import { dirname } from "node:path"
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { Kysely } from "kysely"
import { Migrator } from "kysely/migration"
import { DuckDbDialect } from "./Dialect.ts"
import { flushedAtRest, Memory, newColumnsIn, restingOf, type Shares, sharesOf, usualBudgetMb } from "./Memory.ts"
import { evolve } from "./Evolve.ts"
import { migrations } from "./Migrations.ts"
import { type EntityTable, type EntityTables, usual } from "../EntityTables.ts"
import type { WarehouseTables } from "../WarehouseTables.ts"
import * as Literal from "../../Domain/Literal.ts"

type Migrations = typeof migrations

interface Opened {
  readonly instance: DuckDBInstance
  readonly db: Kysely<WarehouseTables>
  readonly memory: Memory
  readonly close: () => Promise<void>
}

export interface OpenFile extends Opened {
  readonly tables: EntityTables
}

export interface Making {
  readonly to?: Migrations
  readonly shares?: Shares
  /** The entity tables that it must at least have. */
  readonly tables?: ReadonlyArray<EntityTable>
}

// A small WAL keeps the replay after a crash short.
const settings = {
  wal_autocheckpoint: "16MB",
  // Only when the writer asks: vacuuming at every checkpoint of a first walk took 100 MB and a sixth of the speed.
  max_vacuum_tasks: "0",
  // Raised during large work (`Memory`).
  threads: "1",
  allocator_flush_threshold: flushedAtRest,
  allocator_bulk_deallocation_flush_threshold: flushedAtRest
}

const open = async (path: string, shares: Shares): Promise<Opened> => {
  // Replaying a log with new rows of many tables takes more memory than a worker needs afterwards.
  const most = Math.max(restingOf(shares, path), shares.working)
  const instance = await DuckDBInstance.create(path, { ...settings, memory_limit: `${most}MB` })
  const db = new Kysely<WarehouseTables>({ dialect: new DuckDbDialect({ instance }) })
  try {
    await run(instance, "checkpoint")
  } catch (cause) {
    instance.closeSync()
    throw cause
  }
  const memory = new Memory(instance, shares, undefined, path)
  await memory.rest()
  return {
    instance,
    db,
    memory,
    close: async () => {
      await db.destroy()
      instance.closeSync()
    }
  }
}

const run = async (instance: DuckDBInstance, ...statements: ReadonlyArray<string>): Promise<void> => {
  const connection = await instance.connect()
  try {
    for (const statement of statements) await connection.run(statement)
  } finally {
    connection.disconnectSync()
  }
}

const migrator = (db: Kysely<WarehouseTables>, to: Migrations): Migrator =>
  new Migrator({ db, provider: { getMigrations: async () => to }, migrationTableSchema: "siteledger" })

const migrate = async ({ db, instance }: Opened, to: Migrations): Promise<void> => {
  const { error } = await migrator(db, to).migrateToLatest()
  if (error !== undefined) throw error
  await run(instance, "checkpoint")
}

const isCurrent = async ({ db }: Opened, to: Migrations): Promise<boolean> =>
  (await migrator(db, to).getMigrations()).every((migration) => migration.executedAt !== undefined)

/** Opens the warehouse at `path`, after creating or migrating it if needed. */
export const openWarehouse = async (
  path: string,
  { shares = sharesOf(usualBudgetMb), tables = usual, to = migrations }: Making = {}
): Promise<OpenFile> => {
  const file = await openCurrent(path, to, shares)
  try {
    return { ...file, tables: await evolve(file.instance, tables) }
  } catch (cause) {
    await file.close()
    throw cause
  }
}

const openCurrent = async (path: string, to: Migrations, shares: Shares): Promise<Opened> => {
  mkdirSync(dirname(path), { recursive: true })
  // A migration gets the whole share, because nothing else is open yet.
  const whole = { ...shares, resting: shares.working }
  if (!existsSync(path)) {
    await makeNew(path, to, whole)
    return open(path, shares)
  }
  const file = await open(path, shares)
  if (await isCurrent(file, to)) return file
  await file.close()
  await migrateCopy(await open(path, whole), path, to, whole)
  return open(path, shares)
}

const makeNew = async (path: string, to: Migrations, shares: Shares): Promise<void> => {
  const unfinished = `${path}.new`
  discardFile(unfinished)
  const file = await open(unfinished, shares)
  await migrate(file, to)
  await file.db
    .insertInto("siteledger.meta")
    .values([
      { key: "id", value: randomUUID() },
      { key: "applied_through", value: "0" }
    ])
    .execute()
  await run(file.instance, "checkpoint")
  await file.close()
  discardFile(`${path}.wal`)
  renameSync(unfinished, path)
}

const migrateCopy = async (file: Opened, path: string, to: Migrations, shares: Shares): Promise<void> => {
  const copy = `${path}.migrating`
  discardFile(copy)
  await copyTo(file.instance, copy)
  await file.close()
  const migrated = await open(copy, shares)
  await migrate(migrated, to)
  await migrated.close()
  renameSync(copy, path)
}

/** Copies the whole database, as of one point in time, into a new file; writers continue meanwhile. */
export const copyTo = (instance: DuckDBInstance, path: string): Promise<void> =>
  copying(instance, path, async (connection, own) => {
    await connection.run(`copy from database "${own}" to copied`)
  })

type Copy = (connection: DuckDBConnection, own: string) => Promise<void>

/**
 * Attaches another file as `copied`, without a log. A log would only write everything twice, since no one uses the file
 * yet.
 */
export const copying = async (instance: DuckDBInstance, path: string, copy: Copy): Promise<void> => {
  const connection = await instance.connect()
  try {
    const [[own] = []] = (await connection.runAndReadAll("select current_database()")).getRowsJson()
    await connection.run(`attach ${Literal.text(path)} as copied (recovery_mode no_wal_writes)`)
    await copy(connection, String(own))
  } finally {
    try {
      // Needed after a failure; otherwise there is no transaction.
      await connection.run("rollback").catch(() => undefined)
      await connection.run("detach database if exists copied").catch(notFinished)
    } finally {
      connection.disconnectSync()
    }
  }
}

/** `columnsAtOnce`: how many fit into its memory (`newColumnsIn`). */
type Use<A> = (instance: DuckDBInstance, columnsAtOnce: number) => Promise<A>

/** A DuckDB without a file, from which others are filled. `folder` takes what doesn't fit into memory. */
export const inMemory = async <A>(folder: string, use: Use<A>): Promise<A> => {
  const { resting } = sharesOf(usualBudgetMb)
  const instance = await DuckDBInstance.create(":memory:", {
    ...settings,
    memory_limit: `${resting}MB`,
    temp_directory: folder
  })
  try {
    return await use(instance, newColumnsIn(resting))
  } finally {
    instance.closeSync()
  }
}

/** DuckDB writes the rest when it detaches. On a full disk it calls the copy invalidated; our own file is fine. */
const notFinished = (cause: unknown): never => {
  const said = cause instanceof Error ? cause.message : String(cause)
  throw new Error(`the copy can't be finished: ${/Original error: (.+)/.exec(said)?.[1] ?? said}`, { cause })
}

export const discardFile = (path: string): void => {
  rmSync(path, { force: true })
  rmSync(`${path}.wal`, { force: true })
}

/** Another program has the file open; the file itself is fine. */
export const isHeldByAnother = (cause: unknown): boolean =>
  cause instanceof Error && /could not set lock|being used by another process/i.test(cause.message)
