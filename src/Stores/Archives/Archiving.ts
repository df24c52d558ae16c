/**
 * A Store's side of archiving: makes the next archive from the oldest deliveries, compares a copy of it with the inbox,
 * seals it, and only then lets its deliveries leave the segments. Events on which a fact of the books rests, and events
 * in quarantine, also stay in the segments.
 *
 * Every step can be repeated. The Store's table `archives` names an archive before its deliveries leave.
 */
import { copyFileSync, statSync } from "node:fs"
import { type Kysely, sql } from "kysely"
import type { Archive, Leaves } from "../Deliveries.ts"
import { readMeta } from "../Store.ts"
import { listed, listedNumbers } from "../Sql.ts"
import type { StoreTables } from "../StoreTables.ts"
import { decode, type Frame, numberAfterOf, numberOf } from "../Segments/Frame.ts"
import type { InArchive } from "../Segments/Leave.ts"
import type { Segments } from "../Segments/Segments.ts"
import { linkTo, nameOf, sealed } from "./Archive.ts"
import * as Again from "./Again.ts"
import * as ArchiveFile from "./ArchiveFile.ts"
import type { ArchiveFolder } from "./ArchiveFolder.ts"
import { Whole } from "./Whole.ts"

/** What the Store knows of its inbox. */
export interface Parts {
  readonly segments: Segments
  readonly archives: ArchiveFolder
  readonly db: Kysely<StoreTables>
  /** The key under which the Store has its inbox's id. */
  readonly idKey: string
}

type Row = StoreTables["archives"]

const newest = (db: Kysely<StoreTables>): Promise<Row | undefined> =>
  db.selectFrom("archives").selectAll().orderBy("first_sequence", "desc").limit(1).executeTakeFirst()

export const all = async (db: Kysely<StoreTables>): Promise<ReadonlyArray<InArchive>> => {
  const rows = await db.selectFrom("archives").selectAll().orderBy("first_sequence").execute()
  return rows.map((row) => ({ name: row.name, from: row.first_sequence, through: row.last_sequence }))
}

export const count = async (db: Kysely<StoreTables>): Promise<number> => {
  const row = await db
    .selectFrom("archives")
    .select((of) => of.fn.sum<number | null>("deliveries").as("count"))
    .executeTakeFirst()
  return Number(row?.count ?? 0)
}

const arrivalOf = (frame: Frame): string | undefined =>
  frame.kind === "first" || frame.kind === "again" ? frame.labels.receivedAt : undefined

const monthOf = (instant: string): string => instant.slice(0, 7)

/** The oldest frames after a number, all of one month: all that arrived before a time, or as many as fit. */
const oldest = async (whole: Whole, after: number, { before, through }: Leaves) => {
  const contents: Array<Buffer> = []
  let [size, next] = [0, after + 1]
  let month: string | undefined
  while (true) {
    const some = await whole.contents(next - 1, contents.length === 0 ? 1 : 2000)
    for (const content of some) {
      const at = arrivalOf(decode(content))
      const isFull = contents.length === ArchiveFile.mostFrames || size + content.byteLength > ArchiveFile.mostBytes
      const isLater = at !== undefined && (at >= before || (month !== undefined && monthOf(at) > month))
      if (isLater || (isFull && contents.length > 0)) return { contents, month }
      // Not applied yet, or not copied: a later attempt takes the whole month.
      if (numberAfterOf(content) - 1 > through) return undefined
      contents.push(content)
      size += content.byteLength
      month ??= at === undefined ? undefined : monthOf(at)
      next = numberAfterOf(content)
    }
    if (some.length === 0) return { contents, month }
  }
}

/**
 * Writes the next archive into the folder; undefined if nothing is old enough. One that was already sealed before a
 * crash is kept.
 */
export const make = async (parts: Parts, leaves: Leaves): Promise<Archive | undefined> => {
  const { archives, db, idKey, segments } = parts
  const last = await newest(db)
  const whole = new Whole(segments, archives, segments.key)
  const found = await oldest(whole, last?.last_sequence ?? 0, leaves)
  archives.forget()
  if (found?.month === undefined) return undefined
  const { contents, month } = found
  const first = numberOf(contents[0]!)
  const name = nameOf((await readMeta(db, idKey)) ?? "", month, first)
  const sealed = archives.sealed(name, segments.key)
  if (sealed !== undefined) return sealed
  // If the previous archive is damaged, it is restored from the lake, or this fails with the reason.
  if (last !== undefined) await archives.check(last.name, segments.key)
  const before = last && archives.sealed(last.name, segments.key)
  const file = archives.file(name)
  await ArchiveFile.write(file, contents)
  return {
    name,
    first,
    through: numberAfterOf(contents.at(-1)!) - 1,
    deliveries: contents.filter((content) => arrivalOf(decode(content)) !== undefined).length,
    bytes: statSync(file).size,
    sha256: await ArchiveFile.digestOf(file),
    before: before === undefined ? null : linkTo(before, segments.key)
  }
}

