/**
 * Export lays one point in time of all tables on the Lake as Parquet, and the books as CSV beside them.
 *
 * Order: one snapshot of the warehouse → files in the staging folder → files in the Lake → manifest → pointer →
 * the Store remembers. The pointer moves last and at once, so a reader that starts from it sees a whole export, old
 * or new; dying anywhere leaves the old one as it was, and the next run sweeps what no manifest names.
 */
import { Clock, Context, Cron, Effect, Layer, Option, Random, Semaphore } from "effect"
import { Inbox } from "../Inbox.ts"
import * as Instant from "../Instant.ts"
import { Lake, type LakeError } from "../Lake.ts"
import { Publish } from "../Publish.ts"
import { entityNames } from "../Resource.ts"
import { Store, type StoreError } from "../Store.ts"
import * as Checkpoints from "../Walk/Checkpoints.ts"
import { type Snapshot, Warehouse, type WarehouseError } from "../Warehouse.ts"
import * as LastExport from "./LastExport.ts"
import { sha256 } from "./LocalFiles.ts"
import * as Manifest from "./Manifest.ts"
import * as Staging from "./Staging.ts"
import { sweep } from "./Sweep.ts"

export interface ExportOptions {
  /** Of the worker; the staging folder is made in it. */
  readonly dataDir: string
  readonly cron: Cron.Cron
}

export interface ExportResult {
  readonly run: string
  readonly asOf: Manifest.AsOf
  readonly rows: number
  readonly filesWritten: number
  readonly bytesWritten: number
  /** Named again, as their rows haven't changed. */
  readonly filesKept: number
}

export class Export extends Context.Service<
  Export,
  {
    /** Runs now. One at a time: a second caller waits and then gets an export of its own, as of a later time. */
    readonly run: Effect.Effect<ExportResult, LakeError | StoreError | WarehouseError>
    readonly status: Effect.Effect<
      {
        readonly lastAt: Instant.Instant | null
        /** When the schedule wants the next one. */
        readonly nextAt: Instant.Instant | null
      },
      StoreError
    >
  }
>()("siteledger/Export") {
  static readonly layer = (
    options: ExportOptions
  ): Layer.Layer<Export, never, Inbox | Lake | Publish | Store | Warehouse> => Layer.effect(Export, make(options))
}

const uploadsAtOnce = 8

const make = ({ dataDir, cron }: ExportOptions) =>
  Effect.gen(function* () {
    const store = yield* Store
    const publish = yield* Publish
    const oneAtATime = yield* Semaphore.make(1)
    const context = yield* Effect.context<Inbox | Lake | Store | Warehouse>()
    const whole = exportOnce(dataDir).pipe(
      // A publication that fails shows its own reason; the export is none the worse for it.
      Effect.tap(() => Effect.ignore(publish.now)),
      Effect.provideContext(context)
    )
    return Export.of({
      run: oneAtATime.withPermit(whole),
      status: Effect.gen(function* () {
        const next = Cron.next(cron, yield* Clock.currentTimeMillis)
        return { lastAt: yield* LastExport.lastAt(store), nextAt: Instant.fromMillis(next.getTime()) }
      })
    })
  })

const exportOnce = Effect.fn("Export.run")(function* (dataDir: string) {
  const lake = yield* Lake
  const store = yield* Store
  const startedAt = Instant.fromMillis(yield* Clock.currentTimeMillis)
  yield* sweep(lake)
  const run = yield* newRun(lake)
  const made = yield* Effect.scoped(writeFiles(dataDir, run))
  yield* announce(lake, made.manifest)
  const finishedAt = Instant.fromMillis(yield* Clock.currentTimeMillis)
  const files = made.staged.map(({ localFile: _localFile, ...file }) => file)
  yield* LastExport.save(store, { run, started_at: startedAt, finished_at: finishedAt }, files)
  return result(made)
})

const newRun: (lake: Lake["Service"]) => Effect.Effect<string, LakeError> = Effect.fnUntraced(function* (lake) {
  while (true) {
    const run = Manifest.runId(yield* Clock.currentTimeMillis, yield* Random.nextIntBetween(0, 0xffff))
    if (Option.isNone(yield* lake.size(Manifest.manifestPath(run)))) return run
  }
})

