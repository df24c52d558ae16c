/**
 * Export writes one point in time of all tables to the Lake as Parquet, and the books as CSV next to them.
 *
 * Order: the pointer is read → one snapshot of the warehouse → files in the staging folder → files in the Lake →
 * manifest → pointer → the Store remembers. The pointer moves last (`LakePointer`), so a reader that starts from it
 * sees a complete export, old or new. If the process dies at any point, the old export stays as it was, and the next
 * run sweeps files that no manifest names.
 */
import { Clock, Context, Cron, Duration, Effect, Layer, Option, Random, Semaphore } from "effect"
import type { Inbox } from "../Intake/Inbox.ts"
import * as Instant from "../Domain/Instant.ts"
import { AnalystCopy } from "./AnalystCopy.ts"
import * as Delta from "./Delta.ts"
import { Lake, LakeError } from "./Lake.ts"
import { track } from "../Runtime/Progress.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import { usualRows } from "../Stores/TableParts.ts"
import { isShort, Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"
import * as AsOf from "./AsOf.ts"
import * as Contents from "./Contents.ts"
import { type Exported, told } from "./Exported.ts"
import { KnownManifests } from "./KnownManifests.ts"
import * as LakePointer from "./LakePointer.ts"
import * as Manifest from "./Manifest.ts"
import * as Parquet from "./Parquet.ts"
import * as PastExports from "./PastExports.ts"
import * as ReadingSql from "./ReadingSql.ts"
import { type Keep, secondsOf } from "./Retention.ts"
import * as Staging from "./Staging.ts"
import * as StillThere from "./StillThere.ts"
import { sweep } from "./Sweep.ts"
import { unfilled } from "./Unfilled.ts"

export interface ExportOptions {
  /** The worker's; the staging folder is created in it. */
  readonly dataDir: string
  readonly exportCron: Cron.Cron
  readonly lakeKeep: Keep
  /** Each table gets a Delta log beside the manifests. */
  readonly lakeDelta: boolean
  /** Rows in each part of a large table; defaults to `TableParts.usualRows`. */
  readonly partRows?: number
}

type ExportError = LakeError | LakePointer.Overtaken | StoreError | WarehouseError

export class Export extends Context.Service<
  Export,
  {
    /** Runs now. One at a time: a second caller waits and then gets its own export, as of a later time. */
    readonly run: Effect.Effect<Exported, ExportError>
    /** The same, but writes every file, because one of the previous export is damaged. */
    readonly again: Effect.Effect<Exported, ExportError>
    readonly status: Effect.Effect<
      {
        readonly lastAt: Instant.Instant | null
        /** The next scheduled time. */
        readonly nextAt: Instant.Instant | null
      },
      StoreError
    >
  }
>()("siteledger/Export") {
  static readonly layerWith = ({
    exportCron: cron,
    ...options
  }: ExportOptions): Layer.Layer<Export, never, AnalystCopy | Inbox | Lake | Reasons | Store | Warehouse> =>
    Layer.effect(
      Export,
      Effect.gen(function* () {
        const store = yield* Store
        const analystCopy = yield* AnalystCopy
        const oneAtATime = yield* Semaphore.make(1)
        const known = new KnownManifests()
        const context = yield* Effect.context<Inbox | Lake | Reasons | Store | Warehouse>()
        const whole = (keeps: boolean) =>
          exportOnce(options, keeps, known).pipe(
            Effect.retry({ while: isShort }),
            Effect.timeoutOrElse({ duration: longestRun, orElse: () => tookTooLong }),
            told,
            // If the copy fails, it has its own reason; the export is complete without it.
            Effect.tap(() => Effect.ignore(analystCopy.beside)),
            Effect.provideContext(context),
            oneAtATime.withPermit
          )
        return Export.of({
          run: whole(true),
          again: whole(false),
          status: Effect.gen(function* () {
            const next = Cron.next(cron, yield* Clock.currentTimeMillis)
            return { lastAt: yield* PastExports.lastAt(store), nextAt: Instant.fromMillis(next.getTime()) }
          })
        })
      })
    )
}

const uploadsAtOnce = 8

/** A sweep waits longer than this before it considers a run dead (`Sweep`). */
const longestRun = Duration.days(1)

const failed = (message: string) => new LakeError({ reason: "Failed", message })

const tookTooLong = failed("The export took longer than a day and was given up.")
const unnameable = failed(
  "A column of the warehouse has a name with other characters than a-z, 0-9 and _: rename it there."
)

/** `keeps`: files of the previous export whose rows haven't changed are referenced again. */
const exportOnce = Effect.fn("Export.run")(function* (
  { dataDir, lakeDelta, lakeKeep: keep, partRows = usualRows }: Omit<ExportOptions, "exportCron">,
  keeps: boolean,
  known: KnownManifests
) {
  const lake = yield* Lake
  const store = yield* Store
  const started_at = Instant.fromMillis(yield* Clock.currentTimeMillis)
  // Read before the snapshot: an export that is shown by then has an earlier time than this one.
  const before = yield* LakePointer.read(lake)
  const leftBehind = yield* Staging.leftBehind(dataDir)
  const swept = yield* sweep(lake, leftBehind, keep, known)
  if (swept.isSwept) yield* Staging.forget(dataDir, leftBehind)
  const there = keeps ? yield* StillThere.of(lake, before, swept.sizes) : StillThere.nothing
  const run = yield* newRun(lake, store)
  const logs = lakeDelta ? yield* Delta.ready(lake, before.manifest, there.sizes) : undefined
  const made = yield* Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* Staging.acquireFolder(dataDir, run)
      const files = yield* writeFiles({ folder, run, before, there, partRows })
      const manifest = yield* dated(
        logs === undefined ? files.manifest : Delta.planned(files.manifest, logs, keep),
        keep
      )
      yield* writeReadingSql(lake, manifest)
      yield* LakePointer.move(lake, manifest, before)
      return { ...files, leftAlone: logs === undefined ? [] : yield* Delta.commit(lake, folder, manifest, logs) }
    })
  )
  const finished_at = Instant.fromMillis(yield* Clock.currentTimeMillis)
  yield* PastExports.remember(store, { run, started_at, finished_at })
  return { ...result(made), leftAlone: made.leftAlone }
})

