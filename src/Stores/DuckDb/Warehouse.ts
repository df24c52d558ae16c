/**
 * The embedded Warehouse: one DuckDB file, owned by this process.
 *
 * Guarantees: at startup the file is compared with the Store (`OwnFile`). A missing, foreign, older or damaged file is
 * set aside (kept), and the warehouse is rebuilt from the Store and a new walk; the log says so. A file that can't be
 * opened for another reason is left alone and named in the error. If damage is encountered later, a worker reopens it.
 * Columns are added while nothing else uses the file.
 */
import { Effect, Layer, Option, Semaphore } from "effect"
import { sql } from "kysely"
import { collectingEvery } from "../../Runtime/Rest.ts"
import { Restart } from "../../Runtime/Restart.ts"
import * as LearnedColumns from "../LearnedColumns.ts"
import { Store, type StoreError } from "../Store.ts"
import {
  type Batch,
  type BooksWatermark,
  type Partition,
  type TakeLines,
  Warehouse,
  type WarehouseError
} from "../Warehouse.ts"
import { attempt, attemptOn, noting } from "./Failure.ts"
import * as FileIdentity from "../FileIdentity.ts"
import type { Making, OpenFile } from "./File.ts"
import { Live } from "./Live.ts"
import { exportRoom, sharesOf, usualBudgetMb } from "./Memory.ts"
import { metaOf, openOwn } from "./OwnFile.ts"
import { aside, mirrorOf, on } from "./Mirror.ts"
import { Resources, wantedTables } from "../Resources.ts"
import type * as TableParts from "../TableParts.ts"
import { type Exclusively, Publication } from "./Publication.ts"
import { readAll, tablesIn, withConnection } from "./ReadAll.ts"
import * as Resting from "./Resting.ts"
import { discardOlder } from "./SetAside.ts"
import { DuckDbSnapshot } from "./Snapshot.ts"

/** Entries and decisions count only if they run from the first one without a gap; otherwise none does. */
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

/** One piece for each table. */
const piecesOf = ({ instance }: OpenFile, attemptFile: AttemptFile) =>
  Effect.map(
    attemptFile(() => withConnection(instance, tablesIn)),
    (all) =>
      all.map((table) => ({
        name: `table ${table} of the warehouse`,
        check: attemptFile(() => withConnection(instance, (connection) => readAll(connection, table)))
      }))
  )

interface Turns extends Resting.Turns {
  readonly attemptFile: AttemptFile
}

/** Excludes all other writers and readers: a checkpoint fails while there are any. */
const alone =
  ({ oneWriter, reading }: Turns) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.uninterruptible(effect).pipe(oneWriter.withPermit, reading.withPermits(Resting.readers))

const mirrorIn = ({ instance }: OpenFile, live: Live, { attemptFile, oneWriter, reading }: Turns) =>
  mirrorOf(
    "the warehouse",
    (use) => reading.withPermit(on(instance)(use)),
    (use) => oneWriter.withPermit(Effect.uninterruptible(attemptFile(() => live.writer.beside(use))))
  )

const snapshotOf = ({ memory, instance }: OpenFile, live: Live, { attemptFile, oneWriter, reading }: Turns) =>
  Effect.gen(function* () {
    yield* Effect.acquireRelease(reading.take(1), () => reading.release(1))
    const room = exportRoom(live.tables.all)
    yield* Effect.acquireRelease(
      attempt(() => memory.takeRoom(room)),
      () => Effect.promise(() => memory.giveRoom(room))
    )
    const taken = yield* Effect.acquireRelease(
      oneWriter.withPermit(attemptFile(() => DuckDbSnapshot.open(instance, live.tables.all, memory.inParallel))),
      (opened) => Effect.promise(() => opened.close())
    )
    return {
      watermark: taken.watermark,
      tables: taken.tables,
      parts: (table: string, wanted: TableParts.Wanted) => attemptFile(() => taken.parts(table, wanted)),
      eventDates: attemptFile(() => taken.eventDates()),
      writeTable: (table: string, target: string, part?: TableParts.Span) =>
        attemptFile(() => taken.writeTable(table, target, part)),
      writeEvents: (dates: ReadonlyArray<Partition>, folder: string) =>
        attemptFile(() => taken.writeEvents(dates, folder)),
      head: attemptFile(() => taken.head()),
      readJournal: (take: TakeLines) => attemptFile(() => taken.readJournal(take))
    }
  })

