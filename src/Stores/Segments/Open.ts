/**
 * Opens the inbox that belongs to a Store: a folder beside its file. Both hold the inbox's random id.
 *
 * - Frames in the Store's table `inbox` (a backup, a moved Store, or one of version 0.1) go into a new folder; after a
 *   crash in between they are still in the table, and it is done again. A folder of another Store is set aside.
 * - A Store without an id takes the folder that it finds: the Store was lost, its deliveries weren't.
 */
import { randomUUID } from "node:crypto"
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import type { Kysely } from "kysely"
import { flushFolderOf, writeFresh } from "../../Runtime/Flush.ts"
import type { Lost } from "../Deliveries.ts"
import { readMeta } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"
import type { Frame, First } from "./Frame.ts"
import { keyOf } from "./Key.ts"
import type { Span } from "./Recover.ts"
import * as Rows from "./Rows.ts"
import { Reader } from "./Reader.ts"
import { lastIn, listed } from "./Segment.ts"
import { Segments } from "./Segments.ts"

const metaKey = "inbox"
/** Its id in a backup, whose table holds the frames. */
const inTable = "in the table"

export const folderOf = (store: string): string =>
  basename(store) === "store.sqlite" ? join(dirname(store), "inbox") : `${store}-inbox`

const metaOf = (database: DatabaseSync, key: string): string | undefined => {
  const value = database.prepare("select value from meta where key = ?").get(key)?.["value"]
  return value === undefined ? undefined : String(value)
}

const setMeta = (database: DatabaseSync, key: string, value: string): void => {
  database
    .prepare("insert into meta (key, value) values (?, ?) on conflict (key) do update set value = excluded.value")
    .run(key, value)
}

const setId = (database: DatabaseSync, id: string): void => setMeta(database, metaKey, id)

export const idOf = (database: DatabaseSync): string | undefined => metaOf(database, metaKey)

const idIn = (folder: string): string | undefined => {
  const path = join(folder, "id")
  return existsSync(path) ? readFileSync(path, "utf8").trim() : undefined
}

const setIdIn = (folder: string, id: string): void => {
  if (idIn(folder) === id) return
  writeFresh(join(folder, "id"), `${id}\n`)
  flushFolderOf(join(folder, "id"))
}

/** Only the last one is kept. */
const setAside = (folder: string): void => {
  const aside = `${folder}.replaced`
  rmSync(aside, { recursive: true, force: true })
  renameSync(folder, aside)
  flushFolderOf(folder)
}

const isCarried = (database: DatabaseSync): boolean =>
  idOf(database) === inTable || database.prepare("select 1 from inbox limit 1").get() !== undefined

/** Where the migration from version 0.1 noted which events were delivered again and not counted yet. */
const touchedKey = "inbox_touched"
const listOfTouched = `select value from json_each((select value from meta where key = '${touchedKey}'))`

/** Its last delivery is counted by a frame of its own. */
const lessOne = (first: First): First => {
  const { counted } = first.labels
  if (counted === undefined) return first
  return { ...first, labels: { ...first.labels, counted: { ...counted, deliveries: counted.deliveries - 1 } } }
}

const againOf = (touched: ReadonlyArray<number>, segments: Segments): ReadonlyArray<Frame> =>
  touched
    .flatMap((number) => segments.at(number) ?? [])
    .filter((frame) => frame.kind === "first")
    .map(({ labels, number }, place) => ({ kind: "again", number: segments.last + 1 + place, of: number, labels }))

/** From the table into the folder, then out of the table. */
const take = async ({ database, exclusively }: Place, segments: Segments, id: string): Promise<void> => {
  const touched = new Set(
    database
      .prepare(listOfTouched)
      .all()
      .map((row) => Number(row["value"]))
  )
  for (let after = 0; ;) {
    const firsts = Rows.read(database, after)
    if (firsts.length === 0) break
    await segments.put(firsts.map((first) => (touched.has(first.number) ? lessOne(first) : first)))
    after = firsts.at(-1)!.number
  }
  await segments.put(againOf([...touched], segments))
  await exclusively(() => {
    database.exec("begin immediate; delete from inbox; delete from inbox_again")
    database.prepare("delete from meta where key = ?").run(touchedKey)
    setId(database, id)
    database.exec("commit")
  })
}