/** A name that no export has had: neither one on the lake nor one whose manifest is gone. */
const newRun = Effect.fnUntraced(function* (
  lake: Lake["Service"],
  store: Store["Service"]
): Effect.fn.Return<string, LakeError | StoreError> {
  for (let tries = 0; tries < mostTries; tries++) {
    const run = Manifest.runId(yield* Clock.currentTimeMillis, yield* Random.nextIntBetween(0, 0xffff))
    if (yield* PastExports.isRemembered(store, run)) continue
    if (Option.isNone(yield* lake.size(Manifest.manifestPath(run)))) return run
  }
  return yield* failed(`${lake.name} claims that every file exists.`)
})

/** Two runs in the same second rarely get the same name. A server that isn't a store may claim to have every file. */
const mostTries = 8

interface Made {
  readonly manifest: Manifest.Manifest
  readonly staged: ReadonlyArray<Staging.Staged>
  readonly journal: Staging.StagedJournal
}

/** Sets when it is shown, and for how long it stays afterwards. */
const dated = (manifest: Manifest.Manifest, keep: Keep) =>
  Effect.map(Clock.currentTimeMillis, (ms) => ({
    ...manifest,
    shownAt: Instant.fromMillis(ms),
    keptSeconds: secondsOf(keep.for)
  }))

interface Making {
  readonly folder: string
  readonly run: string
  readonly before: LakePointer.LakePointer
  readonly there: StillThere.StillThere
  readonly partRows: number
}

/**
 * Puts every file into the Lake. The snapshot ends before the uploads begin, because the engine's log grows while it
 * lasts.
 */
const writeFiles = Effect.fnUntraced(function* (making: Making) {
  const lake = yield* Lake
  const made = yield* Effect.scoped(readSnapshot(making))
  const files = [...made.staged.map(({ file, localFile }) => ({ path: file.path, localFile })), made.journal]
  const news = files.flatMap(({ localFile, path }) => (localFile === undefined ? [] : [{ localFile, path }]))
  let put = 0
  yield* track("export", { unit: "files put on the lake", total: news.length }, (reached) =>
    Effect.forEach(
      news,
      ({ localFile, path }) => Effect.tap(lake.put(path, localFile), () => Effect.sync(() => reached(++put))),
      { concurrency: uploadsAtOnce, discard: true }
    )
  )
  return made
})

const readSnapshot = Effect.fnUntraced(function* ({ before, folder, partRows, run, there }: Making) {
  const store = yield* Store
  const warehouse = yield* Warehouse
  const parquet = yield* Parquet.open
  // Taken before the snapshot, so that a delivery received by then can't be missing from both the rows and
  // `oldestPending`.
  const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
  const snapshot = yield* warehouse.snapshot
  const asOf = yield* AsOf.of(store, snapshot, at)
  const staging: Staging.Staging = { folder, run, snapshot, parquet, before: there, partRows }
  const staged = yield* Staging.stage(staging)
  const journal = yield* Staging.stageJournal(staging)
  const head = yield* snapshot.head
  const empty = yield* unfilled(store, { before: there.manifest, parquet, snapshot, staged })
  const manifest = Contents.manifest({ run, asOf, snapshot, staged, journal, head, before, unfilled: empty })
  return Manifest.isReadable(manifest) ? ({ manifest, staged, journal } satisfies Made) : yield* unnameable
})

/** The same for every export of the same tables, so it is rarely written. */
const writeReadingSql = Effect.fnUntraced(function* (lake: Lake["Service"], manifest: Manifest.Manifest) {
  const text = ReadingSql.readingSql(manifest, lake.name)
  const there = yield* lake.readText(ReadingSql.path)
  if (!Option.exists(there, (found) => found.text === text)) yield* lake.putText(ReadingSql.path, text)
})

const result = ({ manifest, staged }: Made): Omit<Exported, "leftAlone"> => {
  const written = staged.filter((each) => each.localFile !== undefined)
  return {
    run: manifest.run,
    asOf: manifest.asOf,
    rows: staged.reduce((sum, { file }) => sum + file.rows, 0),
    filesWritten: written.length,
    bytesWritten: written.reduce((sum, { file }) => sum + file.bytes, 0),
    filesKept: staged.length - written.length
  }
}
