/**
 * The events in the Inbox that are still to be applied.
 *
 * Guarantees: every stored event is handed out in stored order until it is settled, and again if it is delivered again
 * while being applied. Workers that share a Store never hold the same event; those of a dead worker become free when its
 * connection ends.
 */
import type { Kysely, Selectable, Transaction } from "kysely"
import type { StoreTables } from "./StoreTables.ts"

type InboxRow = Selectable<StoreTables["inbox"]>

export interface Taken {
  readonly row: InboxRow
  /** It has never been settled. */
  readonly isFresh: boolean
}

/** A batch that was taken, as needed to settle it. */
export interface TakenBatch {
  readonly taken: ReadonlyArray<Taken>
  /** Every event up to this sequence is settled once the batch is. Only with a single worker. */
  readonly watermark?: number
  /** Rows of the queue that several workers share. */
  readonly claims?: ReadonlyArray<{ readonly id: number; readonly sequence: number }>
}

export interface Queue {
  readonly take: (db: Kysely<StoreTables>, limit: number) => Promise<TakenBatch>
  /** `applied`: events with the number of deliveries known when they were applied. */
  readonly settle: (
    tx: Transaction<StoreTables>,
    took: TakenBatch,
    applied: ReadonlyArray<{ readonly sequence: number; readonly deliveries: number }>
  ) => Promise<void>
  /** How many events wait, and when the oldest was received. */
  readonly waiting: (db: Kysely<StoreTables>) => Promise<{ readonly count: number; readonly oldest: string | null }>
  /** Queues all events again. */
  readonly restart: (tx: Transaction<StoreTables>) => Promise<void>
}

/** The batch without what follows its first events. */
export const firstOf = ({ watermark, ...batch }: TakenBatch, count: number): TakenBatch => {
  const taken = batch.taken.slice(0, count)
  const through = count < batch.taken.length ? taken.findLast(({ isFresh }) => isFresh)?.row.sequence : watermark
  return { ...batch, taken, ...(through === undefined || watermark === undefined ? {} : { watermark: through }) }
}

/** The limit for the bodies of a batch, in bytes. While they are applied, they take up to twenty times as much memory. */
export const batchBytes = 4 * 1024 * 1024

/** As many of the first rows as fit into a batch, but at least one. */
export const withinBytes = <A extends { readonly body: Uint8Array }>(
  rows: ReadonlyArray<A>,
  most = batchBytes
): ReadonlyArray<A> => {
  let bytes = 0
  const end = rows.findIndex((row, index) => (bytes += row.body.byteLength) > most && index > 0)
  return end < 0 ? rows : rows.slice(0, end)
}
