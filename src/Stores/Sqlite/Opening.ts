/**
 * Opens a SQLite file with the durability that acknowledging a delivery requires. The file is checked first, unless it
 * is unchanged since it was closed (`Closed`). If a damaged Store's rows are also in their log, the file is set aside
 * (only the last one is kept) and replaced with a new one; without a log it is refused.
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
 * A commit writes every page that it touches, mostly for a single row or key: with the usual 4 KiB, three times as many
 * bytes were written. A file keeps the page size with which it was created.
 */
const pageBytes = 1024
/** A checkpoint costs an fsync and writes each index page once, so there is one per 32 MiB of log, not per four. */
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

/** Takes about two seconds. A larger file is left to the weekly check. */
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
  /** The path of the damaged file that it replaces. */
  readonly replaces: string | undefined
}

const isEmpty = (database: DatabaseSync): boolean =>
  database.prepare("select 1 from sqlite_schema limit 1").get() === undefined

const suspectOf = (path: string): string => `${path}.suspect`

/** Damage was found while the file was in use: it is set aside when it is next opened. */
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
