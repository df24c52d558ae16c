/**
 * Clears the Lake of what no export needs: leftovers of failed runs, and old runs, by count and age.
 *
 * A leftover is touched only if no process can be working on it: its run is one of our own that failed, or began longer
 * ago than an export may take. A sweep touches only names that an export gives, in the folders of tables that every warehouse
 * or a manifest has, and no whole file at all while a manifest can't be read or the one pointed at is missing. Manifests go before their
 * files, so dying in the middle leaves leftovers for the next sweep, never a manifest without its files.
 */
import { Clock, Duration, Effect, Option } from "effect"
import type { Lake, LakeError } from "./Lake.ts"
import * as LakePointer from "./LakePointer.ts"
import { tables } from "../Stores/WarehouseTables.ts"
import * as Manifest from "./Manifest.ts"
import * as ReadingSql from "./ReadingSql.ts"
import * as LogLine from "../Runtime/LogLine.ts"

const atOnce = 8

/** An export gives up a day earlier (`Export`), so two machines' clocks may differ by a day. */
const abandonedAfter = Duration.days(2)

type LakeService = Lake["Service"]

/**
 * `failed`: our own failed runs. Returns whether nothing of them is left. An export doesn't depend on this: what is in
 * the way is logged, and the next run sweeps again.
 */
export const sweep = Effect.fnUntraced(function* (
  lake: LakeService,
  failed: ReadonlyArray<string>,
  keep: Manifest.Keep
) {
  const now = yield* Clock.currentTimeMillis
  const abandonedBefore = Manifest.runId(now - Duration.toMillis(abandonedAfter), 0)
  const isAbandoned = (run: string): boolean => failed.includes(run) || run < abandonedBefore
  const isEnded = yield* orLater("unfinished uploads", endUnfinished(lake, failed, isAbandoned))
  const isSwept = yield* orLater("old files", sweepFiles(lake, { failed, isAbandoned, keep }))
  return isEnded && isSwept
})

const orLater = (what: string, swept: Effect.Effect<boolean, LakeError>): Effect.Effect<boolean> =>
  swept.pipe(
    Effect.catch(({ message }) =>
      Effect.as(
        LogLine.write("lake.unswept", {
          why: `The lake could not be swept of ${what}; the next export tries again: ${message}`
        }),
        false
      )
    )
  )

const endUnfinished = (
  lake: LakeService,
  failed: ReadonlyArray<string>,
  isAbandoned: (run: string) => boolean
): Effect.Effect<boolean, LakeError> => {
  const ended = lake.abandon((path) => {
    const run = Manifest.writerOf(path) ?? Manifest.runOf(path)
    if (run !== undefined) return isAbandoned(run)
    // These paths name no run. At worst another export that is just writing one of them fails.
    return failed.length > 0 && (path === Manifest.pointerPath || path === ReadingSql.path)
  })
  return Effect.as(ended, true)
}

interface Sweeping {
  readonly failed: ReadonlyArray<string>
  readonly isAbandoned: (run: string) => boolean
  readonly keep: Manifest.Keep
}

