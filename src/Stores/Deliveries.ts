/**
 * Deliveries as the Receiver hands them to a Store, and as the Store returns them.
 */
import type { MessagePort } from "node:worker_threads"
import type { Event } from "../Domain/Event.ts"
import type { Instant } from "../Domain/Instant.ts"

export type { Archive } from "./Archives/Archive.ts"

/** A verified delivery as it came in. */
export interface Delivery {
  readonly body: Uint8Array
  readonly bodySha256: Uint8Array
  readonly eventId: string
  readonly headerType: string | null
  readonly issuedAt: Instant | null
  readonly receivedAt: Instant
  /** Names and values of all headers, as received, except those with credentials. */
  readonly headers: ReadonlyArray<string>
  /** The fingerprint of the secret that verified the body. */
  readonly secret: string
  /** `bodySha256` as hex, if an erasure removed something from the body. */
  readonly erased?: string
}

/** The same on its way to disk, with everything but the body as JSON. */
export interface Labelled {
  readonly body: Uint8Array
  readonly bodySha256: Uint8Array
  readonly eventId: string
  /** The other fields of the delivery, and its event id. */
  readonly labels: string
}

/** What runs in the thread that stores deliveries, so that no delivery changes threads before its 2xx. */
export interface Guest {
  /** Imports no Effect, and exports `guest`. */
  readonly module: string
  readonly data: unknown
  readonly port: MessagePort
}

/** Resolves once they are on disk. Rejects if one of them may not be. */
export type Receive = (batch: ReadonlyArray<Labelled>) => Promise<unknown>

/** Resolves when it has ended. */
export type RunGuest = (port: MessagePort, data: unknown, receive: Receive) => Promise<void>

/** Resolves once the guest is loaded. `ended`: resolves with the reason once its thread has ended. */
export type Host = (guest: Guest) => Promise<{ readonly ended: Promise<unknown> }>

export interface Taken {
  readonly event: Event
  /** It has never been settled. */
  readonly isFresh: boolean
  /** Where it is first mentioned in the stored order: its sequence, or the position of a redelivery. */
  readonly place: number
}

/** A batch that was taken, as needed to settle it. */
export interface TakenBatch {
  readonly taken: ReadonlyArray<Taken>
  /** Once the batch is settled, every event up to this sequence is. Only with a single worker. */
  readonly watermark?: number
  /** Rows of the queue that several workers share. */
  readonly claims?: ReadonlyArray<{ readonly id: number; readonly sequence: number }>
}

/** Some of the events, in the order in which they were looked at. */
export interface Peeked {
  readonly events: ReadonlyArray<Event>
  /** The last sequence that was looked at. */
  readonly through: number
  /** More events follow. */
  readonly hasMore: boolean
}

/**
 * In the Store's meta: up to which sequence events had been handed out when all of them were to be handed out again.
 */
export const handedOutKey = "handed_out_through"

/** Acknowledged deliveries of which no copy is left. */
export interface Lost {
  readonly from: number
  readonly through: number
  /** When the deliveries before and after them arrived; null if there are none. */
  readonly after: Instant | null
  readonly before: Instant | null
}

export interface Damage {
  readonly lost: ReadonlyArray<Lost>
  /** Files that were damaged and restored from their copies since the start. */
  readonly repaired: number
}

/** Deliveries with these numbers, as copied to another place. */
export interface Chunk {
  readonly first: number
  readonly last: number
  readonly frames: Uint8Array
}

/** What was restored from a copy. */
export interface TakenBack {
  /** Deliveries that were lost and may have been applied before; they must be applied again. */
  readonly sequences: ReadonlyArray<number>
  /** Other restored deliveries; these will be handed out. */
  readonly added: number
  /** The chunk isn't exactly as we wrote it. */
  readonly isForeign: boolean
}

/** Which deliveries may leave the Store. */
export interface Leaves {
  /** They arrived before this time. */
  readonly before: Instant
  /** The last delivery that is applied and copied. */
  readonly through: number
}

export interface Waiting {
  readonly count: number
  /** When the oldest one was received; null if none waits. */
  readonly oldest: Instant | null
}

/** How many of the newest are available: enough that not all of them are retries, and cheap. */
export const mostNewest = 50

/** When a delivery was sent, according to its header, and when it arrived. */
export interface Arrival {
  readonly issuedAt: Instant | null
  readonly receivedAt: Instant
}

/** Only the part of the batch with its first events. */
export const firstOf = ({ watermark, ...batch }: TakenBatch, count: number): TakenBatch => {
  const next = batch.taken[count]?.place
  const through = watermark === undefined || next === undefined ? watermark : next - 1
  return { ...batch, taken: batch.taken.slice(0, count), ...(through === undefined ? {} : { watermark: through }) }
}

/**
 * The limit for the bodies of a batch, in bytes. While they are applied, they take up to twenty times as much memory.
 */
export const batchBytes = 4 * 1024 * 1024

/** As many of the first ones as fit into a batch, but at least one. */
export const withinBytes = <A extends { readonly body: Uint8Array }>(
  all: ReadonlyArray<A>,
  most = batchBytes
): ReadonlyArray<A> => {
  let bytes = 0
  const end = all.findIndex(({ body }, index) => (bytes += body.byteLength) > most && index > 0)
  return end < 0 ? all : all.slice(0, end)
}
