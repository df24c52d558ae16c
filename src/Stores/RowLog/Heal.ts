/**
 * Reconciles a Store and its log of rows when the Store is opened:
 *
 * - A new Store beside a log takes all of its rows: the Store's file was lost, or was damaged and set aside.
 * - A Store that is behind its log, because the disk dropped the end of its write-ahead log, takes what it lacks.
 * - A Store that was restored or moved begins a new log. The old one is set aside.
 *
 * Everything happens in one transaction: a crash leaves the Store as it was.
 */
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import type { Kysely } from "kysely"
import type { Row } from "../Segments/Frame.ts"
import { idIn, setIdIn } from "../Segments/Id.ts"
import { keyOf } from "../Segments/Key.ts"
import { metaOf, setMeta } from "../Segments/Meta.ts"
import { Reader } from "../Segments/Reader.ts"
import { Writer } from "../Segments/Writer.ts"
import * as SetAside from "../SetAside.ts"
import { readMeta } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"
import * as Changes from "./Changes.ts"

export const folderOf = (store: string): string =>
  basename(store) === "store.sqlite" ? join(dirname(store), "rows") : `${store}-rows`

/** What the Store knows of its log. */
export interface Mark {
  readonly id: string
  /** The last frame that the Store knows. */
  readonly through: number
  /**
   * The last frame at which the log matched a state of the Store: between such frames, a transaction's rows may be only
   * partly in the log. Absent if not known yet.
   */
  readonly whole?: number
  /** Absent if the log has none of their rows, or if it isn't known. */
  readonly appended?: Changes.Appended
}

const markKey = "row_log"

export const markOf = (database: DatabaseSync): Mark | undefined => {
  const text = metaOf(database, markKey)
  return text === undefined ? undefined : (JSON.parse(text) as Mark)
}

/** The same, through Kysely. */
export const markIn = async (db: Kysely<StoreTables>): Promise<Mark | undefined> => {
  const text = await readMeta(db, markKey)
  return text === undefined ? undefined : (JSON.parse(text) as Mark)
}

export const setMark = (database: DatabaseSync, mark: Mark): void => setMeta(database, markKey, JSON.stringify(mark))

/** Logs all rows, because the log has none of them or has lost some. */
export const logAgain = (database: DatabaseSync, { id, through }: Mark): void => {
  Changes.noteAll(database)
  setMark(database, { id, through })
}

/** The log of a copy isn't that of its original. */
export const forgetMark = (database: DatabaseSync): void => {
  database.prepare("delete from meta where key = ?").run(markKey)
}

export interface Place {
  readonly store: string
  readonly database: DatabaseSync
  readonly key: () => Buffer
  /** The Store's file has just been created. */
  readonly isNew: boolean
}

export interface Healed {
  /** How many rows the Store took from its log. */
  readonly rows: number
  /** Damaged files of the log that were restored from their copies or rewritten by the Store. */
  readonly files: number
}

export const nothing: Healed = { rows: 0, files: 0 }

export const heal = ({ database, isNew, key, store }: Place): Healed => {
  const folder = folderOf(store)
  const mark = markOf(database)
  if (existsSync(folder) && !isOf(folder, mark, isNew)) SetAside.replaced(folder)
  if (!existsSync(folder)) {
    const id = randomUUID()
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    setIdIn(folder, id)
    logAgain(database, { id, through: 0 })
    return nothing
  }
  const through = mark?.through ?? 0
  const writer = new Writer(folder, keyOf(folder, key()), { floor: through + 1, hasDeliveries: false })
  const { last } = writer
  writer.close()
  const id = mark?.id ?? idIn(folder) ?? randomUUID()
  const files = writer.found.lost.length + writer.found.repaired.length
  if (last === through && writer.found.lost.length === 0) return { rows: 0, files }
  database.exec("begin immediate; pragma defer_foreign_keys = on")
  try {
    const rows = take(database, new Reader(folder), through, last)
    if (writer.found.lost.length > 0) logAgain(database, { id, through: last })
    else {
      const appended = isNew ? Changes.appendedIn(database) : mark?.appended
      setMark(database, { id, through: last, ...(appended === undefined ? {} : { appended }) })
    }
    database.exec("commit")
    setIdIn(folder, id)
    return { rows, files }
  } catch (cause) {
    database.exec("rollback")
    throw cause
  }
}

const isOf = (folder: string, mark: Mark | undefined, isNew: boolean): boolean => {
  const id = idIn(folder)
  return mark === undefined ? isNew : id === undefined || id === mark.id
}

const batchFrames = 1000
const batchBytes = 8 * 1024 * 1024

/** Rows that are still noted as changed are newer in the Store than in its log. */
const take = (database: DatabaseSync, reader: Reader, after: number, last: number): number => {
  const newer = new Set(
    database
      .prepare("select distinct table_name || ' ' || row_key as name from row_changes")
      .all()
      .map((row) => String(row["name"]))
  )
  const noted = Number(database.prepare("select max(id) as id from row_changes").get()?.["id"] ?? 0)
  let count = 0
  for (let from = after; from < last;) {
    const frames = reader.after(from, last, batchFrames, batchBytes)
    for (const frame of frames) {
      if (frame.kind !== "row" || newer.has(`${frame.table} ${frame.key}`)) continue
      if (Changes.write(database, frame satisfies Row)) count++
    }
    const end = frames.at(-1)
    if (end === undefined) break
    from = end.kind === "hole" ? end.through : end.number
  }
  reader.forget()
  database.prepare("delete from row_changes where id > ?").run(noted)
  return count
}
