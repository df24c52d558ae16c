/**
 * Export lays one point in time of all tables on the Lake as Parquet, and the books as CSV beside them.
 *
 * Order: the pointer as it is → one snapshot of the warehouse → files in the staging folder → files in the Lake →
 * manifest → pointer → the Store remembers. The pointer moves last and at once, and only from what it was at the start:
 * a reader that starts from it sees a whole export, old or new, and of two exports at once one is shown and the other
 * fails, so it never goes back. Dying anywhere leaves the old export as it was, and the next run sweeps what no manifest
 * names.
 */
import { Clock, Context, Cron, Duration, Effect, Layer, Option, Random, Schema, Semaphore } from "effect"
import { Inbox } from "../Intake/Inbox.ts"
import * as Instant from "../Domain/Instant.ts"
import { Lake, LakeError } from "./Lake.ts"
import { AnalystCopy } from "./AnalystCopy.ts"
import { entityNames } from "../Domain/Resource.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import * as Checkpoints from "../Walk/Checkpoints.ts"
import { isShort, type Snapshot, Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"
import * as Contents from "./Contents.ts"
import * as LastExport from "./LastExport.ts"
import { sha256 } from "./LocalFiles.ts"
import * as Manifest from "./Manifest.ts"
import * as Parquet from "./Parquet.ts"
import * as LakePointer from "./LakePointer.ts"
import * as ReadingSql from "./ReadingSql.ts"
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

/** Another worker or machine has laid an export on the same lake while this one was made: readers see that one. */
export class Overtaken extends Schema.TaggedError<Overtaken>()("Overtaken", {
  message: Schema.String,
  /** What the export that readers see is as of; null where it says no more. */
  at: Schema.NullOr(Schema.String)
}) {}

type ExportError = LakeError | Overtaken | StoreError | WarehouseError

export class Export extends Context.Service<
  Export,
  {
    /** Runs now. One at a time: a second caller waits and then gets an export of its own, as of a later time. */
    readonly run: Effect.Effect<ExportResult, ExportError>
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
  ): Layer.Layer<Export, never, Inbox | Lake | AnalystCopy | Store | Warehouse> => Layer.effect(Export, make(options))
}

const uploadsAtOnce = 8

/** Whoever sweeps waits longer (`Sweep`) before it takes a run for dead. */
const longestRun = Duration.days(1)

const failed = (message: string) => new LakeError({ reason: "Failed", message })

const tookTooLong = failed("The export took longer than a day and was given up.")
const unnameable = failed("A column of the warehouse is named with more than a-z, 0-9 and _: rename it there.")

