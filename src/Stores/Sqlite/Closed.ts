/**
 * Whether a Store's file is as this program closed it. Then nothing has written to it since, and the next start needn't
 * read all of it. Damage by the disk is left to the weekly check.
 */
import { readFileSync, rmSync } from "node:fs"
import { writeFresh } from "../../Runtime/Flush.ts"
import * as FileIdentity from "../FileIdentity.ts"

const noteOf = (path: string): string => `${path}.closed`

export const isAsClosed = (path: string): boolean => {
  const identity = FileIdentity.ofClosed(path)
  return identity !== undefined && identity === noted(path)
}

/** Called once it is closed. Without the note, the next start only takes longer. */
export const leave = (path: string): void => {
  const identity = FileIdentity.ofClosed(path)
  if (identity === noted(path)) return
  try {
    if (identity === undefined) rmSync(noteOf(path), { force: true })
    else writeFresh(noteOf(path), identity)
  } catch {
    // The disk is full or read-only.
  }
}

const noted = (path: string): string | undefined => {
  try {
    return readFileSync(noteOf(path), "utf8")
  } catch {
    return undefined
  }
}
