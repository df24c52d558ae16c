/**
 * A folder for this process in the system's temporary folder (TMPDIR). A killed process leaves its folder behind, and
 * the next process that creates one removes it. A lock inside, which the operating system releases with its process,
 * shows whether the folder is still in use. Folders of other users are never touched, nor is anything else with such a
 * name. Since a data directory, which has its own lock, may be there too, the lock's name identifies the folder.
 */
import { existsSync } from "node:fs"
import { lstat, mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { pathToFileURL } from "node:url"

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
    const lock = lockedHere(path)
    // Another process may have removed it before it was locked.
    if (lock !== undefined && existsSync(lockIn(path))) return { path, remove: () => discard(path, lock) }
    lock?.close()
  }
}

/** Removes what killed processes have left, for any purpose. */
export const sweep = (): Promise<void> => removeAbandoned("siteledger-")

/** Longer than another process needs to remove a folder. */
const patienceMs = 10_000

const lockIn = (folder: string): string => join(folder, "temporary-folder.sqlite")

/** Throws if another process holds it. `mode`: a process that only inspects a folder must not create the lock there. */
const locked = (folder: string, timeout: number, mode: "rw" | "rwc"): DatabaseSync => {
  const file = pathToFileURL(lockIn(folder))
  file.searchParams.set("mode", mode)
  const lock = new DatabaseSync(file, { timeout })
  try {
    lock.exec("begin exclusive")
    return lock
  } catch (cause) {
    lock.close()
    throw cause
  }
}

/** Undefined if the folder disappeared while it was being locked, which SQLite reports in many ways. */
const lockedHere = (folder: string): DatabaseSync | undefined => {
  try {
    return locked(folder, patienceMs, "rwc")
  } catch (cause) {
    if (existsSync(lockIn(folder))) throw cause
    return undefined
  }
}

const discard = async (folder: string, lock: DatabaseSync): Promise<void> => {
  try {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  } finally {
    lock.close()
  }
}

/** Folders stay if they are in use, belong to other users, or have no lock. */
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
  await discard(folder, locked(folder, 0, "rw"))
}
