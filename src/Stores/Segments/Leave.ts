/**
 * Lets deliveries leave the segments for an archive. The segments that hold them are merged into one, in which holes
 * name the archive; what stays keeps its number. The archive must be complete and verified before.
 *
 * The new segment replaces the first one by a rename, then the others are removed. After a crash in between, segments
 * that the new one covers are stale, and the next start removes them.
 */
import type { KeyObject } from "node:crypto"
import { existsSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { flushFolderOf } from "../../Runtime/Flush.ts"
import { type Archived, type Frame, type Hole, isArchived, numberAfter } from "./Frame.ts"
import { type Folders, replace, type Span } from "./Replace.ts"
import { closedAt, framesIn, fullBytes, listed, nameOf, scan } from "./Segment.ts"

/** An archive as the segments see it: its name, and all numbers from the first one on. */
export interface InArchive extends Span {
  readonly name: string
}

export interface Leaving {
  readonly archive: InArchive
  /** Numbers of deliveries that stay. */
  readonly stays: ReadonlyArray<number>
}

/** A smaller neighbour is merged into the new segment, so that there is never a file for each archive. */
const smallBytes = fullBytes / 16

/** All segments concerned are closed, or begin after the archive. */
export const leave = (folders: Folders, { archive, stays }: Leaving): void => {
  const { main } = folders
  const firsts = listed(main)
  const last = firsts.findLastIndex((each) => each <= archive.through)
  const own = firsts.findLastIndex((each) => each <= archive.from)
  const isSmall = own > 0 && statSync(join(main, nameOf(firsts[own - 1]!))).size < smallBytes
  const group = firsts.slice(isSmall ? own - 1 : own, last + 1)
  const old = group.flatMap((first) => [...framesIn(readFileSync(join(main, nameOf(first))))])
  const end = old.at(-1)
  const frames = old.filter(({ kind }) => kind !== "end")
  if (end?.kind !== "end" || !isUnbroken(frames, group[0]!, end.number)) {
    throw new Error(`the segments from ${group[0]} on aren't in order`)
  }
  const stay = new Set(stays)
  const isLeaving = (frame: Frame) =>
    (frame.kind === "first" || frame.kind === "again") &&
    archive.from <= frame.number &&
    frame.number <= archive.through &&
    !stay.has(frame.number)
  if (!frames.some(isLeaving)) return
  replace(folders, joined(frames.map((frame) => (isLeaving(frame) ? holeFor(frame, archive) : frame))), end.number)
  remove(folders, group.slice(1))
}

const holeFor = ({ number }: Frame, { name }: InArchive): Archived => ({
  kind: "hole",
  number,
  through: number,
  why: "archived",
  archive: name
})

/** Numbers that no file here has: they are in archives, or lost. `archives`: in order. */
export const holesIn = (span: Span, archives: ReadonlyArray<InArchive>): ReadonlyArray<Hole> => {
  const holes: Array<Hole> = []
  let next = span.from
  const lose = (until: number): void => {
    if (next < until) holes.push({ kind: "hole", number: next, through: until - 1, why: "lost" })
    next = Math.max(next, until)
  }
  for (const { from, name, through } of archives) {
    if (through < span.from || from > span.through) continue
    lose(Math.max(from, span.from))
    const last = Math.min(through, span.through)
    holes.push({ kind: "hole", number: next, through: last, why: "archived", archive: name })
    next = last + 1
  }
  lose(span.through + 1)
  return holes
}

/** Leaves out what archives have. */
export const lostIn = (spans: ReadonlyArray<Span>, archives: ReadonlyArray<InArchive>): ReadonlyArray<Span> =>
  spans.flatMap((span) =>
    holesIn(span, archives).flatMap(({ number, through, why }) => (why === "lost" ? [{ from: number, through }] : []))
  )

/** Neighbouring holes of the same archive become one. */
const joined = (frames: ReadonlyArray<Frame>): ReadonlyArray<Frame> => {
  const all: Array<Frame> = []
  for (const frame of frames) {
    const before = all.at(-1)
    const isSame = before !== undefined && isArchived(before) && isArchived(frame) && before.archive === frame.archive
    if (isSame) all[all.length - 1] = { ...before, through: frame.through }
    else all.push(frame)
  }
  return all
}

const isUnbroken = (frames: ReadonlyArray<Frame>, from: number, until: number): boolean => {
  let next = from
  for (const frame of frames) {
    if (frame.number !== next) return false
    next = numberAfter(frame)
  }
  return next === until
}

const remove = ({ beside, main }: Pick<Folders, "beside" | "main">, firsts: ReadonlyArray<number>): void => {
  for (const first of firsts) {
    for (const folder of [main, beside]) rmSync(join(folder, nameOf(first)), { force: true })
  }
  if (firsts.length > 0) flushFolderOf(join(main, nameOf(firsts[0]!)))
}

/** Removes segments that an earlier one covers completely; returns the others. */
export const withoutStale = (folders: Folders, firsts: ReadonlyArray<number>): ReadonlyArray<number> => {
  let until = 0
  const stale: Array<number> = []
  for (const [place, first] of firsts.entries()) {
    if (first < until) {
      stale.push(first)
      continue
    }
    const path = join(folders.main, nameOf(first))
    const end = existsSync(path) ? closedAt(path, folders.key) : undefined
    // Only a segment left by a crash ends after the next one's beginning, so few are read.
    if (end !== undefined && end > (firsts[place + 1] ?? Infinity) && isWhole(path, first, end, folders.key))
      until = end
  }
  remove(folders, stale)
  return firsts.filter((first) => !stale.includes(first))
}

const isWhole = (path: string, first: number, end: number, key: KeyObject): boolean =>
  isUnbroken(
    scan(readFileSync(path), key).frames.filter(({ kind }) => kind !== "end"),
    first,
    end
  )
