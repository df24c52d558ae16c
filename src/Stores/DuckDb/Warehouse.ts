/**
 * The embedded Warehouse: one DuckDB file with one owner, this process.
 *
 * Guarantees: at start the file is compared with the Store. A missing, foreign, older or unreadable file is set aside
 * (kept), and the warehouse is rebuilt from the Store and a new walk; the log says so. A file that another program has
 * open is left alone and named in the error.
 */
import { existsSync, renameSync } from "node:fs"
import { Clock, Effect, Layer, Semaphore } from "effect"
import { sql } from "kysely"
import { Store, type StoreError } from "../Store.ts"
import {
  type Batch,
  type BooksWatermark,
  type Partition,
  type TakeLines,
  Warehouse,
  WarehouseError
} from "../Warehouse.ts"
import { copyTo, discardFile, isHeldByAnother, type OpenFile, openWarehouse, setAside } from "./File.ts"
import { DuckDbSnapshot } from "./Snapshot.ts"
import { DuckDbWriter } from "./Writer.ts"
import * as Projection from "../Projection.ts"

const refusals = /conversion error|constraint error|invalid input|out of range|malformed json/i
const fatal = /^FATAL|database has been invalidated/
const outOfMemory = /out of memory error/i

const reasonOf = (cause: unknown, message: string): WarehouseError["reason"] => {
  if (fatal.test(message)) return "Fatal"
  const isRefused = cause instanceof RangeError || cause instanceof TypeError || refusals.test(message)
  return isRefused ? "Refused" : "Failed"
}

/** Refused data can never be written; everything else may be retried. */
const failed = (cause: unknown): WarehouseError => {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new WarehouseError({ reason: reasonOf(cause, message), message: `DuckDB: ${message}`, cause })
}

const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, WarehouseError> =>
  Effect.tryPromise({ try: run, catch: failed })

/** Raises DuckDB's memory limit after it ran out, as very wide rows make it do. */
const attemptOn =
  (file: OpenFile) =>
  <A>(run: () => Promise<A>): Effect.Effect<A, WarehouseError> =>
    Effect.catchIf(
      attempt(run),
      (error) => outOfMemory.test(error.message),
      ({ cause }) =>
        Effect.gen(function* () {
          const mb = yield* attempt(file.takeMoreMemory)
          const had = "DuckDB ran out of memory while reading"
          if (mb === undefined) {
            return yield* new WarehouseError({
              reason: "Failed",
              message: `${had}, and the machine has no more.`,
              cause
            })
          }
          yield* Effect.logWarning(`${had}; it may use ${mb} MB from now on.`)
          return yield* new WarehouseError({ reason: "Short", message: `${had}; it has more now.`, cause })
        })
    )

/** Opens the file; an unreadable one is set aside first and made again. `isNew`: it was just made. */
const openFile = Effect.fn("DuckDb.open")(function* (path: string) {
  const isNew = !existsSync(path)
  const opened = yield* Effect.result(attempt(() => openWarehouse(path)))
  if (opened._tag === "Success") return { file: opened.success, isNew }
  const { cause, message } = opened.failure
  if (isHeldByAnother(cause)) {
    return yield* new WarehouseError({
      reason: "Held",
      message: `Another program has ${path} open. Close it (analysts read analytics.duckdb instead). ${message}`,
      cause
    })
  }
  const kept = setAside(path, yield* stamp)
  yield* Effect.logError(`The warehouse can't be read and is rebuilt; the old file is kept as ${kept}. ${message}`)
  return { file: yield* attempt(() => openWarehouse(path)), isNew: true }
})

const stamp = Effect.map(Clock.currentTimeMillis, String)

const metaOf = (file: OpenFile) =>
  attempt(async () => {
    const rows = await file.db.selectFrom("siteledger.meta").selectAll().execute()
    const value = (key: string): string => rows.find((row) => row.key === key)?.value ?? ""
    return { id: value("id"), watermark: Number(value("applied_through")) }
  })

