/**
 * The deliveries of a Store with one worker, in segments beside it. The Store itself holds only the sequence up to
 * which everything is applied, and how often known bodies were delivered again.
 *
 * The files are opened at first use. A crash between a segment's fsync and the Store's commit leaves events that are
 * handed out once more.
 */
import { Effect } from "effect"
import type { Kysely } from "kysely"
import type { Event } from "../../Domain/Event.ts"
import type { ArchiveFolder } from "../Archives/ArchiveFolder.ts"
import * as Archiving from "../Archives/Archiving.ts"
import { Whole } from "../Archives/Whole.ts"
import { batchBytes, type Delivery, type TakenBatch } from "../Deliveries.ts"
import { type Deliveries, readMeta, type StoreError, writeMeta } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"
import * as Copying from "./Copying.ts"
import * as Counts from "./Counts.ts"
import { type Frame, type First, numberAfter, sha256HexOf, type Sum } from "./Frame.ts"
import { lostOf } from "./Lost.ts"
import { inboxKey } from "./Open.ts"
import { Newest } from "./Newest.ts"
import { noteHandedOut, peek, stored } from "./Peek.ts"
import type { Segments } from "./Segments.ts"
import type { Incoming } from "./Protocol.ts"

const watermarkKey = "applied_through"

export const watermark = async (db: Kysely<StoreTables>): Promise<number> =>
  Number((await readMeta(db, watermarkKey)) ?? 0)

interface Batch extends TakenBatch {
  readonly repeats: ReadonlyArray<Counts.Repeat>
}

type Run = <A>(query: (db: Kysely<StoreTables>) => Promise<A>) => Effect.Effect<A, StoreError>

export interface Files {
  /** In order. */
  readonly open: () => Promise<Segments>
  /** Where deliveries are that have left the segments. */
  readonly archives: ArchiveFolder
  /** How many files have been repaired since. */
  readonly repaired: () => number
  /** Notes that these numbers are no longer lost. */
  readonly found: (numbers: ReadonlySet<number>) => Promise<void>
}

type Read = Pick<Whole, "after" | "at">

export const make = (files: Files, run: Run): Deliveries => {
  const { archives, found, open, repaired } = files
  const withFiles = <A>(use: (segments: Segments, db: Kysely<StoreTables>) => A | Promise<A>) =>
    run(async (db) => {
      const segments = await open()
      return segments.reading(() => use(segments, db))
    })
  const reading = <A>(use: (whole: Read, db: Kysely<StoreTables>, segments: Segments) => Promise<A>) =>
    withFiles((segments, db) => use(new Whole(segments, archives, segments.key), db, segments))
  const newest = new Newest()
  const waiting = reading(async (whole, db, segments) => {
    const applied = await watermark(db)
    const [oldest] = await whole.after(applied, 1)
    // Once everything is applied, no archive is being read.
    if (applied === segments.last) archives.forget()
    return { count: Math.max(0, segments.last - applied), oldest: receivedAt(oldest) }
  })
  return {
    receive: async (batch) => (await open()).receive(batch.map(incoming)),
    host: async (guest) => (await open()).host(guest),
    take: (limit) => reading((whole, db) => take(whole, db, limit)),
    peek: (types, after) => reading((whole, db, { last }) => peek({ whole, last }, db, watermark, types, after)),
    settle: async (tx, took, _applied) => {
      const through = took.watermark
      if (through === undefined) return
      // Only what was handed out: a delivery that came meanwhile has a later number.
      await Counts.keep(
        tx,
        (took as Batch).repeats.filter(({ number }) => number <= through)
      )
      await writeMeta(tx, watermarkKey, String(through))
    },
    waiting,
    isWaiting: Effect.map(waiting, ({ count }) => count > 0),
    restart: async (tx) => {
      await tx.deleteFrom("inbox_again").execute()
      await noteHandedOut(tx, await watermark(tx))
      await writeMeta(tx, watermarkKey, "0")
    },
    read: (sequences) => reading((whole, db) => read(whole, db, sequences)),
    headers: (sequence) => reading(async (whole) => (await firstAt(whole, sequence))?.labels.headers ?? []),
    stored: (after) => reading((whole, db, { last }) => stored({ whole, last }, db, after)),
    settledThrough: run(watermark),
    receivedAfter: (sequence) => reading(async (whole) => receivedAt((await whole.after(sequence, 1))[0])),
    // Only deliveries that aren't in an archive; these are the newest.
    newest: withFiles((segments) => newest.of(segments)),
    copying: copying(found, newest, withFiles),
    archiving: archiving(archives, withFiles),
    archived: run(Archiving.count),
    damage: withFiles(async (_segments, db) => ({ lost: await lostOf(db), repaired: repaired() })),
    last: withFiles((segments) => segments.last)
  }
}