/** Throws unless a copy has exactly the frames of the inbox: their number, every byte, every hash and HMAC. */
export const compare = async ({ archives, segments }: Parts, archive: Archive, file: string): Promise<void> => {
  const differs = (how: string) => new Error(`the copy ${file} of the archive ${archive.name} ${how}`)
  if ((await ArchiveFile.digestOf(file)) !== archive.sha256) throw differs("has another SHA-256")
  const copied = await ArchiveFile.read(file, segments.key)
  const whole = new Whole(segments, archives, segments.key)
  let place = 0
  for (let next = archive.first; next <= archive.through;) {
    const some = await whole.contents(next - 1, 2000)
    if (some.length === 0) throw differs("has deliveries that the inbox hasn't")
    for (const content of some) {
      if (numberOf(content) > archive.through) break
      if (copied[place]?.equals(content) !== true) throw differs(`has another delivery ${numberOf(content)}`)
      place++
    }
    next = numberAfterOf(some.at(-1)!)
  }
  archives.forget()
  if (place !== copied.length) throw differs(`has ${copied.length} deliveries, not ${place}`)
}

export const seal = async ({ archives, segments }: Parts, archive: Archive): Promise<string> => {
  // The keys come before the seal, because deliveries of a sealed archive may leave.
  archives.makeKeys(archive.name, await ArchiveFile.read(archives.file(archive.name), segments.key))
  return archives.seal(archive, segments.key)
}

/** Facts name events by the id of their first delivery. That is only a label, so every body that came with it stays. */
const basisOf = async (db: Kysely<StoreTables>, ids: ReadonlyArray<string>): Promise<ReadonlySet<string>> => {
  const eventId = sql<string>`json_extract(content, '$.eventId')`
  const rows = await db
    .selectFrom("ledger_facts")
    .select(eventId.as("id"))
    .where(sql<boolean>`${eventId} in ${listed(db, ids)}`)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

const staying = async ({ archives, db, segments }: Parts, name: string): Promise<ReadonlyArray<number>> => {
  const contents = await archives.contents(name, segments.key)
  archives.forget()
  const firsts = contents.map(decode).filter((frame) => frame.kind === "first")
  const numbers = firsts.map(({ number }) => number)
  const basis = await basisOf(
    db,
    firsts.map(({ labels }) => labels.eventId)
  )
  const held = await db
    .selectFrom("quarantine")
    .select("sequence")
    .where("sequence", "in", listedNumbers(db, numbers))
    .execute()
  const based = firsts.filter(({ labels }) => basis.has(labels.eventId)).map(({ number }) => number)
  return [...held.map(({ sequence }) => sequence), ...based]
}

/** Removes its deliveries from the segments, except for those that stay. */
export const leave = async (parts: Parts, archive: Archive): Promise<void> => {
  const { db } = parts
  await db
    .insertInto("archives")
    .values({
      first_sequence: archive.first,
      last_sequence: archive.through,
      name: archive.name,
      deliveries: archive.deliveries,
      sha256: archive.sha256
    })
    .onConflict((conflict) => conflict.column("first_sequence").doNothing())
    .execute()
  await leaveSegments(parts, { name: archive.name, from: archive.first, through: archive.through })
}

const leaveSegments = async (parts: Parts, archive: InArchive): Promise<void> =>
  parts.segments.leave({ archive, stays: await staying(parts, archive.name) })

/**
 * Completes what a crash left undone; at most the newest archive is concerned, unless that is already `finished`.
 * Returns its name.
 */
export const finish = async (parts: Parts, finished: string | undefined): Promise<string | undefined> => {
  const last = await newest(parts.db)
  if (last === undefined || last.name === finished) return last?.name
  await leaveSegments(parts, { name: last.name, from: last.first_sequence, through: last.last_sequence })
  return last.name
}

/** Its file isn't read unless it is missing or the document isn't ours. */
export const own = async (parts: Parts, name: string) => {
  const { archives, segments } = parts
  if (archives.sealed(name, segments.key) === undefined) await archives.check(name, segments.key)
  const found = archives.sealed(name, segments.key)
  if (found === undefined) throw new Error(`the archive ${name} has changed while it was read`)
  const archive = await linked(parts, found)
  return { archive, document: sealed(archive, segments.key) }
}

/**
 * Sealed again if its link doesn't match the previous archive: then its document is from before an erasure in that one.
 */
const linked = async ({ archives, segments: { key } }: Parts, archive: Archive): Promise<Archive> => {
  const last = archive.before && archives.sealed(archive.before.name, key)
  const before = last ? linkTo(last, key) : archive.before
  if (before?.sha256 === archive.before?.sha256) return archive
  return Again.replace(archives, archive, { before }, key)
}

/** A separate copy, because the lake takes the file over. */
export const copy = (archives: ArchiveFolder, { name }: Archive, target: string): void =>
  copyFileSync(archives.file(name), target)
