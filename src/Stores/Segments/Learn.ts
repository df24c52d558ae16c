/**
 * What is known, learnt from the frames: at startup, from frames after those that the files of keys cover, or from all
 * of them if those files are gone. Keys of archived deliveries come from the files beside the archives.
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { includeArchive } from "./ArchivedKeys.ts"
import { type Frame, isArchived, numberAfter, sha256Of } from "./Frame.ts"
import { bodyKey, idKey, type Index } from "./Known.ts"
import { framesIn, listed, nameOf } from "./Segment.ts"

/** A known key keeps its first number, so it doesn't matter whether an id was reused. */
export const keysOf = (frame: Frame): ReadonlyArray<Buffer> =>
  frame.kind === "first" ? [bodyKey(sha256Of(frame)), idKey(frame.labels.eventId)] : []

interface Place {
  /** The folder of the segments. */
  readonly folder: string
  /** The folder of the archives. */
  readonly archive: string
  /** The number after the last frame: anything after it in the file is still being written. */
  readonly next: number
}

/** Adds what the files of keys lack. */
export const learn = (known: Index, { archive, folder, next }: Place): void => {
  let included: string | undefined
  const firsts = listed(folder)
  for (const [place, first] of firsts.entries()) {
    if ((firsts[place + 1] ?? Infinity) <= known.through + 1) continue
    for (const frame of framesIn(readFileSync(join(folder, nameOf(first))))) {
      if (frame.kind === "end" || numberAfter(frame) - 1 <= known.through || frame.number >= next) continue
      if (isArchived(frame)) included = includeArchive(known, archive, frame, included)
      known.add(keysOf(frame), numberAfter(frame) - 1)
      if (isArchived(frame)) known.flush()
    }
    // A segment at a time, so that they are never all in memory.
    known.flush()
  }
}
