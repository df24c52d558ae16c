/**
 * Removes all exports from the lake, with the logs that other tools read, and the copies of deliveries: any of them may
 * contain what is erased, and the next export needs none of them. What siteledger hasn't written stays.
 */
import { Effect } from "effect"
import { folder } from "../../Lake/Archiving.ts"
import * as DeliveriesCopy from "../../Lake/DeliveriesCopy.ts"
import * as DeltaState from "../../Lake/Delta/State.ts"
import type { Lake, LakeError } from "../../Lake/Lake.ts"
import * as Manifest from "../../Lake/Manifest.ts"
import * as ReadingSql from "../../Lake/ReadingSql.ts"

const log = /^[a-z_][a-z0-9_]*\/_delta_log\/(?:\d{20}\.(?:json|checkpoint\.parquet)|_last_checkpoint)$/

/** The pointer is removed first, then the manifests, so that readers never find an incomplete export. */
const order = (path: string): number => {
  if (path === Manifest.pointerPath || path === ReadingSql.path) return 0
  if (path === DeltaState.path) return 1
  return Manifest.runOf(path) === undefined ? 2 : 1
}

const isCopy = (path: string): boolean => path.startsWith(DeliveriesCopy.folder) && path.endsWith(".zst")

const isOurs = (path: string): boolean =>
  order(path) < 2 || Manifest.writerOf(path) !== undefined || log.test(path) || isCopy(path)

/** What others have written there, for instance to maintain a Delta table. Archives are handled separately. */
export const strangers = (lake: Lake["Service"]): Effect.Effect<ReadonlyArray<string>, LakeError> =>
  Effect.map(lake.list(""), (paths) =>
    paths.filter((path) => !isOurs(path) && !path.startsWith(folder)).map((path) => addressOf(lake, path))
  )

/** For people. */
export const addressOf = ({ name }: Lake["Service"], path: string): string => `${name.replace(/\/$/, "")}/${path}`

const atOnce = 8

export const remove = (lake: Lake["Service"]): Effect.Effect<number, LakeError> =>
  Effect.gen(function* () {
    yield* lake.abandon(() => true)
    const paths = (yield* lake.list("")).filter(isOurs)
    for (const step of [0, 1, 2]) {
      const some = paths.filter((path) => order(path) === step)
      yield* Effect.forEach(some, (path) => lake.remove(path), { concurrency: atOnce, discard: true })
    }
    return paths.length
  })
