/**
 * Clears the Lake of what no export needs: leftovers of failed runs, and old runs, by count and age.
 *
 * A leftover is touched only if no process can be working on it: its run is one of our own that failed, or it began
 * longer ago than an export may take. A sweep touches only names that an export gives, in the folders of tables that
 * every warehouse or some manifest has. It removes no complete file while a manifest can't be read or the one pointed
 * at is missing. Manifests go before their files: if the process dies in the middle, leftovers remain for the next
 * sweep, but never a manifest without its files.
 */
import { Clock, Duration, Effect, Option } from "effect"
import type { Found, KnownManifests, Named } from "./KnownManifests.ts"
import type { Lake, LakeError } from "./Lake.ts"
import * as LakePointer from "./LakePointer.ts"
import { tables } from "../Stores/WarehouseTables.ts"
import * as Manifest from "./Manifest.ts"
import * as ReadingSql from "./ReadingSql.ts"
import * as Retention from "./Retention.ts"
import * as LogLine from "../Runtime/LogLine.ts"

const atOnce = 8

/** An export gives up a day earlier (`Export`), so the clocks of two machines may differ by a day. */
const abandonedAfter = Duration.days(2)

type LakeService = Lake["Service"]

/** In bytes, by path. */
export type Sizes = ReadonlyMap<string, number>

export interface Swept {
  /** Nothing of our own failed runs is left. */
  readonly isSwept: boolean
  /** The sizes of all files of the exports that stay; undefined if they weren't listed. */
  readonly sizes: Sizes | undefined
}

/**
 * `failed`: our own failed runs. An export doesn't depend on the sweep: obstacles are logged, and the next run sweeps
 * again.
 */
export const sweep = Effect.fnUntraced(function* (
  lake: LakeService,
  failed: ReadonlyArray<string>,
  keep: Retention.Keep,
  known: KnownManifests
) {
  const now = yield* Clock.currentTimeMillis
  const abandonedBefore = Manifest.runId(now - Duration.toMillis(abandonedAfter), 0)
  const isAbandoned = (run: string): boolean => failed.includes(run) || run < abandonedBefore
  const ended = yield* orLater("unfinished uploads", endUnfinished(lake, failed, isAbandoned))
  const sizes = yield* orLater("old files", sweepFiles(lake, { failed, isAbandoned, keep, known }))
  return { isSwept: ended === true && sizes !== undefined, sizes } satisfies Swept
})

/** The sizes in bytes of all files in the folders of these tables. */
export const sizesIn = (lake: LakeService, tables: Iterable<string>): Effect.Effect<Sizes, LakeError> =>
  Effect.map(
    Effect.forEach(tables, (name) => lake.sizes(`${name}/`), { concurrency: atOnce }),
    (all) => new Map(all.flatMap((each) => [...each]))
  )

const orLater = <A>(what: string, swept: Effect.Effect<A, LakeError>): Effect.Effect<A | undefined> =>
  swept.pipe(
    Effect.catch(({ message }) =>
      Effect.as(
        LogLine.write("lake.unswept", {
          why: `The lake could not be swept of ${what}; the next export tries again: ${message}`
        }),
        undefined
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
    // These paths name no run. At worst, another export that is just writing one of them fails.
    return failed.length > 0 && (path === Manifest.pointerPath || path === ReadingSql.path)
  })
  return Effect.as(ended, true)
}

interface Sweeping {
  readonly failed: ReadonlyArray<string>
  readonly isAbandoned: (run: string) => boolean
  readonly keep: Retention.Keep
  readonly known: KnownManifests
}

/** Undefined if something prevents a sweep. */
const sweepFiles = Effect.fn("Lake.sweep")(function* (
  lake: LakeService,
  { failed, isAbandoned, keep, known }: Sweeping
): Effect.fn.Return<Sizes | undefined, LakeError> {
  const now = yield* Clock.currentTimeMillis
  const found = (yield* lake.list(Manifest.manifestFolder)).flatMap((path) => Manifest.runOf(path) ?? [])
  const { pointer, version } = yield* LakePointer.find(lake)
  const pointedAt = Option.getOrUndefined(pointer)?.run
  const all = yield* known.read(lake, found)
  const retired = new Set(Retention.retired(stayingOf(all), pointedAt, keep, now))
  const manifests = all.manifests.filter(({ run }) => !retired.has(run))
  const unreadable = all.unreadable.filter((run) => !retired.has(run))
  const obstacle = inTheWay(lake.name, Option.isSome(version), pointedAt, { manifests, unreadable })
  if (obstacle !== undefined) {
    yield* LogLine.write("lake.unswept", { why: obstacle })
    return undefined
  }
  const unseen = neverShown(manifests, failed, pointedAt)
  // Includes the folders of lists that a person has switched on, or has switched off since.
  const folders = new Set([...tables.map(({ name }) => name), ...all.manifests.flatMap((manifest) => manifest.tables)])
  yield* removeAll(lake, [...retired, ...unseen].map(Manifest.manifestPath))
  const needed = new Set(manifests.filter(({ run }) => !unseen.includes(run)).flatMap(({ files }) => files))
  const sizes = yield* sizesIn(lake, folders)
  yield* removeAll(
    lake,
    [...sizes.keys()].filter((path) => {
      const writer = Manifest.writerOf(path)
      // A run with a manifest has written all its files.
      return writer !== undefined && (isAbandoned(writer) || retired.has(writer)) && !needed.has(path)
    })
  )
  return sizes
})

/** A run whose manifest can't be read doesn't say when it was shown. */
const stayingOf = ({ manifests, unreadable }: Found): ReadonlyArray<Retention.Kept> => [
  ...manifests,
  ...unreadable.map((run) => ({ run }))
]

/** Why it isn't known which files are needed; names the file that is missing or can't be read. */
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
 * Our own runs that wrote a manifest and then failed, so that no reader ever saw them. If the pointer has named a run,
 * even one reported as failed, the pointer or the next manifest still names it. If another manifest doesn't say what
 * was shown before it, that may have been this run.
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
