/**
 * A folder for this process in the system's temporary folder (TMPDIR). A killed process leaves its folder behind; the next
 * process that makes one removes it. A lock inside, which the operating system releases with its process, tells whether
 * the folder is still in use. Folders of other users are never touched, nor what else has such a name: a data directory may
 * be there too, and has a lock of its own, so the lock's name says what the folder is.
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

/** `purpose` becomes part of the name. */
export const make = async (purpose: string): Promise<TemporaryFolder> => {
  const prefix = `siteledger-${purpose}-`
  await removeAbandoned(prefix)
  while (true) {
    const path = await mkdtemp(join(tmpdir(), prefix))
    const lock = locked(path, patienceMs)
    // Another process may have removed it before it was locked.
    if (existsSync(lockIn(path))) return { path, remove: () => discard(path, lock) }
    lock.close()
  }
}

/** Removes what killed processes have left, for whatever purpose. */
export const sweep = (): Promise<void> => removeAbandoned("siteledger-")

/** Longer than another process takes to remove a folder. */
const patienceMs = 10_000

const lockIn = (folder: string): string => join(folder, "temporary-folder.sqlite")

/** Throws if another process holds it. */
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

/** Folders in use, of other users, or without a lock stay. */
const removeAbandoned = async (prefix: string): Promise<void> => {
  for (const name of await readdir(tmpdir())) {
    if (!name.startsWith(prefix)) continue
    const folder = join(tmpdir(), name)
    await removeIfAbandoned(folder).catch(() => undefined)
  }
}

const removeIfAbandoned = async (folder: string): Promise<void> => {
  const stat = await lstat(folder)
  if (!stat.isDirectory() || stat.uid !== process.getuid?.() || !existsSync(lockIn(folder))) return
  await discard(folder, locked(folder, 0))
}
