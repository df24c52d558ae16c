/**
 * A group of deliveries in one buffer, which passes from one thread to another without being copied:
 *
 *   SHA-256 of the body · labels (JSON) · body        and so on
 */
import type { Labelled } from "./Deliveries.ts"

export interface Packed {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Of the labels and the body, alternately. */
  readonly lengths: Uint32Array<ArrayBuffer>
}

const hashBytes = 32

export const packed = (batch: ReadonlyArray<Omit<Labelled, "eventId">>): Packed => {
  const lengths = new Uint32Array(batch.length * 2)
  for (const [place, { body, labels }] of batch.entries()) {
    lengths[place * 2] = Buffer.byteLength(labels)
    lengths[place * 2 + 1] = body.byteLength
  }
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, batch.length * hashBytes))
  const buffer = Buffer.from(bytes.buffer)
  let at = 0
  for (const { body, bodySha256, labels } of batch) {
    buffer.set(bodySha256, at)
    at += hashBytes
    at += buffer.write(labels, at)
    buffer.set(body, at)
    at += body.byteLength
  }
  return { bytes, lengths }
}

export const unpacked = ({ bytes, lengths }: Packed): ReadonlyArray<Omit<Labelled, "eventId">> => {
  const buffer = Buffer.from(bytes.buffer)
  let at = 0
  const next = (length: number): Buffer => buffer.subarray(at, (at += length))
  return Array.from({ length: lengths.length / 2 }, (_, place) => ({
    bodySha256: next(hashBytes),
    labels: next(lengths[place * 2]!).toString(),
    body: next(lengths[place * 2 + 1]!)
  }))
}