const make = ({ dataDir, cron }: ExportOptions) =>
  Effect.gen(function* () {
    const store = yield* Store
    const publish = yield* AnalystCopy
    const oneAtATime = yield* Semaphore.make(1)
    const context = yield* Effect.context<Inbox | Lake | Store | Warehouse>()
    const whole = exportOnce(dataDir).pipe(
      Effect.retry({ while: isShort }),
      Effect.timeoutOrElse({ duration: longestRun, orElse: () => tookTooLong }),
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
  const started_at = Instant.fromMillis(yield* Clock.currentTimeMillis)
  // Read before the snapshot: whatever is shown by then is of an earlier time than this export.
  const before = yield* LakePointer.read(lake)
  const leftBehind = yield* Staging.leftBehind(dataDir)
  if (yield* sweep(lake, leftBehind)) yield* Staging.forget(dataDir, leftBehind)
  const run = yield* newRun(lake)
  const made = yield* Effect.scoped(
    Effect.gen(function* () {
      const folder = yield* Staging.acquireFolder(dataDir, run)
      const files = yield* writeFiles(folder, run, before)
      yield* layReadingSql(lake, files.manifest)
      yield* announce(lake, files.manifest, before)
      return files
    })
  )
  const finished_at = Instant.fromMillis(yield* Clock.currentTimeMillis)
  yield* LastExport.save(store, { run, started_at, finished_at })
  return result(made)
})

const newRun: (lake: Lake["Service"]) => Effect.Effect<string, LakeError> = Effect.fnUntraced(function* (lake) {
  for (let tries = 0; tries < mostTries; tries++) {
    const run = Manifest.runId(yield* Clock.currentTimeMillis, yield* Random.nextIntBetween(0, 0xffff))
    if (Option.isNone(yield* lake.size(Manifest.manifestPath(run)))) return run
  }
  return yield* failed(`${lake.name} says of every file that it is there.`)
})

/** Two runs of one second rarely have one name; a server that isn't a store may say that it has everything. */
const mostTries = 8

interface Made {
  readonly manifest: Manifest.Manifest
  readonly staged: ReadonlyArray<Staging.Staged>
  readonly journal: Staging.StagedJournal
}

/** Puts every file into the Lake. The snapshot ends before the uploads begin: it keeps the engine's log long. */
const writeFiles = Effect.fnUntraced(function* (folder: string, run: string, before: LakePointer.LakePointer) {
  const lake = yield* Lake
  const made = yield* Effect.scoped(readSnapshot(folder, run, before))
  yield* Effect.forEach(
    [...made.staged.map(({ file, localFile }) => ({ path: file.path, localFile })), made.journal],
    ({ localFile, path }) => (localFile === undefined ? Effect.void : lake.put(path, localFile)),
    { concurrency: uploadsAtOnce, discard: true }
  )
  return made
})

const readSnapshot = Effect.fnUntraced(function* (folder: string, run: string, before: LakePointer.LakePointer) {
  const lake = yield* Lake
  const store = yield* Store
  const warehouse = yield* Warehouse
  const parquet = yield* Parquet.open
  // Taken before the snapshot, so that nothing received by then can be missing from both rows and `oldestPending`.
  const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
  const snapshot = yield* warehouse.snapshot
  const asOf: Manifest.AsOf = {
    sequence: snapshot.appliedThrough,
    at,
    oldestPending: yield* oldestPending(snapshot, at),
    walks: yield* walks(store)
  }
  const eventFiles = Contents.eventFiles(
    Option.match(before.manifest, { onNone: () => ({}), onSome: (last) => last.tables })
  )
  const staging: Staging.Staging = { folder, run, snapshot, lake, parquet, before: eventFiles }
  const staged = yield* Staging.stage(staging)
  const journal = yield* Staging.stageJournal(staging)
  const manifest = Contents.manifest({ run, asOf, snapshot, staged, journal, before })
  return Manifest.isReadable(manifest) ? ({ manifest, staged, journal } satisfies Made) : yield* unnameable
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

/** The same for every export of the same tables, so it is seldom written. */
const layReadingSql = Effect.fnUntraced(function* (lake: Lake["Service"], manifest: Manifest.Manifest) {
  const text = ReadingSql.readingSql(manifest, lake.name)
  const there = yield* lake.readText(ReadingSql.path)
  if (!Option.exists(there, (found) => found.text === text)) yield* lake.putText(ReadingSql.path, text)
})

/** From here on a reader sees this export. */
const announce = Effect.fnUntraced(function* (
  lake: Lake["Service"],
  announced: Manifest.Manifest,
  { version }: LakePointer.LakePointer
) {
  const { run } = announced
  const text = Manifest.stringify(announced)
  const manifest = Manifest.manifestPath(run)
  yield* lake.putText(manifest, text)
  const pointer = Manifest.stringify({ run, manifest, sha256: sha256(text) })
  yield* lake.replaceText(Manifest.pointerPath, pointer, version).pipe(
    Effect.catchIf(
      ({ reason }) => reason === "Overtaken",
      () => Effect.flatMap(LakePointer.read(lake), (shown) => overtaken(lake, run, shown))
    )
  )
})

const overtaken = ({ name }: Lake["Service"], run: string, { manifest, pointer }: LakePointer.LakePointer) => {
  const at = Option.match(manifest, { onNone: () => null, onSome: ({ asOf }) => asOf.at })
  if (Option.isNone(pointer)) {
    const removed = `${Manifest.pointerPath} of ${name} was removed or damaged meanwhile, by somebody else.`
    return new Overtaken({ message: `Export ${run} isn't shown: ${removed} The next export makes it anew.`, at })
  }
  const message = [
    `Export ${run} was overtaken by run ${pointer.value.run}${at === null ? "" : `, as of ${at}`}, which is what readers`,
    `of ${name} see now. Somebody else exports to the same lake: another worker, or an older one that still uploaded.`
  ]
  return new Overtaken({ message: message.join(" "), at })
}

const result = ({ manifest, staged }: Made): ExportResult => {
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
