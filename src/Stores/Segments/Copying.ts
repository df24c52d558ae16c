/**
 * The inbox's side of a copy elsewhere: hands out its frames in chunks, and restores from a chunk what its own files
 * have lost. A frame that we didn't write, or that isn't lost, changes nothing.
 */
import type { Kysely } from "kysely"
import { type Chunk, type TakenBack } from "../Deliveries.ts"
import type { StoreTables } from "../StoreTables.ts"
import { chunkOf, framesOf, isWhole } from "./Chunk.ts"
import { lostOf } from "./Lost.ts"
import { isIn } from "./Part.ts"
import type { Segments } from "./Segments.ts"

const mostFrames = 2000

export const after = (segments: Segments, number: number): Promise<Chunk | undefined> =>
  chunkOf(segments.range(number, mostFrames))

/** `found`: is told the numbers that are no longer lost. */
export const takeBack = async (
  segments: Segments,
  db: Kysely<StoreTables>,
  chunk: Chunk,
  found: (numbers: ReadonlySet<number>) => Promise<void>
): Promise<TakenBack> => {
  const frames = await framesOf(chunk, segments.key)
  const known = frames.filter(({ kind }) => kind === "first" || kind === "again")
  const lost = await lostOf(db)
  const fills = known.filter((frame) => lost.some((span) => isIn(frame, span)))
  const added = known.filter(({ number }) => number > segments.last)
  if (fills.length > 0) {
    await segments.fill(fills)
    await found(new Set(fills.map(({ number }) => number)))
  }
  if (added.length > 0) await segments.put(added)
  return {
    sequences: fills.filter(({ kind }) => kind === "first").map(({ number }) => number),
    added: added.length,
    isForeign: !isWhole(chunk, frames)
  }
}
