/**
 * The Lake's copy of the Store's deliveries, in the folder `_deliveries`: one file for each chunk, added every hour. It
 * isn't meant for readers of the Lake. From it the worker restores what the inbox and the warehouse have both lost.
 *
 * A file appears whole or not at all; if the process dies, the next start continues after the last one.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Layer } from "effect"
import type { Apply } from "../Intake/Apply.ts"
import { copyTo, takeBackFrom } from "../Intake/Mirror.ts"
import type { Reasons } from "../Runtime/Reasons.ts"
import * as TemporaryFolder from "../Runtime/TemporaryFolder.ts"
import { Store } from "../Stores/Store.ts"
import type { Mirror } from "../Stores/Warehouse.ts"
import { Lake, type LakeError } from "./Lake.ts"
import * as LogLine from "../Runtime/LogLine.ts"

/** Contains a folder for each inbox. */
export const folder = "_deliveries/"

const folderOf = (inbox: string): string => `${folder}${inbox}/`

const padded = (number: number): string => String(number).padStart(15, "0")

const named = /(\d{15})-(\d{15})\.zst$/

/** `temporary`: a folder for files in transit. */
export const mirrorIn = (lake: Lake["Service"], temporary: string): Mirror<LakeError> => {
  const all = (inbox: string) =>
    Effect.map(lake.list(folderOf(inbox)), (paths) =>
      paths.flatMap((path) => {
        const [, first, last] = named.exec(path) ?? []
        return last === undefined ? [] : [{ path, first: Number(first), last: Number(last) }]
      })
    )
  const local = join(temporary, "chunk.zst")
  return {
    name: lake.name,
    through: (inbox) => Effect.map(all(inbox), (files) => Math.max(0, ...files.map(({ last }) => last))),
    add: (inbox, { first, frames, last }) =>
      Effect.andThen(
        Effect.sync(() => writeFileSync(local, frames, { mode: 0o600 })),
        lake.put(`${folderOf(inbox)}${padded(first)}-${padded(last)}.zst`, local)
      ),
    after: (inbox, number) =>
      Effect.gen(function* () {
        const next = (yield* all(inbox)).find(({ last }) => last > number)
        if (next === undefined || !(yield* lake.fetch(next.path, local))) return undefined
        return { first: next.first, last: next.last, frames: readFileSync(local) }
      })
  }
}

/** What was lost is restored at startup. What has arrived since is copied then, and every hour. */
export const layer: Layer.Layer<never, never, Apply | Lake | Reasons | Store> = Layer.effectDiscard(
  Effect.gen(function* () {
    const { deliveries } = yield* Store
    if (deliveries.copying === undefined) return
    const temporary = yield* Effect.acquireRelease(
      Effect.promise(() => TemporaryFolder.make("deliveries")),
      (made) => Effect.promise(() => made.remove())
    )
    const mirror = mirrorIn(yield* Lake, temporary.path)
    const { lost } = yield* deliveries.damage
    if (lost.length > 0) yield* unlessItFails(mirror.name, takeBackFrom(mirror, deliveries.copying))
    const keeping = unlessItFails(mirror.name, copyTo(mirror, deliveries.copying))
    yield* Effect.forever(Effect.andThen(keeping, Effect.sleep("1 hour")))
  }).pipe(
    Effect.scoped,
    Effect.catch(({ message }) =>
      LogLine.write("copy.unusable", { why: `Deliveries can't be copied to the lake: ${message}` })
    ),
    Effect.forkScoped
  )
)

const unlessItFails = <E extends { readonly message: string }, R>(lake: string, effect: Effect.Effect<void, E, R>) =>
  effect.pipe(
    Effect.catch(({ message }) =>
      LogLine.write("copy.unusable", {
        why: `The copy of the deliveries in ${lake} can't be used for now, and is tried again in an hour: ${message}`
      })
    )
  )