type WithFiles = <A>(
  use: (segments: Segments, db: Kysely<StoreTables>) => A | Promise<A>
) => Effect.Effect<A, StoreError>

const copying = (found: Files["found"], newest: Newest, withFiles: WithFiles): Deliveries["copying"] => ({
  id: withFiles(async (_segments, db) => (await readMeta(db, inboxKey)) ?? ""),
  after: (number) => withFiles((segments) => Copying.after(segments, number)),
  takeBack: (chunk) =>
    withFiles(async (segments, db) => {
      const taken = await Copying.takeBack(segments, db, chunk, found)
      if (taken.sequences.length > 0) newest.forget()
      return taken
    })
})

const archiving = (archives: ArchiveFolder, withFiles: WithFiles): Deliveries["archiving"] => {
  const withParts = <A>(use: (parts: Archiving.Parts) => A | Promise<A>) =>
    withFiles((segments, db) => use({ segments, archives, db, idKey: inboxKey }))
  // Remembered by this process: looking again each hour would read an archive each time.
  let finished: string | undefined
  return {
    make: (leaves) => withParts((parts) => Archiving.make(parts, leaves)),
    copy: (archive, target) => withParts(() => Archiving.copy(archives, archive, target)),
    compare: (archive, copy) =>
      withParts((parts) => Archiving.compare(parts, archive, copy ?? archives.file(archive.name))),
    seal: (archive) => withParts((parts) => Archiving.seal(parts, archive)),
    leave: (archive) => withParts((parts) => Archiving.leave(parts, archive)),
    finish: withParts(async (parts) => {
      finished = await Archiving.finish(parts, finished)
    }),
    names: withParts(async ({ db }) => (await Archiving.all(db)).map(({ name }) => name)),
    own: (name) => withParts((parts) => Archiving.own(parts, name))
  }
}

const incoming = ({ body, bodySha256, ...labels }: Delivery): Incoming => ({ body, bodySha256, labels })

const firstAt = async (whole: Read, number: number): Promise<First | undefined> => {
  const frame = await whole.at(number)
  return frame?.kind === "first" ? frame : undefined
}

/** As many as fit into a batch, but at least one. */
const firstsAt = async (whole: Read, numbers: ReadonlyArray<number>): Promise<ReadonlyArray<First>> => {
  const firsts: Array<First> = []
  let bytes = 0
  for (const number of numbers) {
    const first = await firstAt(whole, number)
    bytes += first?.body.byteLength ?? 0
    if (bytes > batchBytes && firsts.length > 0) break
    if (first !== undefined) firsts.push(first)
  }
  return firsts
}

const read = async (whole: Read, db: Kysely<StoreTables>, sequences: ReadonlyArray<number>) => {
  const some = await firstsAt(
    whole,
    sequences.toSorted((a, b) => a - b)
  )
  const sums = await Counts.sumsOf(
    db,
    some.map(({ number }) => number)
  )
  return some.map((first) => toEvent(first, sums))
}

const receivedAt = (frame: Frame | undefined) =>
  frame?.kind === "first" || frame?.kind === "again" ? frame.labels.receivedAt : null

const toEvent = (first: First, sums: ReadonlyMap<number, Sum>): Event =>
  Counts.toEvent(first, sha256HexOf(first), sums.get(first.number))

/** Each event once, in the order in which it is first mentioned. */
const take = async (whole: Read, db: Kysely<StoreTables>, limit: number): Promise<Batch> => {
  const applied = await watermark(db)
  const frames = await whole.after(applied, limit)
  const firsts = new Map<number, First>()
  const mentions = new Map<number, number>()
  const repeats: Array<Counts.Repeat> = []
  for (const frame of frames) {
    if (frame.kind === "first") firsts.set(frame.number, frame)
    if (frame.kind === "again") {
      const first = firsts.get(frame.of) ?? (await firstAt(whole, frame.of))
      // It was lost, so the same body is new when it comes again.
      if (first === undefined) continue
      firsts.set(frame.of, first)
      repeats.push({ number: frame.number, of: frame.of, labels: frame.labels, first: first.labels })
    }
    const of = frame.kind === "again" ? frame.of : frame.number
    if (firsts.has(of) && !mentions.has(of)) mentions.set(of, frame.number)
  }
  const through = frames.length === 0 ? applied : numberAfter(frames.at(-1)!) - 1
  if (frames.length > 0 && mentions.size === 0) {
    // Numbers without a delivery, so there is nothing to apply.
    await writeMeta(db, watermarkKey, String(through))
    return take(whole, db, limit)
  }
  const sums = Counts.folded(await Counts.sumsOf(db, [...firsts.keys()]), repeats)
  return {
    repeats,
    watermark: through,
    taken: [...mentions].map(([of, place]) => ({
      event: toEvent(firsts.get(of)!, sums),
      place,
      isFresh: of > applied
    }))
  }
}