/** A Store's file and the only connection to it. */
export interface Place {
  readonly store: string
  readonly database: DatabaseSync
  /** The data directory's. */
  readonly key: () => Buffer
  /** Runs it while nothing else uses the connection. */
  readonly exclusively: (use: () => void) => Promise<void>
}

const lostKey = "inbox_lost"

/** Deliveries that were acknowledged and are in no file. */
export const lostOf = async (db: Kysely<StoreTables>): Promise<ReadonlyArray<Lost>> =>
  JSON.parse((await readMeta(db, lostKey)) ?? "[]") as ReadonlyArray<Lost>

const receivedAt = (frame: Frame | undefined) =>
  frame?.kind === "first" || frame?.kind === "again" ? frame.labels.receivedAt : null

const noteLost = ({ database, exclusively }: Place, segments: Segments, spans: ReadonlyArray<Span>): Promise<void> => {
  const lost = spans.map(({ from, through }): Lost => ({
    from,
    through,
    after: receivedAt(segments.at(from - 1)),
    before: receivedAt(segments.at(through + 1))
  }))
  return exclusively(() => {
    const all = [...(JSON.parse(metaOf(database, lostKey) ?? "[]") as ReadonlyArray<Lost>), ...lost]
    setMeta(database, lostKey, JSON.stringify(all))
  })
}

/** Whether the deliveries of this Store are in the folder beside it. */
export const isBeside = (database: DatabaseSync): boolean => !isCarried(database)

/** All deliveries in the folder beside a Store that isn't in use, as rows of its table. */
export function* rowsBeside(store: string, database: DatabaseSync): Generator<ReadonlyArray<Rows.Row>> {
  const folder = folderOf(store)
  if (idOf(database) !== undefined && !existsSync(folder)) throw new Error(`its deliveries aren't in ${folder}`)
  const reader = new Reader(folder)
  yield* Rows.rowsOf(reader, lastIn(folder), database)
  reader.forget()
}

/** All deliveries are in the table of this copy, with their counts. */
export const carried = (copy: DatabaseSync): void => {
  copy.exec("delete from inbox_again")
  setId(copy, inTable)
}

/** Puts all deliveries of a Store that isn't in use into the table of its copy. */
export const carry = (store: string, copy: DatabaseSync): void => {
  if (isBeside(copy)) for (const rows of rowsBeside(store, copy)) Rows.write(copy, rows)
  carried(copy)
}

/** `applied`: every delivery up to this number was stored. */
export const open = async (place: Place, applied: number): Promise<Segments> => {
  const { database } = place
  const folder = folderOf(place.store)
  const isInTable = isCarried(database)
  const own = idOf(database)
  const found = existsSync(folder) ? idIn(folder) : undefined
  if (existsSync(folder)) {
    const isOfAnother = own !== undefined && found !== undefined && found !== own
    // Without an id it is what a crash has left of taking the frames over.
    if (isInTable && found === undefined && listed(folder).length > 0) rmSync(folder, { recursive: true })
    else if (isInTable || isOfAnother) setAside(folder)
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const floor = isInTable ? 1 : applied + 1
  const segments = new Segments({ folder, key: keyOf(folder, place.key()), floor })
  try {
    const missing = await segments.start()
    if (missing.length > 0) await noteLost(place, segments, await segments.heal([]))
    const id = (own === inTable ? undefined : own) ?? idIn(folder) ?? randomUUID()
    if (isInTable) await take(place, segments, id)
    else if (own === undefined) await place.exclusively(() => setId(database, id))
    setIdIn(folder, id)
    return segments
  } catch (cause) {
    await segments.close()
    throw cause
  }
}
