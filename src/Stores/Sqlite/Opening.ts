/**
 * Opens a SQLite file with the durability that acknowledging a delivery requires. It is checked first, unless it is as it was
 * closed (`Closed`). A damaged Store whose rows are also in
 * their log is set aside (only the last one is kept), and a new file takes its place; without a log it is refused.
 */
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { flushFolderOf, writeFresh } from "../../Runtime/Flush.ts"
import * as SetAside from "../SetAside.ts"
import { Damaged } from "./Check.ts"
import * as Closed from "./Closed.ts"
import { makePrivate } from "./Copy.ts"
import { storeError } from "./Failure.ts"

/**
 * A commit writes each page that it touches, most of them for a row or a key: of usual size, 4 KiB, they were three times as
 * many bytes. A file keeps the size that it was made with.
 */
const pageBytes = 1024
/** A checkpoint costs a flush, and writes each index page once: so one per 32 MiB of log, not per four. */
const checkpointBytes = 32 * 1024 * 1024

export const openFile = (path: string): DatabaseSync => {
  mkdirSync(dirname(path), { recursive: true })
  makePrivate(path)
  const database = new DatabaseSync(path, { timeout: 5000 })
  database.exec(`pragma page_size = ${pageBytes}`)
  database.exec("pragma journal_mode = wal; pragma synchronous = full; pragma foreign_keys = on")
  const { page_size: bytes } = database.prepare("pragma page_size").get() as { readonly page_size: number }
  database.exec(`pragma wal_autocheckpoint = ${Math.floor(checkpointBytes / bytes)}`)
  return database
}

/** About two seconds. What is larger is left to the weekly check. */
const checkedBytes = 512 * 1024 * 1024

/** Throws if the file's structure is damaged. */
const check = (database: DatabaseSync): void => {
  const verdict = String(database.prepare("pragma quick_check(1)").get()?.["quick_check"])
  if (verdict !== "ok") throw new Damaged(verdict)
}

const openChecked = (path: string): DatabaseSync => {
  const isTrusted = Closed.isAsClosed(path)
  const database = openFile(path)
  try {
    if (!isTrusted && statSync(path).size <= checkedBytes) check(database)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

export interface Opened {
  readonly database: DatabaseSync
  /** It has no tables yet. */
  readonly isNew: boolean
  /** Where the damaged file is that it replaces. */
  readonly replaces: string | undefined
}

const isEmpty = (database: DatabaseSync): boolean =>
  database.prepare("select 1 from sqlite_schema limit 1").get() === undefined

const suspectOf = (path: string): string => `${path}.suspect`

/** Damage was met while the file was in use: it is set aside when it is opened again. */
export const suspect = (path: string): void => {
  if (!existsSync(suspectOf(path))) writeFresh(suspectOf(path), "")
}

/** `hasLog`: whether its rows are in a log beside it. */
export const open = (path: string, hasLog: boolean): Opened => {
  try {
    if (hasLog && existsSync(suspectOf(path))) throw new Damaged("damage was met while it was read")
    const database = openChecked(path)
    return { database, isNew: isEmpty(database), replaces: undefined }
  } catch (cause) {
    if (storeError(cause).reason !== "Fatal" || !hasLog) throw cause
    const replaces = SetAside.damaged(path)
    rmSync(suspectOf(path), { force: true })
    flushFolderOf(path)
    return { database: openFile(path), isNew: true, replaces }
  }
}
