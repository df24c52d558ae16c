/**
 * What the main thread and the inbox's thread say to each other. A group of deliveries travels in one buffer, which changes
 * hands without being copied:
 *
 *   the body's key · the id's key · labels (JSON) · body        and so on
 */
import type { KeyObject } from "node:crypto"
import type { Frame, Labels } from "./Frame.ts"
import { bodyKey, idKey } from "./Known.ts"
import { keyBytes } from "./KeyFile.ts"
import type { Arrived, Found } from "./Writer.ts"

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
  /** False: a log of rows. */
  readonly hasDeliveries: boolean
}

interface Packed {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Of the labels and the body, in turns. */
  readonly lengths: Uint32Array<ArrayBuffer>
}

export type Request = { readonly id: number } & (
  | ({ readonly kind: "receive" } & Packed)
  | { readonly kind: "fill" | "put"; readonly frames: ReadonlyArray<Frame> }
  | { readonly kind: "check"; readonly number: number }
  | { readonly kind: "close" }
)

export interface Answer {
  /** Of the request; 0 for the first one, when the files are in order. */
  readonly id: number
  readonly last?: number
  readonly fresh?: number
  readonly found?: Found
  readonly error?: { readonly code: string | undefined; readonly message: string }
}

export const packed = (batch: ReadonlyArray<Incoming>): Packed => {
  const labels = batch.map((delivery) => JSON.stringify(delivery.labels))
  const lengths = new Uint32Array(batch.length * 2)
  for (const [place, { body }] of batch.entries()) {
    lengths[place * 2] = Buffer.byteLength(labels[place]!)
    lengths[place * 2 + 1] = body.byteLength
  }
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, batch.length * keysBytes))
  const buffer = Buffer.from(bytes.buffer)
  let at = 0
  for (const [place, { body, bodySha256, labels: said }] of batch.entries()) {
    buffer.set(bodyKey(bodySha256), at)
    buffer.set(idKey(said.eventId), at + keyBytes)
    at += keysBytes
    at += buffer.write(labels[place]!, at)
    buffer.set(body, at)
    at += body.byteLength
  }
  return { bytes, lengths }
}

const keysBytes = 2 * keyBytes

export const unpacked = ({ bytes, lengths }: Packed): ReadonlyArray<Arrived> => {
  const buffer = Buffer.from(bytes.buffer)
  let at = 0
  const next = (length: number): Buffer => buffer.subarray(at, (at += length))
  return Array.from({ length: lengths.length / 2 }, (_, place) => ({
    bodyKey: next(keyBytes),
    idKey: next(keyBytes),
    labels: next(lengths[place * 2]!),
    body: next(lengths[place * 2 + 1]!)
  }))
}
