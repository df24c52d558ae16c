/**
 * The embedded Warehouse: one DuckDB file with one owner, this process.
 *
 * Guarantees: at start the file is compared with the Store (`OwnFile`). A missing, foreign, older or damaged file is set
 * aside (kept), and the warehouse is rebuilt from the Store and a new walk; the log says so. A file that can't be opened
 * for another reason is left alone and named in the error. After damage that is met later, a worker opens it again.
 */
import { Effect, Layer, Option, Semaphore } from "effect"
import { sql } from "kysely"
import { Restart } from "../../Runtime/Restart.ts"
import type { Store, StoreError } from "../Store.ts"
import {
  type Batch,
  type BooksWatermark,
  type Partition,
  type TakeLines,
  Warehouse,
  type WarehouseError
} from "../Warehouse.ts"
import { attempt, attemptOn, noting } from "./Failure.ts"
import type { OpenFile } from "./File.ts"
import { sharesOf, usualBudgetMb } from "./Memory.ts"
import { metaOf, openOwn } from "./OwnFile.ts"
import { aside, mirrorOf, on } from "./Mirror.ts"
import { Resources, wantedTables } from "../Resources.ts"
import { Publication } from "./Publication.ts"
import { readAll, tablesIn, withConnection } from "./ReadAll.ts"
import { discardOlder } from "./SetAside.ts"
import { DuckDbSnapshot } from "./Snapshot.ts"
import { DuckDbWriter } from "./Writer.ts"

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

type AttemptFile = <A>(use: () => Promise<A>) => Effect.Effect<A, WarehouseError>

/** A table each. */
const piecesOf = ({ instance }: OpenFile, attemptFile: AttemptFile) =>
  Effect.map(
    attemptFile(() => withConnection(instance, tablesIn)),
    (all) =>
      all.map((table) => ({
        name: `table ${table} of the warehouse`,
        check: attemptFile(() => withConnection(instance, (connection) => readAll(connection, table)))
      }))
  )

const snapshotOf = (file: OpenFile, oneWriter: Semaphore.Semaphore, attemptFile: AttemptFile) =>
  Effect.gen(function* () {
    yield* Effect.acquireRelease(
      attempt(() => file.memory.takeRoom()),
      () => Effect.promise(() => file.memory.giveRoom())
    )
    const taken = yield* Effect.acquireRelease(
      oneWriter.withPermit(attemptFile(() => DuckDbSnapshot.open(file.instance, file.tables.all))),
      (opened) => Effect.promise(() => opened.close())
    )
    return {
      watermark: taken.watermark,
      tables: taken.tables,
      eventDates: attemptFile(() => taken.eventDates()),
      writeTable: (table: string, target: string) => attemptFile(() => taken.writeTable(table, target)),
      writeEvents: (dates: ReadonlyArray<Partition>, folder: string) =>
        attemptFile(() => taken.writeEvents(dates, folder)),
      head: attemptFile(() => taken.head()),
      readJournal: (take: TakeLines) => attemptFile(() => taken.readJournal(take))
    }
  })

const fatal = "the warehouse has to be closed and opened again after an error"

const make = (path: string, budgetMb: number) =>
  Effect.gen(function* () {
    const making = { shares: sharesOf(budgetMb), tables: wantedTables(yield* Resources) }
    const { file, id } = yield* Effect.acquireRelease(openOwn(path, making), (opened) =>
      Effect.promise(() => opened.file.close())
    )
    const attemptHere = attemptOn(file)
    const noted = noting(path)
    const restart = yield* Effect.serviceOption(Restart)
    const openAgain = Option.match(restart, { onNone: () => Effect.void, onSome: ({ request }) => request(fatal) })
    let lost: WarehouseError | undefined
    const attemptFile: AttemptFile = (use) =>
      Effect.suspend(() => (lost === undefined ? noted(attemptHere(use)) : Effect.fail(lost))).pipe(
        Effect.tapError((error) => {
          if (error.reason !== "Fatal") return Effect.void
          lost = error
          return openAgain
        })
      )
    const oneWriter = yield* Semaphore.make(1)
    const publication = new Publication(file.instance, file.tables.all, (run) =>
      Effect.runPromise(oneWriter.withPermit(Effect.promise(run)))
    )
    const writer = yield* Effect.acquireRelease(
      attempt(() => DuckDbWriter.open(file, publication.wrote)),
      (opened) => Effect.sync(() => opened.close())
    )
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

    const run = on(file.instance)
    const mirror = mirrorOf("the warehouse", run, (use) => oneWriter.withPermit(Effect.uninterruptible(run(use))))

    return Warehouse.of({
      id,
      opened: Effect.void,
      write,
      watermark: Effect.map(metaOf(file), (meta) => meta.watermark),
      books: attemptFile(() => booksOf(file)),
      probe: oneWriter.withPermit(Effect.uninterruptible(attemptFile(() => writer.probe()))),
      version: Effect.sync(() => version),
      table: (name) => Effect.sync(() => file.tables.of(name)),
      query: (run) => attemptFile(() => run(file.db)),
      snapshot: snapshotOf(file, oneWriter, attemptFile),
      publish: (target, { isWhole = false } = {}) => attemptFile(() => publication.publish(target, isWhole)),
      pieces: piecesOf(file, attemptFile),
      mirrors: { live: Effect.succeed(Option.some(mirror)), aside: aside(path) },
      keepNewest: Effect.sync(() => discardOlder(path))
    })
  })

export const layerAt = (
  path: string,
  budgetMb = usualBudgetMb
): Layer.Layer<Warehouse, WarehouseError | StoreError, Store> => Layer.effect(Warehouse, make(path, budgetMb))
