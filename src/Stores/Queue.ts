/**
 * What of the Inbox is still to be applied, and what has been.
 *
 * Guarantees: whatever was stored is given out until it is settled, in stored order; a delivery that comes again while
 * its event is being applied is given out again. Where several workers share a Store, none of them gets what another
 * one has in hand, and what a dying one had is free again with the end of its connection.
 */
import type { Kysely, Selectable, Transaction } from "kysely"
import type { StoreTables } from "./StoreTables.ts"

type InboxRow = Selectable<StoreTables["inbox"]>

export interface Taken {
  readonly row: InboxRow
  /** It has never been settled. */
  readonly isFresh: boolean
}

/** What was taken together, for settling it. */
export interface Took {
  readonly taken: ReadonlyArray<Taken>
  /** All stored events up to this sequence are settled once these are, where there is one order for all. */
  readonly watermark?: number
  /** Rows of a queue that several take from. */
  readonly claims?: ReadonlyArray<{ readonly id: number; readonly sequence: number }>
}

export interface Queue {
  readonly take: (db: Kysely<StoreTables>, limit: number) => Promise<Took>
  /** Only what was applied, by its sequence and how often it had been delivered by then. */
  readonly settle: (
    tx: Transaction<StoreTables>,
    took: Took,
    applied: ReadonlyArray<{ readonly sequence: number; readonly deliveries: number }>
  ) => Promise<void>
  /** How much waits, and when the first of it was received. */
  readonly waiting: (db: Kysely<StoreTables>) => Promise<{ readonly count: number; readonly oldest: string | null }>
  /** All events are to be applied again. */
  readonly restart: (tx: Transaction<StoreTables>) => Promise<void>
}

/** Bodies are read in batches of at most about this many bytes. */
export const batchBytes = 16 * 1024 * 1024

/** The first ones, at least one of them, that are together no more than a batch may hold. */
export const withinBytes = <A extends { readonly body: Uint8Array }>(
  rows: ReadonlyArray<A>,
  most = batchBytes
): ReadonlyArray<A> => {
  let bytes = 0
  const end = rows.findIndex((row, index) => (bytes += row.body.byteLength) > most && index > 0)
  return end < 0 ? rows : rows.slice(0, end)
}
