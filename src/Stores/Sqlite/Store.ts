/**
 * The embedded Store: one SQLite file (WAL, synchronous=FULL), used through Kysely, and the deliveries in segments
 * beside it. There is one connection, and Kysely's lock on it keeps transactions apart; callers that only read have
 * another.
 *
 * After kill -9 or a power cut, SQLite rolls back what wasn't committed; nothing needs repair.
 */
import { existsSync } from "node:fs"
import { dirname, join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { setImmediate as immediate } from "node:timers/promises"
import { Duration, Effect, Layer } from "effect"
import { Kysely, type Transaction } from "kysely"
import { Migrator } from "kysely/migration"
import * as SchemaVersions from "../SchemaVersions.ts"
import { Settings } from "../../../config/Settings.ts"
import { type Reached, track } from "../../Runtime/Progress.ts"
import { keyFor, keyIn, type SealError } from "../../Runtime/Seal.ts"
import { codeOf, whyNot } from "../../Runtime/SystemFailure.ts"
import { ArchiveFolder, Elsewhere, folderOf as archiveFolderOf } from "../Archives/ArchiveFolder.ts"
import { Whole } from "../Archives/Whole.ts"
import { Looking, lookOf, Store, StoreError } from "../Store.ts"
import { storeError } from "./Failure.ts"
import * as Segmented from "../Segments/Deliveries.ts"
import { derived } from "../Segments/Key.ts"
import * as Lost from "../Segments/Lost.ts"
import * as Files from "../Segments/Open.ts"
import type { Segments } from "../Segments/Segments.ts"
import * as Rows from "../Segments/Rows.ts"
import * as Heal from "../RowLog/Heal.ts"
import * as RowLog from "../RowLog/RowLog.ts"
import * as Closed from "./Closed.ts"
import { backUp, pagesOf } from "./Copy.ts"
import { dialect, prepared } from "./Dialect.ts"
import { following } from "./Following.ts"
import { open, suspect } from "./Opening.ts"
import { migrations } from "./Migrations.ts"
import * as Pieces from "./Pieces.ts"
import * as Reading from "./Reading.ts"
import type { StoreTables } from "../StoreTables.ts"
import * as LogLine from "../../Runtime/LogLine.ts"

const notOpened = (path: string) => (cause: unknown) => {
  const { reason } = storeError(cause)
  const isDamaged = reason === "Fatal"
  const advice = isDamaged ? " Keep the file and restore a backup: siteledger restore FILE." : ""
  // Without a log of rows, another start would find the same damage.
  return new StoreError({
    reason: isDamaged ? "Failed" : reason,
    message: `The store ${path} can't be opened: ${whyNot(cause)}.${advice}`,
    cause
  })
}

const notBackedUp = (target: string) => (cause: unknown) => {
  const isThere = codeOf(cause) === "EEXIST"
  const message = isThere
    ? `${target} already exists and was not changed.`
    : `The backup ${target} can't be written: ${whyNot(cause)}.`
  return new StoreError({ reason: storeError(cause).reason, message, cause })
}

export const migrate = async (db: Kysely<StoreTables>, to = migrations): Promise<void> => {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => to } })
  const { error } = await migrator.migrateToLatest()
  const newer = SchemaVersions.newer(error)
  if (newer !== undefined) throw new Error(newer, { cause: error })
  if (error !== undefined) throw error
}

const completedSentence = (frames: number): string =>
  `The last ${frames} deliveries were missing in the inbox and were restored from its copy. Nothing is lost. Check the ` +
  "disk, unless the worker was stopped while it was writing."

/** Opens them at first use, and again if that failed. */
const filesOf = (place: Files.Place, db: Kysely<StoreTables>, warn: (sentence: string) => void) => {
  let opened: Promise<Segments> | undefined
  let repaired = 0
  const open = (): Promise<Segments> => {
    opened ??= Segmented.watermark(db).then((applied) =>
      Files.open(place, applied, (found) => {
        repaired += found.repaired.length
        if (found.completed > 0) warn(completedSentence(found.completed))
      })
    )
    opened.catch(() => (opened = undefined))
    return opened
  }
  const close = async (): Promise<void> => (await opened?.catch(() => undefined))?.close()
  const found = (numbers: ReadonlySet<number>) => place.exclusively(() => Lost.found(place.database, numbers))
  return { open, close, found, archives: place.archives, repaired: () => repaired }
}

/** Writes the deliveries into a copy of the Store. */
const carry =
  (segments: Segments, archives: ArchiveFolder, reached: Reached) =>
  async (copy: DatabaseSync): Promise<void> => {
    const { last, reader } = segments.snapshot
    const whole = new Whole(Rows.sourceOf(reader, last), archives, segments.key)
    for await (const rows of Rows.rowsOf(whole, copy)) {
      Rows.write(copy, rows)
      reached(rows.at(-1)?.sequence ?? 0)
      // Lets the worker continue meanwhile.
      await immediate()
    }
    reader.forget()
    Files.carried(copy)
    Heal.forgetMark(copy)
  }

