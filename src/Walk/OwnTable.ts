/**
 * Looks up the table of a list before its walk continues. A server that is briefly unavailable is reported by others.
 * The walk reports that its table can't be looked up only if the Store answers meanwhile, time after time. The reason
 * clears once the table is found. Nothing is stored, so nothing is lost if the process dies.
 */
import { Duration, Effect } from "effect"
import { Store } from "../Stores/Store.ts"
import { Warehouse } from "../Stores/Warehouse.ts"
import * as Tracks from "./Tracks.ts"
import * as Trouble from "./Trouble.ts"

/** Failed attempts in a row before it is reported. */
const patience = 10

export const lookEvery = Duration.seconds(1)

/** `undefined`: not found now, and it is already time for the next look. */
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
