/**
 * A small file that is whole or not there, and survives a power cut: its bytes are flushed before anybody can find it
 * under its name, and then the name is.
 */
import { closeSync, fsyncSync, openSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"

/** Writes a file that only its owner can read. What lies at `path` was left behind by a process that died, and goes. */
export const writeAnew = (path: string, text: string): void => {
  rmSync(path, { force: true })
  const file = openSync(path, "wx", 0o600)
  try {
    writeFileSync(file, text)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** The names in the folder in which `path` lies: what was put there or taken away stays so. */
export const flushFolderOf = (path: string): void => {
  const folder = openSync(dirname(path), "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
