/**
 * What the disk did to the inbox's files, in sentences: at startup, and whenever damage is found later. Only a worker
 * reports reasons.
 */
import { Effect, Option } from "effect"
import { Reasons } from "../Runtime/Reasons.ts"
import type { Lost } from "../Stores/Deliveries.ts"
import { Store, type StoreError } from "../Stores/Store.ts"

export const tell: Effect.Effect<void, StoreError, Store> = Effect.gen(function* () {
  const { deliveries } = yield* Store
  // Opens the files and repairs what it can.
  const { lost, repaired } = yield* deliveries.damage
  const reasons = Option.getOrUndefined(yield* Effect.serviceOption(Reasons))
  if (reasons === undefined) return
  if (lost.length === 0) yield* reasons.clear("inbox lost")
  else yield* reasons.set("inbox lost", lostSentence(lost), "critical")
  if (repaired > 0) yield* reasons.set("inbox repaired", repairedSentence(repaired), "notice")
})

/** Also reports damage that is found later. */
export const tellAlways = tell.pipe(
  Effect.delay("1 minute"),
  Effect.catch((error) => Effect.logDebug("The inbox's files can't be asked now", error)),
  Effect.forever
)

const spanOf = ({ after, before, from, through }: Lost): string =>
  `${from === through ? `${from}` : `${from} to ${through}`} (arrived between ${after ?? "the first"} and ${before ?? "the last"})`

const lostSentence = (lost: ReadonlyArray<Lost>): string =>
  `The disk has lost deliveries that were acknowledged, and no copy holds them: ${lost.map(spanOf).join(", ")}. Replay ` +
  "the deliveries of that time in the service's Admin → API → Webhooks."

const repairedSentence = (repaired: number): string =>
  `The disk had damaged ${repaired === 1 ? "a file" : `${repaired} files`} of the inbox. Nothing is lost: each was ` +
  "restored from its copy. The last damaged one is kept as inbox/damaged.log. Check the disk."
