/**
 * The embedded Store: one SQLite file (WAL, synchronous=FULL), used through Kysely, with prepared statements for
 * deliveries. There is one connection, and Kysely's lock on it keeps transactions and deliveries apart.
 *
 * After kill -9 or a power cut SQLite rolls back what wasn't committed; nothing needs repair.
 */
import { mkdirSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync, type SQLInputValue } from "node:sqlite"
import { Duration, Effect, Layer } from "effect"
import { Kysely, SqliteAdapter, type SqliteDatabase, SqliteDialect } from "kysely"
import { Migrator } from "kysely/migration"
import { Settings } from "../../../config/Settings.ts"
import { codeOf, whyNot } from "../../Runtime/SystemFailure.ts"
import { type Delivery, Store, StoreError } from "../Store.ts"
import { backUp, makePrivate } from "./Copy.ts"
import { sqliteQueue } from "./Queue.ts"
import { migrations } from "./Migrations.ts"
import type { StoreTables } from "../StoreTables.ts"

const parameter = (value: unknown): SQLInputValue => {
  if (value === undefined || value === null) return null
  return typeof value === "boolean" ? Number(value) : (value as SQLInputValue)
}

/** Kysely expects better-sqlite3, which takes parameters as an array; node:sqlite takes them one by one. */
const adapter = (database: DatabaseSync): SqliteDatabase => ({
  close: () => database.close(),
  prepare: (text) => {
    // A full disk has already caused a rollback: Kysely's own must not fail and hide the cause.
    const isRolledBack = text === "rollback" && !database.isTransaction
    const statement = database.prepare(isRolledBack ? "select 1 where false" : text)
    return {
      reader: statement.columns().length > 0,
      all: (parameters) => statement.all(...parameters.map(parameter)),
      run: (parameters) => statement.run(...parameters.map(parameter)),
      iterate: (parameters) => statement.iterate(...parameters.map(parameter))
    }
  }
})

/** SQLite's DDL is transactional. Kysely's adapter denies it, so a kill in a migration would leave half of the tables. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

class Dialect extends SqliteDialect {
  override createAdapter(): SqliteAdapter {
    return new TransactionalAdapter()
  }
}

export const dialect = (database: DatabaseSync): Dialect => new Dialect({ database: adapter(database) })

const fullDisk = 13
const busy = 5

export const storeError = (cause: unknown): StoreError => {
  const code = (cause as { errcode?: number }).errcode ?? 0
  const message = cause instanceof Error ? cause.message : String(cause)
  const primary = code & 0xff
  const reason = primary === fullDisk ? "Full" : primary === busy ? "Locked" : "Failed"
  return new StoreError({ reason, message: `The store failed: ${message}`, cause })
}

/** SQLITE_CORRUPT and SQLITE_NOTADB. */
const damaged: ReadonlySet<number> = new Set([11, 26])

const notOpened = (path: string) => (cause: unknown) => {
  const { reason } = storeError(cause)
  const isDamaged = damaged.has(((cause as { readonly errcode?: number }).errcode ?? 0) & 0xff)
  const advice = isDamaged ? " Keep the file and restore a backup: siteledger restore FILE." : ""
  return new StoreError({ reason, message: `The store ${path} can't be opened: ${whyNot(cause)}.${advice}`, cause })
}

const notBackedUp = (target: string) => (cause: unknown) => {
  const isThere = codeOf(cause) === "EEXIST"
  const message = isThere
    ? `${target} already exists and was not changed.`
    : `The backup ${target} can't be written: ${whyNot(cause)}.`
  return new StoreError({ reason: storeError(cause).reason, message, cause })
}

/** A checkpoint costs a flush, and writes each index page once: so one per 32 MiB of log, not per four. */
const checkpointPages = 8000

/** Opens a SQLite file with the durability that acknowledging a delivery requires. */
export const openFile = (path: string): DatabaseSync => {
  mkdirSync(dirname(path), { recursive: true })
  makePrivate(path)
  const database = new DatabaseSync(path, { timeout: 5000 })
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on")
  database.exec(`pragma wal_autocheckpoint = ${checkpointPages}`)
  return database
}

export const migrate = async (db: Kysely<StoreTables>, to = migrations): Promise<void> => {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => to } })
  const { error } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
}

/** Limits how far a row can grow when the same body is sent again under new labels. */
const mostLabels = 64

/** Nearly all deliveries are new, so the insert is the fast path: `returning` on it would cost a quarter more. */
const prepareReceive = (database: DatabaseSync) => {
  const insert = database.prepare(
    `insert into inbox (body_sha256, body, event_id, header_type, issued_at, received_at) values (?, ?, ?, ?, ?, ?)
     on conflict (body_sha256) do nothing`
  )
  const count = database.prepare(
    `update inbox set
       deliveries = deliveries + 1,
       replayed = max(replayed, event_id <> :eventId),
       other_types = case
         when :headerType is null or :headerType is header_type
           or :headerType in (select value from json_each(other_types))
           or json_array_length(other_types) >= ${mostLabels} then other_types
         else json_insert(coalesce(other_types, '[]'), '$[#]', :headerType) end
     where body_sha256 = :bodySha256
     returning sequence`
  )
  const touch = database.prepare("insert or ignore into inbox_touched (sequence) values (?)")
  const store = ({ body, bodySha256, eventId, headerType, issuedAt, receivedAt }: Delivery): boolean => {
    const { changes } = insert.run(bodySha256, body, eventId, headerType, issuedAt, receivedAt)
    if (changes === 1) return true
    touch.run(count.get({ eventId, headerType, bodySha256 })?.["sequence"] ?? null)
    return false
  }
  return (batch: ReadonlyArray<Delivery>): number => {
    database.exec("begin immediate")
    try {
      let fresh = 0
      for (const delivery of batch) if (store(delivery)) fresh++
      database.exec("commit")
      return fresh
    } catch (cause) {
      if (database.isTransaction) database.exec("rollback")
      throw cause
    }
  }
}

const make = (path: string) =>
  Effect.gen(function* () {
    const database = yield* Effect.acquireRelease(
      Effect.try({ try: () => openFile(path), catch: notOpened(path) }),
      (opened) => Effect.sync(() => opened.close())
    )
    const db = new Kysely<StoreTables>({ dialect: dialect(database) })
    yield* Effect.tryPromise({ try: () => migrate(db), catch: storeError })
    const receiveNow = prepareReceive(database)
    return Store.of({
      engine: "sqlite",
      atomically: (effect) => effect,
      afterCommit: (effect) => effect,
      pollEvery: Duration.infinity,
      lostKey: Effect.void,
      workers: { say: () => Effect.void, withdraw: () => Effect.void, all: Effect.succeed([]) },
      queue: sqliteQueue,
      run: (query) => Effect.tryPromise({ try: () => query(db), catch: storeError }),
      transaction: (body) =>
        Effect.uninterruptible(Effect.tryPromise({ try: () => db.transaction().execute(body), catch: storeError })),
      receive: (batch) => db.connection().execute(async () => receiveNow(batch)),
      backup: (target, isReplacing) =>
        Effect.tryPromise({ try: () => backUp(path, target, isReplacing), catch: notBackedUp(target) })
    })
  })

export const layerAt = (path: string): Layer.Layer<Store, StoreError> => Layer.effect(Store, make(path))

export const layer = Layer.unwrap(Effect.map(Settings, ({ dataDir }) => layerAt(storePath(dataDir))))

export const storePath = (dataDir: string): string => join(dataDir, "store.sqlite")
