/**
 * What the main thread and the inbox's thread say to each other. All bodies of a group travel in one buffer, which changes
 * hands without being copied.
 */
import type { KeyObject } from "node:crypto"
import type { Frame, Labels } from "./Frame.ts"
import type { Found, Incoming } from "./Writer.ts"

export interface Start {
  readonly folder: string
  readonly key: KeyObject
  readonly floor: number
}

interface Packed {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly labels: ReadonlyArray<Labels>
  readonly lengths: ReadonlyArray<number>
  readonly hashes: ReadonlyArray<Uint8Array>
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
  const bytes = new Uint8Array(batch.reduce((sum, { body }) => sum + body.byteLength, 0))
  let at = 0
  for (const { body } of batch) {
    bytes.set(body, at)
    at += body.byteLength
  }
  return {
    bytes,
    labels: batch.map(({ labels }) => labels),
    lengths: batch.map(({ body }) => body.byteLength),
    hashes: batch.map(({ bodySha256 }) => Uint8Array.from(bodySha256))
  }
}

export const unpacked = ({ bytes, hashes, labels, lengths }: Packed): ReadonlyArray<Incoming> => {
  let at = 0
  return lengths.map((length, place) => {
    const body = bytes.subarray(at, at + length)
    at += length
    return { body, bodySha256: hashes[place]!, labels: labels[place]! }
  })
}
