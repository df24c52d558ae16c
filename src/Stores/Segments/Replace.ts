/**
 * Writes a whole segment and its copy. The file gets its name, or replaces the previous one, once it is on disk: a
 * crash leaves either the old or the new one. The copy is written last.
 */
import type { KeyObject } from "node:crypto"
import { closeSync, existsSync, fsyncSync, linkSync, openSync, readFileSync } from "node:fs"
import { renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { flushFolderOf } from "../../Runtime/Flush.ts"
import { encode, type Frame } from "./Frame.ts"
import { nameOf, writeAll } from "./Segment.ts"

export interface Span {
  readonly from: number
  readonly through: number
}

export interface Folders {
  readonly main: string
  readonly beside: string
  readonly key: KeyObject
}

export const readIfThere = (path: string): Buffer => (existsSync(path) ? readFileSync(path) : Buffer.alloc(0))

/**
 * Writes a segment, then its copy; closed if `next` is given. The previous file stays as `damaged.log` until the next
 * damage.
 */
export const write = (folders: Folders, frames: ReadonlyArray<Frame>, next: number | undefined): void => {
  keepDamaged(folders, join(folders.main, nameOf(frames[0]!.number)))
  replace(folders, frames, next)
}

/** The same, but the previous file isn't kept. */
export const replace = (folders: Folders, frames: ReadonlyArray<Frame>, next: number | undefined): void => {
  const first = frames[0]!.number
  const path = join(folders.main, nameOf(first))
  const made = join(folders.main, "made.tmp")
  const file = openSync(made, "w", 0o600)
  try {
    const all: ReadonlyArray<Frame> = next === undefined ? frames : [...frames, { kind: "end", number: next }]
    for (const frame of all) writeAll(file, [encode(frame, folders.key)])
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
  renameSync(made, path)
  flushFolderOf(path)
  copyAgain(folders, first)
}

/** Makes the copy equal to the segment; returns whether it was different. */
export const copyAgain = ({ beside, main }: Folders, first: number): boolean => {
  const path = join(beside, nameOf(first))
  const bytes = readFileSync(join(main, nameOf(first)))
  if (readIfThere(path).equals(bytes)) return false
  const made = join(beside, "made.tmp")
  writeFileSync(made, bytes, { mode: 0o600 })
  renameSync(made, path)
  return true
}

export const keepDamaged = ({ main }: Folders, path: string): void => {
  if (!existsSync(path)) return
  const kept = join(main, "damaged.log")
  rmSync(kept, { force: true })
  linkSync(path, kept)
}
