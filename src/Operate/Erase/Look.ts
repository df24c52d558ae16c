/**
 * What an erasure would remove from the deliveries and rows of an embedded Store that isn't in use; nothing is changed.
 */
import { Effect } from "effect"
import type * as Erasure from "../../Domain/Erasure.ts"
import { whyNot } from "../../Runtime/SystemFailure.ts"
import type { Frame } from "../../Stores/Segments/Frame.ts"
import * as Segments from "../../Stores/Segments/Open.ts"
import { FilesFailed, type Place } from "./Archived.ts"
import * as Archives from "./Archives.ts"
import * as Inbox from "./Inbox.ts"
import * as Rows from "./Rows.ts"
import type { Seek } from "./Seek.ts"

const attempt = <A>(what: string, use: () => A) =>
  Effect.try({
    try: use,
    catch: (cause) => new FilesFailed({ message: `${what} can't be read: ${whyNot(cause)}.` })
  })

/** One result for each of these. A delivery may be in the inbox, in an archive, or in both, and is counted once. */
export const into = Effect.fn("Erase.look.into")(function* (
  place: Place,
  seeks: ReadonlyArray<Seek>,
  reads: Erasure.Reads
) {
  const tallies = seeks.map((seek) => ({ seek, tally: Inbox.tally(seek, reads.bodies) }))
  const hear = (frame: Frame): void => tallies.forEach(({ tally }) => tally.add(frame))
  yield* attempt("The inbox", () => {
    for (const frame of Inbox.frames(Segments.folderOf(place.store))) hear(frame)
  })
  const unopened = yield* Archives.look(place, hear)
  const found = yield* attempt("The store", () =>
    tallies.map(({ seek, tally }) => {
      const { keeping, losing } = tally.found()
      const { changed, kept } = Rows.look(place.database, seek, reads)
      return { deliveries: losing, changed, kept: keeping === 0 ? kept : { deliveries: keeping, ...kept } }
    })
  )
  return { found, unopened }
})
