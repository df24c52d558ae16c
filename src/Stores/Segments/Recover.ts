/**
 * Recovers the segments from their own intact frames and those of the copies beside them, and says which numbers
 * neither has. At startup, a closed segment is checked only from outside (that it ends where the next begins), so this
 * takes bounded time; `check` reads a whole segment.
 *
 * A segment with missing frames becomes several, each without a gap. Files are replaced as a whole, the last part
 * first: a crash in between leaves the old file, which the next start recovers.
 */
import { existsSync, rmSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { type Frame, numberAfter } from "./Frame.ts"
import { withoutStale } from "./Leave.ts"
import { type Folders, type Span, copyAgain, keepDamaged, readIfThere, write } from "./Replace.ts"
import { closedAt, listed, nameOf, scan } from "./Segment.ts"

export interface Recovered {
  /** Segments that had to be rewritten. */
  readonly repaired: ReadonlyArray<number>
  /** How many frames at the end were only in a copy. */
  readonly completed: number
  /** The number after the last frame. */
  readonly next: number
  /** The first number of the last segment, if it isn't closed. */
  readonly open: number | undefined
  /** Includes what follows the last frame, up to the floor. */
  readonly missing: ReadonlyArray<Span>
}

/** Consecutive frames. */
type Chunk = ReadonlyArray<Frame>

/** Each frame once, in chunks. */
const chunksOf = (frames: ReadonlyArray<Frame>): ReadonlyArray<Chunk> => {
  const chunks: Array<Array<Frame>> = []
  let next: number | undefined
  for (const frame of frames.toSorted((a, b) => a.number - b.number)) {
    if (next !== undefined && frame.number < next) continue
    if (frame.number === next) chunks.at(-1)!.push(frame)
    else chunks.push([frame])
    next = numberAfter(frame)
  }
  return chunks
}

interface Found {
  /** Runs of its frames without a gap. */
  readonly parts: ReadonlyArray<{ readonly from: number; readonly next: number }>
  readonly isOpen: boolean
  /** Whether the segment itself had to be rewritten. */
  readonly isRepaired: boolean
  /** How many frames at its end were only in its copy. */
  readonly completed: number
}

/** `limit`: where the next segment begins; undefined for the last one. `floor`: every frame before it was fsynced. */
const inOrder = (folders: Folders, first: number, limit: number | undefined, floor: number): Found => {
  const { beside, key, main } = folders
  const path = join(main, nameOf(first))
  const [bytes, copy] = [readIfThere(path), readIfThere(join(beside, nameOf(first)))]
  const own = scan(bytes, key)
  // After a stop the copy is identical. After a kill it may lack the end, but then it has no frames of its own.
  const both = bytes.subarray(0, copy.byteLength).equals(copy) ? own.frames : [...own.frames, ...scan(copy, key).frames]
  const isOpen = limit === undefined && !both.some(({ kind }) => kind === "end")
  const chunks = chunksOf(both.filter(({ kind, number }) => kind !== "end" && (limit === undefined || number < limit)))
  const parts = chunks.map((chunk) => ({ from: chunk[0]!.number, next: numberAfter(chunk.at(-1)!) }))
  const frames = own.frames.filter(({ kind }) => kind !== "end")
  const isWhole =
    chunks.length === 1 &&
    parts[0]!.from === first &&
    frames.length === chunks[0]!.length &&
    (isOpen || own.frames.at(-1)?.kind === "end") &&
    own.frames.at(-1)?.number === (isOpen ? frames.at(-1)?.number : parts[0]!.next)
  if (isWhole) {
    // What follows the last frame was being written.
    if (own.end < bytes.byteLength) truncateSync(path, own.end)
    return { parts, isOpen, isRepaired: false, completed: 0 }
  }
  chunks.toReversed().forEach((chunk, place) => {
    write(folders, chunk, isOpen && place === 0 ? undefined : numberAfter(chunk.at(-1)!))
  })
  if (parts[0]?.from !== first && existsSync(path)) {
    keepDamaged(folders, path)
    rmSync(path)
  }
  // A crash may leave an open segment without its last frames, if they weren't fsynced yet.
  const isTorn =
    isOpen &&
    chunks.length === 1 &&
    frames.every(({ number }, n) => number === chunks[0]![n]!.number) &&
    (chunks[0]![frames.length]?.number ?? first) >= floor
  const completed = isTorn ? chunks[0]!.length - frames.length : 0
  return { parts, isOpen, isRepaired: !isTorn, completed }
}

/** Reads all of a closed segment and of its copy, and repairs damage. `limit`: where the next segment begins. */
export const check = (
  folders: Folders,
  first: number,
  limit: number
): { readonly missing: ReadonlyArray<Span>; readonly isRepaired: boolean } => {
  const { isRepaired, parts } = inOrder(folders, first, limit, limit)
  const missing = gapsBetween(first, parts, limit)
  if (missing.length > 0) return { missing, isRepaired }
  return { missing, isRepaired: copyAgain(folders, first) || isRepaired }
}

const gapsBetween = (first: number, parts: Found["parts"], limit: number): ReadonlyArray<Span> => {
  const starts = [...parts.map(({ from }) => from), limit]
  const ends = [first, ...parts.map(({ next }) => next)]
  return starts.map((start, place) => ({ from: ends[place]!, through: start - 1 })).filter(isSome)
}

const isSome = ({ from, through }: Span): boolean => from <= through

/** `floor`: the lowest number that the next frame may have, because a copy has seen the one before it. */
export const recover = (folders: Folders, floor: number): Recovered => {
  const { beside, key, main } = folders
  const all = [...new Set([...listed(main), ...listed(beside)])].toSorted((a, b) => a - b)
  const firsts = withoutStale(folders, all)
  const missing: Array<Span> = []
  const repaired: Array<number> = []
  let completed = 0
  let open: number | undefined
  let next = 1
  const expect = (from: number): void => {
    if (from > next) missing.push({ from: next, through: from - 1 })
  }
  firsts.forEach((first, place) => {
    const limit = firsts[place + 1]
    const path = join(main, nameOf(first))
    if (limit !== undefined && existsSync(path) && closedAt(path, key) === limit) {
      expect(first)
      next = limit
      return
    }
    const found = inOrder(folders, first, limit, floor)
    if (found.isRepaired) repaired.push(first)
    completed += found.completed
    for (const part of found.parts) {
      expect(part.from)
      next = part.next
    }
    open = found.isOpen ? found.parts.at(-1)?.from : undefined
  })
  expect(floor)
  return { next, open, missing, repaired, completed }
}
