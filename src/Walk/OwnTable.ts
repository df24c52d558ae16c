/**
 * Looks up the table of a list before its walk goes on. A server that is away for a while is for others to tell of: that a table
 * can't be looked up is a reason of the walk only if the Store answers meanwhile, time after time. It is gone once the
 * table is found. Nothing is kept, so nothing is lost if the process dies.
 */
import { Duration, Effect } from "effect"
import { Store } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import * as Tracks from "./Tracks.ts"
import * as Trouble from "./Trouble.ts"

/** Looks in a row. */
const patience = 10

export const lookEvery = Duration.seconds(1)

/** `undefined`: not now, and the time until the next look is over. */
export const of = Effect.fnUntraced(function* (track: Tracks.Track) {
  const { table } = yield* Warehouse
  const found = yield* Effect.result(table(track.list.resource))
  if (found._tag === "Success") {
    if (track.unfound >= patience) yield* Trouble.clear(track)
    track.unfound = 0
    return found.success
  }
  if (yield* Effect.isSuccess(Tracks.stamp(yield* Store))) track.unfound += 1
  if (track.unfound >= patience) yield* Trouble.say(track, found.failure.message)
  return yield* Effect.as(Effect.sleep(lookEvery), undefined)
})
