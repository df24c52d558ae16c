/**
 * A folder of this process in the system's temporary folder (TMPDIR). A kill leaves it there, and whoever makes the next
 * one removes it: a lock in it, which the system frees with its process, tells whether anybody lives who needs it. So
 * nobody's folder is touched while it is in use, and nothing of another user ever.
 */
import { existsSync } from "node:fs"
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"

export interface TemporaryFolder {
  readonly path: string
  readonly remove: () => Promise<void>
}

/** `purpose`: a word for its name. */
export const make = async (purpose: string): Promise<TemporaryFolder> => {
  const prefix = `siteledger-${purpose}-`
  await removeForsaken(prefix)
  while (true) {
    const path = await mkdtemp(join(tmpdir(), prefix))
    const lock = locked(path, patienceMs)
    // Somebody may have found it in the moment before it was locked.
    if (existsSync(lockIn(path))) return { path, remove: () => discard(path, lock) }
    lock.close()
  }
}

/** For as long as somebody else may take to remove a folder. */
const patienceMs = 10_000

const lockIn = (folder: string): string => join(folder, "lock.sqlite")

/** Throws when somebody else holds it. */
const locked = (folder: string, timeout: number): DatabaseSync => {
  const lock = new DatabaseSync(lockIn(folder), { timeout })
  try {
    lock.exec("begin exclusive")
    return lock
  } catch (cause) {
    lock.close()
    throw cause
  }
}

const discard = async (folder: string, lock: DatabaseSync): Promise<void> => {
  try {
    await rm(folder, { recursive: true, force: true })
  } finally {
    lock.close()
  }
}

/** Those of others, and those that nobody knows, stay as they are. */
const removeForsaken = async (prefix: string): Promise<void> => {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const folder = join(tmpdir(), name)
    await removeIfForsaken(folder).catch(() => undefined)
  }
}

const removeIfForsaken = async (folder: string): Promise<void> => {
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== process.getuid?.() || !existsSync(lockIn(folder))) return
  await discard(folder, locked(folder, 0))
}
