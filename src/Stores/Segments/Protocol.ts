/**
 * The messages between the main thread and the inbox's thread. The number of the last frame isn't sent: both share the
 * memory that holds it.
 */
import type { KeyObject } from "node:crypto"
import type { MessagePort } from "node:worker_threads"
import type { Guest, Labelled } from "../Deliveries.ts"
import * as Packed from "../Packed.ts"
import type { Frame, Labels } from "./Frame.ts"
import { bodyKey, idKey } from "./Known.ts"
import type { InArchive, Leaving } from "./Leave.ts"
import type { Arrived } from "./Group.ts"
import type { Found } from "./Writer.ts"

/** A verified delivery. */
export interface Incoming {
  readonly body: Uint8Array
  readonly bodySha256: Uint8Array
  readonly labels: Labels
}

export interface Start {
  readonly folder: string
  readonly key: KeyObject
  readonly floor: number
  /** In order. */
  readonly archives?: ReadonlyArray<InArchive>
  readonly archive?: string
}

/** Includes the shared memory for the number of the last frame on disk. */
export type ThreadStart = Start & { readonly last: BigInt64Array<SharedArrayBuffer> }

export type Request = { readonly id: number } & (
  | ({ readonly kind: "receive" } & Packed.Packed)
  | { readonly kind: "fill" | "put"; readonly frames: ReadonlyArray<Frame> }
  | { readonly kind: "check"; readonly number: number }
  | ({ readonly kind: "host"; readonly port: MessagePort } & Guest)
  | ({ readonly kind: "leave" } & Leaving)
  | { readonly kind: "close" }
)

export interface Answer {
  /** The id of the request; 0 for the first answer, once the files are recovered. */
  readonly id: number
  readonly fresh?: number
  readonly found?: Found
  readonly error?: { readonly code: string | undefined; readonly message: string }
}

export const packed = (batch: ReadonlyArray<Incoming>): Packed.Packed =>
  Packed.packed(batch.map(({ labels, ...rest }) => ({ ...rest, labels: JSON.stringify(labels) })))

export const unpacked = (group: Packed.Packed): ReadonlyArray<Arrived> =>
  Packed.unpacked(group).map((each) => arrived({ ...each, eventId: (JSON.parse(each.labels) as Labels).eventId }))

export const arrived = ({ body, bodySha256, eventId, labels }: Labelled): Arrived => ({
  bodyKey: bodyKey(bodySha256),
  idKey: idKey(eventId),
  labels,
  body
})
