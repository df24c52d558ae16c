/**
 * Opens the inbox that belongs to a Store: a folder beside its file. Both hold the inbox's random id.
 *
 * - Frames in the Store's table `inbox` (a backup, a moved Store, or one of version 0.1) are moved into a new folder.
 *   After a crash in between they are still in the table, and the move is repeated. A folder of another Store is set
 *   aside.
 * - A Store without an id adopts the folder that it finds: the Store was lost, but its deliveries weren't.
 */
import { type KeyObject, randomBytes, randomUUID } from "node:crypto"
import { existsSync, mkdirSync, rmSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { ArchiveFolder, folderOf as archiveFolderOf } from "../Archives/ArchiveFolder.ts"
import { Whole } from "../Archives/Whole.ts"
import * as SetAside from "../SetAside.ts"
import type { Frame, First } from "./Frame.ts"
import { idIn, setIdIn, unfinished } from "./Id.ts"
import { keyOf } from "./Key.ts"
import type { InArchive } from "./Leave.ts"
import { note } from "./Lost.ts"
import { metaOf, setMeta } from "./Meta.ts"
import * as Rows from "./Rows.ts"
import { Reader } from "./Reader.ts"
import { listed } from "./Segment.ts"
import { Segments } from "./Segments.ts"
import { type Found, Writer } from "./Writer.ts"

/** The key under which the Store has its inbox's id. */
export const inboxKey = "inbox"
/** The id in a backup, whose table holds the frames. */
const inTable = "in the table"

export const folderOf = (store: string): string =>
  basename(store) === "store.sqlite" ? join(dirname(store), "inbox") : `${store}-inbox`

const idOf = (database: DatabaseSync): string | undefined => metaOf(database, inboxKey)

const setId = (database: DatabaseSync, id: string): void => setMeta(database, inboxKey, id)

const isCarried = (database: DatabaseSync): boolean =>
  idOf(database) === inTable || database.prepare("select 1 from inbox limit 1").get() !== undefined

/** Where the migration from version 0.1 noted which events were redelivered and not counted yet. */
const touchedKey = "inbox_touched"
const listOfTouched = `select value from json_each((select value from meta where key = '${touchedKey}'))`

/** Its last delivery is counted by a separate frame. */
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

/** Moves frames from the table into the folder. */
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
  /** The archives of deliveries that have left the inbox. */
  readonly archives: ArchiveFolder
  /** The key of the data directory. */
  readonly key: () => Buffer
  /** Runs it while nothing else uses the connection. */
  readonly exclusively: (use: () => void) => Promise<void>
}

/** Whether the deliveries of this Store are in the folder beside it. */
export const isBeside = (database: DatabaseSync): boolean => !isCarried(database)

/** Recovers the folder beside a Store that isn't in use; returns its reader, and the number of its last frame. */
const settled = async (store: string, database: DatabaseSync) => {
  const folder = folderOf(store)
  const archives = new ArchiveFolder(archiveFolderOf(store), { expected: archiveSums(database) })
  if (!existsSync(folder)) {
    if (idOf(database) !== undefined) throw new Error(`its deliveries aren't in ${folder}`)
    return undefined
  }
  // The folder also holds its own key.
  const key = keyOf(folder, randomBytes(32))
  const writer = new Writer(folder, key, await withKeys(archivesOf(database), archives, key))
  writer.close()
  const reader = new Reader(folder)
  note(database, writer.found.lost, (number) => reader.at(number, writer.last))
  return { reader, last: writer.last, archives, key }
}

/**
 * All deliveries in the folder beside a Store that isn't in use, as rows of its table. `database`: has their counts.
 */
export async function* rowsBeside(store: string, database: DatabaseSync): AsyncGenerator<ReadonlyArray<Rows.Row>> {
  const found = await settled(store, database)
  if (found === undefined) return
  const { archives, key, last, reader } = found
  yield* Rows.rowsOf(new Whole(Rows.sourceOf(reader, last), archives, key), database)
  reader.forget()
}

/** Marks that this copy's table has all deliveries, with their counts. */
export const carried = (copy: DatabaseSync): void => {
  copy.exec("delete from inbox_again; delete from archives")
  setId(copy, inTable)
}

/** Puts all deliveries of a Store that isn't in use into the table of its copy, or names those that are lost. */
export const carry = async (store: string, copy: DatabaseSync): Promise<void> => {
  if (isBeside(copy)) for await (const rows of rowsBeside(store, copy)) Rows.write(copy, rows)
  carried(copy)
}

/**
 * Sets a folder aside that isn't this Store's. Without an id in the folder, or in the Store, it counts as the Store's.
 */
const makeWay = (folder: string, own: string | undefined, isInTable: boolean): void => {
  if (!existsSync(folder)) return
  const found = idIn(folder)
  const isAnother = own !== undefined && found !== undefined && found !== unfinished && found !== own
  // Left by a crash before the frames were removed from the table.
  if (isInTable && found === unfinished) rmSync(folder, { recursive: true })
  else if (isAnother || (isInTable && listed(folder).length > 0)) SetAside.replaced(folder)
}

/** In order. */
export const archivesOf = (database: DatabaseSync): ReadonlyArray<InArchive> =>
  database
    .prepare("select name, first_sequence, last_sequence from archives order by first_sequence")
    .all()
    .map((row) => ({
      name: String(row["name"]),
      from: Number(row["first_sequence"]),
      through: Number(row["last_sequence"])
    }))

/**
 * The hash of each archive's file, by its name. Uses the Store's connection, but synchronously, because a transaction
 * may be open there.
 */
export const archiveSums = (database: DatabaseSync) => (name: string) =>
  database.prepare("select sha256 from archives where name = ?").get(name)?.["sha256"] as string | undefined

/**
 * Creates their keys even if their folder was lost: the thread needs them if its own index was lost, and fails without
 * them.
 */
const withKeys = async (archives: ReadonlyArray<InArchive>, folder: ArchiveFolder, key: KeyObject) => {
  for (const { name } of archives) await folder.keepKeys(name, key).catch(() => undefined)
  folder.forget()
  return { archives, archive: folder.path }
}

/** `applied`: every delivery up to this number was stored. `tell`: is told what was found. */
export const open = async (place: Place, applied: number, tell: (found: Found) => void): Promise<Segments> => {
  const { archives, database, exclusively } = place
  const folder = folderOf(place.store)
  const isInTable = isCarried(database)
  const stored = idOf(database)
  const own = stored === inTable ? undefined : stored
  makeWay(folder, own, isInTable)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const found = idIn(folder)
  const id = own ?? (isInTable || found === unfinished ? undefined : found) ?? randomUUID()
  if (isInTable) setIdIn(folder, unfinished)
  const floor = isInTable ? 1 : applied + 1
  const key = keyOf(folder, place.key())
  const segments: Segments = new Segments(
    { folder, key, floor, ...(await withKeys(archivesOf(database), archives, key)) },
    async (found) => {
      tell(found)
      await exclusively(() => note(database, found.lost, (number) => segments.at(number)))
    }
  )
  try {
    await segments.start()
    if (isInTable) await take(place, segments, id)
    else if (own === undefined) await exclusively(() => setId(database, id))
    setIdIn(folder, id)
    return segments
  } catch (cause) {
    await segments.close()
    throw cause
  }
}
