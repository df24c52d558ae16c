/**
 * Small files that are either complete or absent, even after a power cut: the bytes are fsynced before the file gets
 * its name, and then the folder is fsynced.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/**
 * Writes a file that only its owner can read. An existing file at `path` was left by a process that died, and is
 * removed.
 */
export const writeFresh = (path: string, text: string): void => {
  rmSync(path, { force: true })
  const file = openSync(path, "wx", 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Makes creations, renames and removals in the folder of `path` durable. */
export const flushFolderOf = (path: string): void => {
  const folder = openSync(dirname(path), "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
