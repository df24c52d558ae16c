/**
 * The inbox's frames as rows of the Store's table `inbox`, in which backups and moves carry them, and in which version
 * 0.1 stored them.
 */
import { hash } from "node:crypto"
import type { DatabaseSync } from "node:sqlite"
import type { Selectable } from "kysely"
import type { Source, Whole } from "../Archives/Whole.ts"
import { batchBytes } from "../Deliveries.ts"
import type { StoreTables } from "../StoreTables.ts"
import * as Counts from "./Counts.ts"
import { type Again, type Frame, type First, numberAfter, sha256Of, type Sum } from "./Frame.ts"
import type { Reader } from "./Reader.ts"
import { DamagedSegment } from "./SegmentFile.ts"

export type Row = Selectable<StoreTables["inbox"]>

const batchRows = 2000

/** Its deliveries, as far as they have been applied. */
type Counted = Pick<Row, "deliveries" | "other_types" | "replayed">

const once: Counted = { deliveries: 1, replayed: 0, other_types: null }

const fromCounted = ({ deliveries, otherTypes, replayed }: Sum): Counted => ({
  deliveries,
  replayed: replayed ? 1 : 0,
  other_types: otherTypes.length === 0 ? null : JSON.stringify(otherTypes)
})

const toRow = ({ body, labels, number }: First, again: Counted | undefined): Row => ({
  sequence: number,
  body_sha256: sha256Of({ body, labels }),
  body,
  event_id: labels.eventId,
  header_type: labels.headerType,
  issued_at: labels.issuedAt,
  received_at: labels.receivedAt,
  ...(again ?? (labels.counted === undefined ? once : fromCounted(labels.counted))),
  headers: JSON.stringify(labels.headers),
  secret: labels.secret
})

const toFirst = (row: Row): First => ({
  kind: "first",
  number: row.sequence,
  body: row.body,
  labels: {
    eventId: row.event_id,
    headerType: row.header_type,
    issuedAt: row.issued_at,
    receivedAt: row.received_at,
    headers: JSON.parse(row.headers ?? "[]") as ReadonlyArray<string>,
    secret: row.secret,
    ...erasedOf(row),
    ...(row.deliveries === 1 ? {} : { counted: toCounted(row) })
  }
})

/** If a body doesn't match its hash, something has been erased from it since it arrived. */
const erasedOf = ({ body, body_sha256: sha256 }: Row): { readonly erased?: string } =>
  hash("sha256", body, "buffer").equals(sha256) ? {} : { erased: Buffer.from(sha256).toString("hex") }

const toCounted = ({ deliveries, other_types: types, replayed }: Counted): Sum => ({
  deliveries,
  replayed: replayed !== 0,
  otherTypes: JSON.parse(types ?? "[]") as ReadonlyArray<string>
})

/** Up to a number, even while deliveries leave for an archive. */
export const sourceOf = (reader: Reader, last: number): Source => {
  const range = (after: number, limit: number) => reader.range(after, last, limit, batchBytes)
  return {
    range: (after, limit) => {
      try {
        return range(after, limit)
      } catch (cause) {
        if (!(cause instanceof DamagedSegment)) throw cause
        reader.forget()
        return range(after, limit)
      }
    }
  }
}

/**
 * All rows, in stored order, in batches that fit in memory, including archived deliveries. `database`: the Store, for
 * repeated deliveries.
 */
export async function* rowsOf(whole: Whole, database: DatabaseSync): AsyncGenerator<ReadonlyArray<Row>> {
  const againOf = database.prepare("select deliveries, replayed, other_types from inbox_again where sequence = ?")
  for (let after = 0; ;) {
    const frames = await whole.after(after, batchRows)
    if (frames.length === 0) return
    const firsts = frames.filter((frame: Frame) => frame.kind === "first")
    yield firsts.map((first) => toRow(first, againOf.get(first.number) as Counted | undefined))
    after = numberAfter(frames.at(-1)!) - 1
  }
}

/** Writes rows into a Store's table, a batch at a time. */
export const write = (database: DatabaseSync, rows: ReadonlyArray<Row>): void => {
  const names = Object.keys(rows[0] ?? {})
  if (names.length === 0) return
  // A body may be there twice: a lost one came again as a new one before it was restored.
  const insert = database.prepare(
    `insert into inbox (${names.join()}) values (${names.map(() => "?").join()}) on conflict (body_sha256) do nothing`
  )
  database.exec("begin immediate")
  for (const row of rows) insert.run(...(Object.values(row) as Array<string | number | Uint8Array | null>))
  database.exec("commit")
}

const sumOf = (database: DatabaseSync, sequence: number) =>
  database
    .prepare("select event_id, header_type, deliveries, replayed, other_types from inbox where sequence = ?")
    .get(sequence) as Pick<Row, "deliveries" | "event_id" | "header_type" | "other_types" | "replayed"> | undefined

/** Writes frames into a Store's table, in order; a delivery of a known body is counted. */
export const writeFrames = (database: DatabaseSync, frames: ReadonlyArray<Frame>): void => {
  write(
    database,
    frames.filter((frame) => frame.kind === "first").map((first) => toRow(first, undefined))
  )
  database.exec("begin immediate")
  for (const frame of frames) if (frame.kind === "again") count(database, frame)
  database.exec("commit")
}

const count = (database: DatabaseSync, { labels, number, of }: Again): void => {
  const row = sumOf(database, of)
  // It was lost, so the same body is new when it comes again.
  if (row === undefined) return
  const first = { eventId: row.event_id, headerType: row.header_type }
  const sums = Counts.folded(new Map([[of, toCounted(row)]]), [{ number, of, labels, first }])
  const { deliveries, other_types: types, replayed } = fromCounted(sums.get(of)!)
  database
    .prepare("update inbox set deliveries = ?, replayed = ?, other_types = ? where sequence = ?")
    .run(deliveries, replayed, types, of)
}

/** The frames of a Store's table after a number, as many as fit in memory. */
export const read = (database: DatabaseSync, after: number): ReadonlyArray<First> => {
  const firsts: Array<First> = []
  let bytes = 0
  for (const row of database.prepare("select * from inbox where sequence > ? order by sequence").iterate(after)) {
    const first = toFirst(row as unknown as Row)
    firsts.push(first)
    bytes += first.body.byteLength
    if (firsts.length === batchRows || bytes > batchBytes) break
  }
  return firsts
}