const sweepFiles = Effect.fn("Lake.sweep")(function* (lake: LakeService, { failed, isAbandoned, keep }: Sweeping) {
  const now = yield* Clock.currentTimeMillis
  const found = (yield* lake.list(Manifest.manifestFolder)).flatMap((path) => Manifest.runOf(path) ?? [])
  const { pointer, version } = yield* LakePointer.find(lake)
  const pointedAt = Option.getOrUndefined(pointer)?.run
  const retired = Manifest.retired(found, pointedAt, keep, now)
  const kept = yield* read(
    lake,
    found.filter((run) => !retired.includes(run))
  )
  const obstacle = inTheWay(lake.name, Option.isSome(version), pointedAt, kept)
  if (obstacle !== undefined) {
    yield* LogLine.write("lake.unswept", { why: obstacle })
    return false
  }
  const { manifests } = kept
  const unseen = neverShown(manifests, failed, pointedAt)
  // Also those of lists that a person has switched on, or off since.
  const gone = yield* read(lake, retired)
  const folders = new Set([
    ...tables.map(({ name }) => name),
    ...[...manifests, ...gone.manifests].flatMap((manifest) => manifest.tables)
  ])
  yield* removeAll(lake, [...retired, ...unseen].map(Manifest.manifestPath))
  const needed = new Set(manifests.filter(({ run }) => !unseen.includes(run)).flatMap(({ files }) => files))
  const written = yield* Effect.forEach(folders, (name) => lake.list(`${name}/`), { concurrency: atOnce })
  yield* removeAll(
    lake,
    written.flat().filter((path) => {
      const writer = Manifest.writerOf(path)
      // A run with a manifest has written all its files.
      return writer !== undefined && (isAbandoned(writer) || retired.includes(writer)) && !needed.has(path)
    })
  )
  return true
})

/** The part of a manifest, which may be large, that matters here. */
interface Named {
  readonly run: string
  readonly before: string | null | undefined
  readonly tables: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
}

interface Found {
  readonly manifests: ReadonlyArray<Named>
  /** Whose manifests can't be read. */
  readonly unreadable: ReadonlyArray<string>
}

const read = (lake: LakeService, runs: ReadonlyArray<string>): Effect.Effect<Found, LakeError> =>
  Effect.map(
    Effect.forEach(
      runs,
      (run) =>
        Effect.map(LakePointer.manifestOf(lake, run), (found) => ({
          run,
          named: Option.map(found, (manifest): Named => {
            const { before, tables: shown } = manifest
            return { run, before, tables: Object.keys(shown), files: Manifest.files(manifest) }
          })
        })),
      { concurrency: atOnce }
    ),
    (found) => ({
      manifests: found.flatMap(({ named }) => Option.toArray(named)),
      unreadable: found.flatMap(({ named, run }) => (Option.isNone(named) ? [run] : []))
    })
  )

/** Why it is unknown which files are needed; names the file that is missing or can't be read. */
const inTheWay = (
  lake: string,
  isPointerThere: boolean,
  pointedAt: string | undefined,
  found: Found
): string | undefined => {
  const [unreadable] = found.unreadable
  if (unreadable !== undefined) {
    const path = Manifest.manifestPath(unreadable)
    return `${path} on ${lake} can't be read, so no old files are swept: remove or restore it.`
  }
  if (!isPointerThere || found.manifests.some(({ run }) => run === pointedAt)) return undefined
  const path = pointedAt === undefined ? Manifest.pointerPath : Manifest.manifestPath(pointedAt)
  const what = pointedAt === undefined ? "can't be read" : "is missing"
  return `${path} on ${lake} ${what}, so no old files are swept this time.`
}

/**
 * Our own runs that wrote a manifest and then failed, so that no reader came by it. A run that the pointer has named
 * since, even if it was reported as failed, is still named by the pointer or by the manifest after it. If another
 * manifest doesn't say what was shown before it, it may have been this one.
 */
const neverShown = (
  manifests: ReadonlyArray<Named>,
  failed: ReadonlyArray<string>,
  pointedAt: string | undefined
): ReadonlyArray<string> => {
  const shown = new Set([pointedAt, ...manifests.map(({ before }) => before)])
  const silent = manifests.filter(({ before }) => before === undefined)
  const isSeen = (run: string) => shown.has(run) || silent.some((other) => other.run !== run)
  return manifests.flatMap(({ run }) => (failed.includes(run) && !isSeen(run) ? [run] : []))
}

const removeAll = (lake: LakeService, paths: ReadonlyArray<string>): Effect.Effect<void, LakeError> =>
  Effect.forEach(paths, (path) => lake.remove(path), { concurrency: atOnce, discard: true })
