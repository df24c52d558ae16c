/**
 * A copy of the SQLite Store in another file: one point in time, whole, on disk and readable by its owner only, or not
 * there at all. It is one file, which can be read where nothing can be written.
 *
 * It is made in a folder of its own beside the file (`.siteledger-backup-…`), which is all that dying in the middle leaves.
 * What lies under the file's name is never opened: to close a file of this process's own databases drops their locks.
 */
import { closeSync, linkSync, mkdtempSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import { flushFolderOf } from "../../Runtime/Flush.ts"

/** Made readable by its owner only, as it holds secrets; SQLite gives its side files the same rights. */
export const makePrivate = (path: string): void => closeSync(openSync(path, "a", 0o600))

/** The file itself under another name, its log, or what goes with it. */
export const isPartOf = (store: string, file: string): boolean => {
  const found = statSync(file, { throwIfNoEntry: false })
  return ["", "-wal", "-shm"].some((suffix) => {
    const part = statSync(store + suffix, { throwIfNoEntry: false })
    return found !== undefined && part !== undefined && part.dev === found.dev && part.ino === found.ino
  })
}

/** Into a new file; with all that lies in the log of `path`. */
export const copy = async (path: string, target: string): Promise<void> => {
  makePrivate(target)
  const reader = new DatabaseSync(path, { readOnly: true })
  try {
    // A transaction keeps it from beginning again at each write; the first statement that reads decides on the time.
    reader.exec("begin")
    reader.prepare("select count(*) from meta").get()
    await backup(reader, target)
  } finally {
    reader.close()
  }
  const written = new DatabaseSync(target)
  // A file with a log can be opened only where one can be written beside it.
  written.exec("pragma journal_mode = delete")
  written.close()
}

/** By a connection of its own: beside the writer's transactions, where one connection would be in its own way. */
export const backUp = async (store: string, target: string, isReplacing: boolean): Promise<void> => {
  if (isPartOf(store, target)) throw new Error(`${target} is the store itself`)
  const folder = mkdtempSync(join(dirname(target), ".siteledger-backup-"))
  try {
    const made = join(folder, "backup.sqlite")
    await copy(store, made)
    if (isReplacing) renameSync(made, target)
    else linkSync(made, target)
    flushFolderOf(target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const tables = "select name from sqlite_schema where name in ('inbox', 'meta')"

const reading = <A>(file: string, read: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return read(database)
  } finally {
    database.close()
  }
}

/** In the header of a SQLite file: how it is read. A store has a log, also when nobody uses it; a copy has none. */
const header = { magic: "SQLite format 3\0", readBy: 19, withoutLog: 1 }

/** What `copy` made, so that no store in use is taken for one. */
export const isCopy = (file: string): boolean => {
  const found = Buffer.alloc(20)
  const opened = openSync(file, "r")
  const length = readSync(opened, found)
  closeSync(opened)
  const isOne = found.toString("latin1").startsWith(header.magic) && found[header.readBy] === header.withoutLog
  return length === found.length && isOne && reading(file, (database) => database.prepare(tables).all().length === 2)
}

/** Why a file isn't a store that can be used; undefined when it is one. */
export const objectionTo = (file: string): string | undefined => {
  try {
    return reading(file, (database) => {
      const verdict = database.prepare("pragma integrity_check").get()?.["integrity_check"]
      if (verdict !== "ok") return `it is damaged (${String(verdict)})`
      return database.prepare(tables).all().length === 2 ? undefined : "it is no store of siteledger"
    })
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    return message === "file is not a database" ? "it is no store of siteledger" : message
  }
}