/** Entries and decisions count only if they run from the first one without a gap. */
const booksOf = async ({ db }: OpenFile): Promise<BooksWatermark> => {
  const { rows } = await sql<Record<"entries" | "entry" | "decisions" | "decision", string>>`
    select (select count(*) from construction.ledger_entries) as entries,
      (select coalesce(max(sequence), 0) from construction.ledger_entries) as entry,
      (select count(*) from construction.ledger_hold_decisions) as decisions,
      (select coalesce(max("number"), 0) from construction.ledger_hold_decisions) as decision`.execute(db)
  const [{ decision = "0", decisions = "0", entries = "0", entry = "0" } = {}] = rows
  return {
    entries: entries === entry ? Number(entry) : 0,
    decisions: decisions === decision ? Number(decision) : 0,
    facts: 0
  }
}

/** Opens the file that belongs to this Store, or makes a new one and records it in the Store. */
const openOwn = Effect.fn("DuckDb.openOwn")(function* (path: string) {
  const store = yield* Store
  const opened = yield* openFile(path)
  let file = opened.file
  let meta = yield* metaOf(file)
  const verdict = yield* Projection.compare(store, meta)
  if (verdict.isFresh) {
    yield* Projection.adopt(store, meta.id)
  } else if (verdict.mismatch !== undefined) {
    yield* Effect.logWarning(`${verdict.mismatch} It is rebuilt from the store and a new walk.`)
    if (!opened.isNew) {
      yield* attempt(() => file.close())
      const kept = setAside(path, yield* stamp)
      yield* Effect.logWarning(`The old warehouse is kept as ${kept}`)
      file = yield* attempt(() => openWarehouse(path))
      meta = yield* metaOf(file)
    }
    yield* Projection.startAgain(store, meta.id)
  }
  return { file, id: meta.id }
})

const make = (path: string) =>
  Effect.gen(function* () {
    const { file, id } = yield* Effect.acquireRelease(openOwn(path), (opened) =>
      Effect.promise(() => opened.file.close())
    )
    const attemptFile = attemptOn(file)
    const writer = yield* Effect.acquireRelease(
      attempt(() => DuckDbWriter.open(file.instance)),
      (opened) => Effect.sync(() => opened.close())
    )
    const oneWriter = yield* Semaphore.make(1)
    let version = 0

    const write = (batch: Batch) =>
      oneWriter.withPermit(
        Effect.uninterruptible(
          Effect.map(
            attemptFile(() => writer.write(batch)),
            ({ isVisible }) => {
              if (isVisible) version++
            }
          )
        )
      )

    const snapshot = Effect.gen(function* () {
      const taken = yield* Effect.acquireRelease(
        oneWriter.withPermit(attemptFile(() => DuckDbSnapshot.open(file.instance))),
        (opened) => Effect.promise(() => opened.close())
      )
      return {
        watermark: taken.watermark,
        tables: taken.tables,
        eventDates: attemptFile(() => taken.eventDates()),
        writeTable: (table: string, target: string) => attemptFile(() => taken.writeTable(table, target)),
        writeEvents: (dates: ReadonlyArray<Partition>, folder: string) =>
          attemptFile(() => taken.writeEvents(dates, folder)),
        readJournal: (take: TakeLines) => attemptFile(() => taken.readJournal(take))
      }
    })

    return Warehouse.of({
      id,
      write,
      watermark: Effect.map(metaOf(file), (meta) => meta.watermark),
      books: attemptFile(() => booksOf(file)),
      probe: oneWriter.withPermit(Effect.uninterruptible(attemptFile(() => writer.probe()))),
      version: Effect.sync(() => version),
      query: (run) => attemptFile(() => run(file.db)),
      snapshot,
      publish: (target) =>
        attemptFile(async () => {
          const unfinished = `${target}.unfinished`
          discardFile(unfinished)
          await copyTo(file.instance, unfinished)
          renameSync(unfinished, target)
        })
    })
  })

export const layerAt = (path: string): Layer.Layer<Warehouse, WarehouseError | StoreError, Store> =>
  Layer.effect(Warehouse, make(path))