/** Once the file has to be reopened, it is no longer used. */
const untilFatal = (file: OpenFile, path: string): Effect.Effect<AttemptFile> =>
  Effect.map(Effect.serviceOption(Restart), (restart) => {
    const [attemptHere, noted] = [attemptOn(file), noting(path)]
    const openAgain = Option.match(restart, { onNone: () => Effect.void, onSome: ({ request }) => request(fatal) })
    let lost: WarehouseError | undefined
    return (use) =>
      Effect.suspend(() => (lost === undefined ? noted(attemptHere(use)) : Effect.fail(lost))).pipe(
        Effect.tapError((error) => {
          if (error.reason !== "Fatal") return Effect.void
          lost = error
          return openAgain
        })
      )
  })

const fatal = "the warehouse has to be closed and opened again after an error"

/** A worker checks once a minute whether to rest; in a test that moves the clock, this would be at every step. */
const apartMs = 10_000

const resting = ({ memory }: OpenFile, turns: Turns, live: Live, version: () => number) => {
  const collect = collectingEvery(apartMs)
  return Resting.make(turns, {
    version,
    giveBack: async () => {
      live.writer.rest()
      // Takes some 40 ms, in which no delivery waits, because another thread takes them. DuckDB then also trims what
      // this thread allocated.
      collect()
      await memory.clear()
    }
  })
}

/** With its copies for analysts, about which it leaves a note. */
const opened = Effect.fnUntraced(function* (path: string, making: Making, exclusively: Exclusively) {
  const asClosed = FileIdentity.ofClosed(path)
  const own = yield* openOwn(path, making)
  // Nothing is known about copies of a file that was just created, perhaps in place of one that was set aside.
  const publication = new Publication({ ...own.file, asClosed: own.isNew ? undefined : asClosed }, exclusively)
  const close = async () => {
    await own.file.close()
    publication.leave(FileIdentity.ofClosed(path))
  }
  return { ...own, publication, close }
})

const make = (path: string, budgetMb: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    const resources = yield* Resources
    const wanted = Effect.map(store.run(LearnedColumns.all), (learned) => wantedTables(resources, learned))
    const oneWriter = yield* Semaphore.make(1)
    const reading = yield* Semaphore.make(Resting.readers)
    const making = { shares: sharesOf(budgetMb), tables: yield* wanted }
    const { file, id, publication } = yield* Effect.acquireRelease(
      opened(path, making, (run) => Effect.runPromise(oneWriter.withPermit(Effect.promise(run)))),
      (own) => Effect.promise(() => own.close())
    )
    const attemptFile = yield* untilFatal(file, path)
    const turns: Turns = { attemptFile, oneWriter, reading }
    const live = yield* Effect.acquireRelease(
      attempt(() => Live.open(file, publication)),
      (opened) => Effect.sync(() => opened.close())
    )
    let version = 0
    const { looking, working } = yield* resting(file, turns, live, () => version)
    const write = (batch: Batch) => {
      const written = Effect.map(
        attemptFile(() => live.writer.write(batch)),
        ({ isVisible }) => {
          if (isVisible) version++
        }
      )
      return oneWriter.withPermit(Effect.uninterruptible(working(written)))
    }

    const evolve = Effect.flatMap(wanted, (tables) => alone(turns)(attemptFile(() => live.evolve(tables)))).pipe(
      Effect.andThen(Effect.sync(() => void version++))
    )
    const read: AttemptFile = (use) => reading.withPermit(attemptFile(use))
    const readWhole: AttemptFile = (use) => working(read(use))

    return Warehouse.of({
      id,
      prefersFewTables: true,
      opened: Effect.void,
      write,
      watermark: Effect.map(reading.withPermit(metaOf(file)), (meta) => meta.watermark),
      books: read(() => booksOf(file)),
      probe: oneWriter.withPermit(Effect.uninterruptible(attemptFile(() => live.writer.probe()))),
      version: Effect.sync(() => version),
      table: (name) => Effect.sync(() => live.tables.of(name)),
      tables: Effect.sync(() => live.tables),
      evolve,
      // DuckDB continues a statement that is no longer awaited.
      query: (run) => Effect.uninterruptible(looking(read(() => run(file.db)))),
      snapshot: Effect.andThen(
        Effect.addFinalizer(() => working(Effect.void)),
        snapshotOf(file, live, turns)
      ),
      publish: (target, { isWhole = false } = {}) => readWhole(() => publication.publish(target, isWhole)),
      pieces: piecesOf(file, readWhole),
      mirrors: { live: Effect.succeed(Option.some(mirrorIn(file, live, turns))), aside: aside(path) },
      keepNewest: Effect.sync(() => discardOlder(path))
    })
  })

export const layerAt = (
  path: string,
  budgetMb = usualBudgetMb
): Layer.Layer<Warehouse, WarehouseError | StoreError, Store> => Layer.effect(Warehouse, make(path, budgetMb))
