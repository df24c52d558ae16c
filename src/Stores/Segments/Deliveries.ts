/**
 * The deliveries of a Store with one worker, in segments beside it. The Store itself holds only the applied-through
 * sequence, and how often known bodies were delivered again.
 *
 * The files are opened at first use. A crash between a segment's flush and the Store's commit leaves events that are handed
 * out once more.
 */
import { hash } from "node:crypto"
import { Effect } from "effect"
import type { Kysely } from "kysely"
import type { Event } from "../../Domain/Event.ts"
import { batchBytes, type Delivery, type TakenBatch } from "../Deliveries.ts"
import { type Deliveries, readMeta, type StoreError, writeMeta } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"
import * as Copying from "./Copying.ts"
import * as Counts from "./Counts.ts"
import { type Frame, type First, numberAfter, type Sum } from "./Frame.ts"
import { lostOf } from "./Lost.ts"
import { inboxKey } from "./Open.ts"
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
  /** How many of them were repaired since. */
  readonly repaired: () => number
  /** Notes that these numbers are no longer lost. */
  readonly found: (numbers: ReadonlySet<number>) => Promise<void>
}

export const make = ({ found, open, repaired }: Files, run: Run): Deliveries => {
  const withFiles = <A>(use: (segments: Segments, db: Kysely<StoreTables>) => A | Promise<A>) =>
    run(async (db) => {
      const segments = await open()
      return segments.reading(() => use(segments, db))
    })
  return {
    receive: async (batch) => (await open()).receive(batch.map(incoming)),
    host: async (guest) => (await open()).host(guest),
    take: (limit) => withFiles((segments, db) => take(segments, db, limit)),
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
    waiting: withFiles(async (segments, db) => {
      const applied = await watermark(db)
      const [oldest] = segments.after(applied, 1)
      return { count: Math.max(0, segments.last - applied), oldest: receivedAt(oldest) }
    }),
    restart: async (tx) => {
      await tx.deleteFrom("inbox_again").execute()
      await writeMeta(tx, watermarkKey, "0")
    },
    read: (sequences) =>
      withFiles(async (segments, db) => {
        const some = firstsAt(
          segments,
          sequences.toSorted((a, b) => a - b)
        )
        const sums = await Counts.sumsOf(
          db,
          some.map(({ number }) => number)
        )
        return some.map((first) => toEvent(first, sums))
      }),
    receivedAfter: (sequence) => withFiles((segments) => receivedAt(segments.after(sequence, 1)[0])),
    arrivals: (limit) => withFiles((segments) => newest(segments, limit).map(({ labels }) => labels)),
    copying: {
      id: withFiles(async (_segments, db) => (await readMeta(db, inboxKey)) ?? ""),
      after: (number) => withFiles((segments) => Copying.after(segments, number)),
      takeBack: (chunk) => withFiles((segments, db) => Copying.takeBack(segments, db, chunk, found))
    },
    damage: withFiles(async (_segments, db) => ({ lost: await lostOf(db), repaired: repaired() })),
    last: withFiles((segments) => segments.last)
  }
}

const incoming = ({ body, bodySha256, ...labels }: Delivery): Incoming => ({ body, bodySha256, labels })

const firstAt = (segments: Segments, number: number): First | undefined => {
  const frame = segments.at(number)
  return frame?.kind === "first" ? frame : undefined
}

const newest = (segments: Segments, count: number): ReadonlyArray<First> => {
  const firsts: Array<First> = []
  for (let number = segments.last; number > 0 && firsts.length < count;) {
    const frame = segments.at(number)
    if (frame?.kind === "first") firsts.push(frame)
    number = (frame?.number ?? number) - 1
  }
  return firsts
}

/** As many as fit into a batch, but at least one. */
const firstsAt = (segments: Segments, numbers: ReadonlyArray<number>): ReadonlyArray<First> => {
  const firsts: Array<First> = []
  let bytes = 0
  for (const number of numbers) {
    const first = firstAt(segments, number)
    bytes += first?.body.byteLength ?? 0
    if (bytes > batchBytes && firsts.length > 0) break
    if (first !== undefined) firsts.push(first)
  }
  return firsts
}

const receivedAt = (frame: Frame | undefined) =>
  frame?.kind === "first" || frame?.kind === "again" ? frame.labels.receivedAt : null

const toEvent = (first: First, sums: ReadonlyMap<number, Sum>): Event =>
  Counts.toEvent(first, hash("sha256", first.body, "hex"), sums.get(first.number))

/** Each event once, in the order in which it is first mentioned. */
const take = async (segments: Segments, db: Kysely<StoreTables>, limit: number): Promise<Batch> => {
  const applied = await watermark(db)
  const frames = segments.after(applied, limit)
  const firsts = new Map<number, First>()
  const mentions = new Map<number, number>()
  const repeats: Array<Counts.Repeat> = []
  for (const frame of frames) {
    if (frame.kind === "first") firsts.set(frame.number, frame)
    if (frame.kind === "again") {
      const first = firsts.get(frame.of) ?? firstAt(segments, frame.of)
      // It was lost: the same body is new when it comes again.
      if (first === undefined) continue
      firsts.set(frame.of, first)
      repeats.push({ number: frame.number, of: frame.of, labels: frame.labels, first: first.labels })
    }
    const of = frame.kind === "again" ? frame.of : frame.number
    if (firsts.has(of) && !mentions.has(of)) mentions.set(of, frame.number)
  }
  const through = frames.length === 0 ? applied : numberAfter(frames.at(-1)!) - 1
  if (frames.length > 0 && mentions.size === 0) {
    // Numbers without a delivery: there is nothing to apply.
    await writeMeta(db, watermarkKey, String(through))
    return take(segments, db, limit)
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
