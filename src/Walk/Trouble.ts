/**
 * What Status says about a walk in trouble. A problem that stopped a turn is over once another turn has saved a page
 * with its checkpoint, if a page can prove that: a crash, or an unavailable store. What the service or a store refused
 * may be refused again later in the list, so that stays until the pass is through. Nothing is kept across restarts.
 */
import { Effect } from "effect"
import { Reasons } from "../Runtime/Reasons.ts"
import type { StoreError } from "../Stores/Store.ts"
import type { WarehouseError } from "../Stores/Warehouse.ts"
import type { SourceError } from "./Source.ts"
import type { Track } from "./Tracks.ts"

export const pipelineOf = ({ list }: Track): string => `the walk of ${list.resource}`

export const say = ({ list }: Track, sentence: string) =>
  Effect.flatMap(Reasons, ({ set }) => set(`walk ${list.resource}`, sentence))

/** Keeps what its last pass over the whole list reported. */
export const clear = (track: Track) =>
  Effect.flatMap(Reasons, (reasons) =>
    track.said === undefined ? reasons.clear(`walk ${track.list.resource}`) : say(track, track.said)
  )

export const failed = (track: Track, error: SourceError | StoreError | WarehouseError) => {
  track.isPassing = error._tag !== "SourceError" && error.reason !== "Refused"
  return say(track, error.message)
}

/** A failure that was caused only by a store is over. */
export const storeAnswered = (track: Track) => {
  if (!track.isPassing) return Effect.void
  track.isPassing = false
  return clear(track)
}

/** A page has been written and its checkpoint saved. */
export const pageCame = (track: Track) =>
  Effect.flatMap(Reasons, (reasons) =>
    Effect.andThen(
      reasons.clear(pipelineOf(track)),
      Effect.suspend(() => storeAnswered(track))
    )
  )
