/**
 * Deliveries older than SITELEDGER_ARCHIVE_AFTER leave the Store for archives, month by month, oldest first. Each
 * archive is kept twice: in the folder `archive` of the data directory, and on the Lake in `_archive`.
 *
 *   file in the folder → file on the Lake → both read back and compared with the Store, delivery by delivery
 *   → sealed in the folder → sealed on the Lake, read back → only now its deliveries leave the Store
 *
 * If the process dies at any point, the deliveries are still in the Store, or there are both copies of a sealed
 * archive; the next turn completes the rest. An archive changes only when something is erased, and neither this module
 * nor a sweep ever removes one.
 */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { Clock, Duration, Effect, Layer, Option, Semaphore } from "effect"
import * as Instant from "../Domain/Instant.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import * as TemporaryFolder from "../Runtime/TemporaryFolder.ts"
import { Elsewhere } from "../Stores/Archives/ArchiveFolder.ts"
import type { Archive } from "../Stores/Deliveries.ts"
import * as Projection from "../Stores/Projection.ts"
import { type Archiving, Store, StoreError } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import { Lake, LakeError } from "./Lake.ts"
import { attempt } from "./LocalFiles.ts"
import * as LogLine from "../Runtime/LogLine.ts"

export const folder = "_archive/"

/** The path on the Lake. */
export const fileOf = ({ name }: Archive): string => `${folder}${name}.parquet`
export const documentOf = ({ name }: Archive): string => `${folder}${name}.json`

const key = "archive"

/** `after`: none keeps everything in the Store. Refused if the engine can't archive. */
export const layerWith = (
  after: Option.Option<Duration.Duration>
): Layer.Layer<never, StoreError, Lake | Reasons | Store | Warehouse> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { archiving } = (yield* Store).deliveries
      if (Option.isNone(after)) return
      if (archiving === undefined) return yield* notHere
      yield* Effect.forkScoped(led("archiving", Effect.andThen(turn(archiving, after.value), Effect.sleep("1 hour"))))
    })
  )

const notHere = new StoreError({
  reason: "Unusable",
  message: "SITELEDGER_ARCHIVE_AFTER can't be used with PostgreSQL, which keeps all deliveries; leave it out."
})

/** The Lake's copies, for a Store whose own archives are damaged. The Lake is opened only for that. */
export const layerElsewhere = <E, R>(lake: Layer.Layer<Lake, E, R>): Layer.Layer<never, never, R> =>
  Layer.effect(
    Elsewhere,
    Effect.map(Effect.context<R>(), (context) => ({
      name: "the lake",
      fetch: (path, localFile) =>
        Effect.runPromise(
          Effect.flatMap(Lake, ({ fetch }) => fetch(path, localFile)).pipe(
            Effect.provide(lake),
            Effect.provideContext(context)
          )
        )
    }))
  )

const turn = (archiving: Archiving, after: Duration.Duration) =>
  Effect.gen(function* () {
    const reasons = yield* Reasons
    const done = Effect.gen(function* () {
      const before = monthBefore(yield* Clock.currentTimeMillis, after)
      while (Option.isSome(yield* archiveNext(archiving, before))) yield* Effect.yieldNow
    })
    yield* done.pipe(
      Effect.andThen(reasons.clear(key)),
      Effect.catch(({ message }) =>
        reasons.set(key, `Deliveries can't be archived, stay in the store, and are tried again in an hour: ${message}`)
      )
    )
  })

/** Only whole months leave: a month stays until its last day is old enough. */
export const monthBefore = (nowMillis: number, after: Duration.Duration): Instant.Instant =>
  `${Instant.fromMillis(nowMillis - Duration.toMillis(after)).slice(0, 7)}-01T00:00:00.000000Z`

const oneAtATime = Semaphore.makeUnsafe(1)

/** Makes one archive, and completes what a crash left of the previous one; none if nothing is old enough. */
export const archiveNext = (archiving: Archiving, before: Instant.Instant) =>
  oneAtATime.withPermit(
    Effect.gen(function* () {
      yield* archiving.finish
      const made = yield* archiving.make({ before, through: yield* appliedAndCopied })
      if (made === undefined) return Option.none<Archive>()
      yield* Effect.scoped(bothCopies(archiving, made))
      yield* seal(archiving, made)
      yield* archiving.leave(made)
      yield* LogLine.write("archive.made", {
        archive: made.name,
        deliveries: made.deliveries,
        first: made.first,
        last: made.through
      })
      return Option.some(made)
    })
  )

/** Deliveries that aren't applied, or not yet in the warehouse's copy, stay. */
const appliedAndCopied = Effect.gen(function* () {
  const store = yield* Store
  const { copying } = store.deliveries
  const applied = yield* Projection.watermark(store)
  const live = yield* (yield* Warehouse).mirrors.live
  if (Option.isNone(live) || copying === undefined) return applied
  return Math.min(applied, yield* live.value.through(yield* copying.id))
})

const bothCopies = Effect.fnUntraced(function* (archiving: Archiving, made: Archive) {
  const lake = yield* Lake
  const temporary = yield* Effect.acquireRelease(
    attempt(() => TemporaryFolder.make("archive")),
    (each) => Effect.promise(() => each.remove())
  )
  const local = join(temporary.path, "archive.parquet")
  yield* archiving.copy(made, local)
  yield* lake.put(fileOf(made), local)
  rmSync(local, { force: true })
  if (!(yield* lake.fetch(fileOf(made), local))) return yield* missing(lake, fileOf(made))
  yield* archiving.compare(made, local)
  yield* archiving.compare(made)
})

const seal = Effect.fnUntraced(function* (archiving: Archiving, made: Archive) {
  yield* sealOn(yield* Lake, made, yield* archiving.seal(made))
})

/** Writes the document, and reads it back. */
export const sealOn = Effect.fnUntraced(function* (lake: Lake["Service"], archive: Archive, text: string) {
  yield* lake.putText(documentOf(archive), text)
  const found = yield* lake.readText(documentOf(archive))
  if (!Option.exists(found, (each) => each.text === text)) return yield* missing(lake, documentOf(archive))
})

export const missing = ({ name }: Lake["Service"], path: string) =>
  new LakeError({ reason: "Failed", message: `${path} on ${name} is not what was written there.` })