interface Made {
  readonly manifest: Manifest.Manifest
  readonly staged: ReadonlyArray<Staging.Staged>
  readonly journal: Staging.StagedJournal
}

/** Puts every file into the Lake. The snapshot ends before the uploads begin: it keeps the engine's log long. */
const writeFiles = Effect.fnUntraced(function* (dataDir: string, run: string) {
  const lake = yield* Lake
  const folder = yield* Staging.acquireFolder(dataDir, run)
  const made = yield* Effect.scoped(readSnapshot(folder, run))
  yield* Effect.forEach(
    [...made.staged, made.journal],
    ({ localFile, path }) => (localFile === undefined ? Effect.void : lake.put(path, localFile)),
    { concurrency: uploadsAtOnce, discard: true }
  )
  return made
})

const readSnapshot = Effect.fnUntraced(function* (folder: string, run: string) {
  const lake = yield* Lake
  const store = yield* Store
  const warehouse = yield* Warehouse
  const before = yield* LastExport.eventFiles(store)
  // Taken before the snapshot, so that nothing received by then can be missing from both rows and `oldestPending`.
  const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
  const snapshot = yield* warehouse.snapshot
  const asOf: Manifest.AsOf = {
    sequence: snapshot.appliedThrough,
    at,
    oldestPending: yield* oldestPending(snapshot, at),
    walks: yield* walks(store)
  }
  const staging: Staging.Staging = { folder, run, snapshot, lake, before }
  const staged = yield* Staging.stage(staging)
  const journal = yield* Staging.stageJournal(staging)
  return { manifest: manifest(run, asOf, snapshot, staged, journal), staged, journal } satisfies Made
})

/** When the oldest delivery came that was stored by then and isn't in the snapshot. */
const oldestPending = Effect.fnUntraced(function* (snapshot: Snapshot, at: Instant.Instant) {
  const inbox = yield* Inbox
  const oldest = yield* inbox.receivedAfter(snapshot.appliedThrough)
  return oldest !== null && oldest <= at ? oldest : null
})

/** How sure the copy of each list is; from the Store, so that an export needs no walk to be running. */
const walks = (store: Store["Service"]): Effect.Effect<Manifest.AsOf["walks"], StoreError> =>
  Effect.map(
    Effect.forEach(entityNames, (name) => Checkpoints.load(store, name)),
    (states) =>
      Object.fromEntries(
        states.flatMap((state) =>
          state === undefined ? [] : [[state.resource, { proof: state.proof ?? "running", at: state.proof_at }]]
        )
      )
  )

const manifest = (
  run: string,
  asOf: Manifest.AsOf,
  { tables }: Snapshot,
  staged: ReadonlyArray<Staging.Staged>,
  journal: Staging.StagedJournal
): Manifest.Manifest => ({
  run,
  asOf,
  reconcile: null,
  journal: journal.path,
  tables: Object.fromEntries(
    tables.map(({ name, columns }) => {
      const files = staged.flatMap(({ table_name, path, rows, bytes, sha256 }) =>
        table_name === name ? [{ path, rows, bytes, sha256 }] : []
      )
      return [name, { rows: files.reduce((sum, file) => sum + file.rows, 0), columns, files }]
    })
  )
})

/** From here on a reader sees this export. */
const announce = Effect.fnUntraced(function* (lake: Lake["Service"], announced: Manifest.Manifest) {
  const { run } = announced
  const text = Manifest.stringify(announced)
  const path = Manifest.manifestPath(run)
  yield* lake.putText(path, text)
  yield* lake.putText(Manifest.pointerPath, Manifest.stringify({ run, manifest: path, sha256: sha256(text) }))
})

const result = ({ manifest, staged }: Made): ExportResult => {
  const written = staged.filter((file) => file.localFile !== undefined)
  return {
    run: manifest.run,
    asOf: manifest.asOf,
    rows: staged.reduce((sum, file) => sum + file.rows, 0),
    filesWritten: written.length,
    bytesWritten: written.reduce((sum, file) => sum + file.bytes, 0),
    filesKept: staged.length - written.length
  }
}