const backedUp = Effect.fnUntraced(function* (
  path: string,
  files: Segmented.Files,
  target: string,
  isReplacing: boolean
) {
  const failed = notBackedUp(target)
  const segments = yield* Effect.tryPromise({ try: () => files.open(), catch: failed })
  const pages = yield* Effect.try({ try: () => pagesOf(path), catch: failed })
  yield* track("backup", { unit: "pages and deliveries", total: pages + segments.last }, (reached) =>
    Effect.tryPromise({
      try: () =>
        backUp(path, target, {
          isReplacing,
          reached,
          carry: carry(segments, files.archives, (sequence) => reached(pages + sequence))
        }),
      catch: failed
    })
  )
})

/** The next fsynced commit also syncs this one. */
const unflushed = <A>(
  database: DatabaseSync,
  db: Kysely<StoreTables>,
  body: (tx: Transaction<StoreTables>) => Promise<A>
): Promise<A> =>
  db.connection().execute(async (connection) => {
    database.exec("pragma synchronous = normal")
    try {
      return await connection.transaction().execute(body)
    } finally {
      database.exec("pragma synchronous = full")
    }
  })

interface Options {
  readonly path: string
  readonly key: Effect.Effect<Uint8Array, SealError>
  /** Keeps the log of its rows beside it. */
  readonly isLogged: boolean
}

/** No other worker writes to it. */
const alone: Pick<Store["Service"], "pollEvery" | "stamp" | "workers"> = {
  pollEvery: Duration.infinity,
  stamp: () => Effect.succeed(""),
  workers: { say: () => Effect.void, withdraw: () => Effect.void, all: Effect.succeed([]) }
}

/** When it is closed, this is noted, unless damage was found. */
const opened = Effect.fnUntraced(function* (path: string, isLogged: boolean) {
  const hasLog = isLogged && existsSync(Heal.folderOf(path))
  let isDamaged = false
  const meetDamage = (): void => {
    isDamaged = true
    if (isLogged) suspect(path)
  }
  const file = yield* Effect.acquireRelease(
    Effect.try({ try: () => open(path, hasLog), catch: notOpened(path) }),
    ({ database }) =>
      Effect.sync(() => {
        database.close()
        if (isLogged && !isDamaged) Closed.leave(path)
      })
  )
  yield* Reading.givingBack(file.database)
  return { ...file, meetDamage }
})

const make = ({ isLogged, key, path }: Options) =>
  Effect.gen(function* () {
    const { database, isNew, meetDamage, replaces } = yield* opened(path, isLogged)
    const db = new Kysely<StoreTables>({ dialect: dialect(prepared(database)) })
    const failed = (cause: unknown): StoreError => {
      const error = storeError(cause)
      if (error.reason === "Fatal") meetDamage()
      return error
    }
    yield* Effect.tryPromise({ try: () => migrate(db), catch: failed })
    const beside = yield* Reading.beside(path)
    const run = <A>(query: (db: Kysely<StoreTables>) => Promise<A>) =>
      Effect.flatMap(Looking, (isLooking) =>
        Effect.tryPromise({ try: () => query(isLooking ? beside() : db), catch: failed })
      )
    // Uses the program's logger.
    const runSync = Effect.runSyncWith(yield* Effect.context<never>())
    const place: Files.Place = {
      store: path,
      database,
      archives: new ArchiveFolder(archiveFolderOf(path), {
        elsewhere: yield* Elsewhere,
        expected: Files.archiveSums(database),
        warn: (sentence) => runSync(LogLine.write("archive.damaged", { why: sentence }))
      }),
      key: () => derived(runSync(key)),
      exclusively: (use) => db.connection().execute(async () => use())
    }
    if (isLogged) yield* RowLog.keep(place, { isNew, replaces })
    const files = yield* Effect.acquireRelease(
      Effect.sync(() => filesOf(place, db, (sentence) => runSync(LogLine.write("inbox.odd", { why: sentence })))),
      ({ close }) => Effect.promise(close)
    )
    return Store.of({
      engine: "sqlite",
      atomically: (effect) => effect,
      sharesDatabase: false,
      afterCommit: (effect) => effect,
      look: lookOf(run),
      ...alone,
      lostKey: Effect.void,
      knows: () => Effect.void,
      deliveries: Segmented.make(files, run),
      run,
      transaction: (body, { isRepeatable = false } = {}) =>
        Effect.uninterruptible(
          Effect.tryPromise({
            try: () => (isRepeatable ? unflushed(database, db, body) : db.transaction().execute(body)),
            catch: failed
          })
        ),
      readAt: { engine: "sqlite", path, readers: undefined },
      pieces: run((of) => Pieces.all(path, files, of, failed)),
      backup: (target, isReplacing) => backedUp(path, files, target, isReplacing),
      following: isLogged ? following({ path, files, key, run }) : undefined
    })
  })

/** Uses the key in the Store's folder. */
export const layerAt = (path: string, { isLogged = false } = {}): Layer.Layer<Store, StoreError> =>
  Layer.effect(Store, make({ path, key: keyIn(dirname(path)), isLogged }))

export const layer = Layer.unwrap(
  Effect.map(Settings, ({ dataDir, key }) =>
    Layer.effect(Store, make({ path: storePath(dataDir), key: keyFor({ dataDir, key }), isLogged: true }))
  )
)

export const storePath = (dataDir: string): string => join(dataDir, "store.sqlite")
