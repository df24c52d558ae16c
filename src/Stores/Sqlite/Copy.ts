/**
 * Copies the SQLite Store into another file: complete, as of one point in time, on disk and readable only by its owner;
 * otherwise there is no file at all. The copy is a single file that can be read on a read-only file system.
 *
 * It is made in a temporary folder beside the target (`.siteledger-backup-…`); a crash leaves only that folder. An
 * existing target is never opened: if it were one of this process's databases, closing it would drop their locks.
 */
import { closeSync, linkSync, mkdtempSync, openSync, readSync, renameSync, rmSync, statSync } from "node:fs"
import { dirname, join } from "node:path"
import { backup, type BackupProgressInfo, DatabaseSync } from "node:sqlite"
import { flushFolderOf } from "../../Runtime/Flush.ts"
import { type Reached } from "../../Runtime/Progress.ts"

/** Readable only by its owner, because it holds secrets; SQLite gives its side files the same permissions. */
export const makePrivate = (path: string): void => closeSync(openSync(path, "a", 0o600))

/** Whether `file` is the store itself, its log or its index, under any name. */
export const isPartOf = (store: string, file: string): boolean => {
  const found = statSync(file, { throwIfNoEntry: false })
  return ["", "-wal", "-shm"].some((suffix) => {
    const part = statSync(store + suffix, { throwIfNoEntry: false })
    return found !== undefined && part !== undefined && part.dev === found.dev && part.ino === found.ino
  })
}

/** Copies into a new file, including what is in the log of `path`. `reached`: is told how many pages were copied. */
export const copy = async (path: string, target: string, reached: Reached): Promise<void> => {
  makePrivate(target)
  const reader = new DatabaseSync(path, { readOnly: true })
  try {
    // Without a transaction the backup would restart at each write. The transaction's first read fixes the point in
    // time.
    reader.exec("begin")
    reader.prepare("select count(*) from meta").get()
    const progress = (left: BackupProgressInfo): void => reached(left.totalPages - left.remainingPages)
    await backup(reader, target, { progress })
  } finally {
    reader.close()
  }
  const written = new DatabaseSync(target)
  // With journal_mode = wal it could be opened only in a writable folder.
  written.exec("pragma journal_mode = delete")
  written.close()
}

export interface Backing {
  /** Replaces an earlier backup. */
  readonly isReplacing: boolean
  /** Is told how many pages of the store's file were copied. */
  readonly reached: Reached
  /** Adds what isn't in the store's file. This is read later, so nothing is missing that the store has applied. */
  readonly carry: (copy: DatabaseSync) => Promise<void>
}

/** On its own connection, so that it runs beside the writer's transactions. */
export const backUp = async (
  store: string,
  target: string,
  { carry, isReplacing, reached }: Backing
): Promise<void> => {
  if (isPartOf(store, target)) throw new Error(`${target} is the store itself`)
  const folder = mkdtempSync(join(dirname(target), ".siteledger-backup-"))
  try {
    const made = join(folder, "backup.sqlite")
    await copy(store, made, reached)
    await changed(made, carry)
    if (isReplacing) renameSync(made, target)
    else linkSync(made, target)
    flushFolderOf(target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const changed = async (file: string, change: (database: DatabaseSync) => Promise<void>): Promise<void> => {
  const database = new DatabaseSync(file)
  try {
    await change(database)
  } finally {
    database.close()
  }
}

const tables = "select name from sqlite_schema where name in ('inbox', 'meta')"

/** In pages. */
export const pagesOf = (path: string): number =>
  reading(path, (database) => Number(database.prepare("pragma page_count").get()?.["page_count"]))

const reading = <A>(file: string, read: (database: DatabaseSync) => A): A => {
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    return read(database)
  } finally {
    database.close()
  }
}

/**
 * The read version in the header of a SQLite file distinguishes a store (with a log, even when idle) from a copy
 * (without).
 */
const header = { magic: "SQLite format 3\0", readBy: 19, withoutLog: 1 }

/** Whether `copy` made this file, so that a store in use isn't mistaken for a copy. */
export const isCopy = (file: string): boolean => {
  const head = Buffer.alloc(20)
  const opened = openSync(file, "r")
  const length = readSync(opened, head)
  closeSync(opened)
  const isOne = head.toString("latin1").startsWith(header.magic) && head[header.readBy] === header.withoutLog
  return length === head.length && isOne && reading(file, (database) => database.prepare(tables).all().length === 2)
}

/** Why a file can't be used as a store; undefined if it can. */
export const objectionTo = (file: string): string | undefined => {
  try {
    return reading(file, (database) => {
      const verdict = database.prepare("pragma integrity_check").get()?.["integrity_check"]
      if (verdict !== "ok") return `it is damaged (${String(verdict)})`
      return database.prepare(tables).all().length === 2 ? undefined : "it isn't a siteledger store"
    })
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    return message === "file is not a database" ? "it isn't a siteledger store" : message
  }
}
