/**
 * Clears the Lake of what no export needs: leftovers of failed runs, and old runs, by count and age.
 *
 * Touches only names that an export gives, in the folders of our own tables, and nothing at all while a manifest
 * that is there can't be read or the one pointed at is missing. Manifests go before their files, so that dying in
 * the middle leaves leftovers for the next sweep, never a manifest without its files.
 */
import { Clock, Effect, Option } from "effect"
import type { Lake, LakeError } from "../Lake.ts"
import { tables } from "../Warehouse/Tables.ts"
import * as Manifest from "./Manifest.ts"

const atOnce = 8

type LakeService = Lake["Service"]

/** An export doesn't depend on this: whatever is in the way is logged, and the next run sweeps again. */
export const sweep = (lake: LakeService): Effect.Effect<void> =>
  sweepNow(lake).pipe(
    Effect.catch((error) =>
      Effect.logWarning(`The lake could not be swept of old files; the next export tries again: ${error.message}`)
    )
  )

const sweepNow = Effect.fn("Lake.sweep")(function* (lake: LakeService) {
  const now = yield* Clock.currentTimeMillis
  const runs = (yield* lake.list(Manifest.manifestFolder)).flatMap((path) => Manifest.runOf(path) ?? [])
  const pointer = yield* lake.readText(Manifest.pointerPath)
  const pointedAt = Option.flatMap(pointer, Manifest.parsePointer)
  const retired = new Set(Manifest.retired(runs, Option.getOrUndefined(pointedAt)?.run, now))
  const kept = runs.filter((run) => !retired.has(run))
  const needed = yield* neededFiles(lake, kept)
  const isPointedAtKept = Option.isNone(pointer) || Option.exists(pointedAt, ({ run }) => kept.includes(run))
  if (needed === undefined || !isPointedAtKept) {
    return yield* Effect.logWarning("A manifest of the lake is missing or can't be read, so nothing is swept.")
  }
  yield* removeAll(lake, [...retired].map(Manifest.manifestPath))
  const found = yield* Effect.forEach(tables, ({ name }) => lake.list(`${name}/`), { concurrency: atOnce })
  yield* removeAll(
    lake,
    found.flat().filter((path) => Manifest.isData(path) && !needed.has(path))
  )
})

/** What the manifests of these runs name; undefined when one of them can't be read. */
const neededFiles = (
  lake: LakeService,
  runs: ReadonlyArray<string>
): Effect.Effect<ReadonlySet<string> | undefined, LakeError> =>
  Effect.map(
    Effect.forEach(
      runs,
      (run) => Effect.map(lake.readText(Manifest.manifestPath(run)), Option.flatMap(Manifest.parse)),
      { concurrency: atOnce }
    ),
    (manifests) =>
      manifests.every(Option.isSome) ? new Set(manifests.flatMap(({ value }) => Manifest.files(value))) : undefined
  )

const removeAll = (lake: LakeService, paths: ReadonlyArray<string>): Effect.Effect<void, LakeError> =>
  Effect.forEach(paths, (path) => lake.remove(path), { concurrency: atOnce, discard: true })
