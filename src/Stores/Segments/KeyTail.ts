/**
 * What follows the entries in a file of keys (`KeyFile`): the sums of its blocks and the filter, both verified.
 */
import { readSync } from "node:fs"
import { crc32 } from "node:zlib"

export const keyBytes = 16
export const entryBytes = keyBytes + 8
export const headerBytes = 32
export const blockEntries = 1024
export const sumBytes = 4
const bitsPerKey = 10
const probes = 7

export const blocksOf = (count: number): number => Math.ceil(count / blockEntries)

export const filterBytes = (count: number): number => Math.max(64, Math.ceil((count * bitsPerKey) / 8))

/** The keys are already hashes: two of their words determine all probes. */
export const eachBit = (
  key: Buffer,
  at: number,
  bytes: number,
  use: (byte: number, bit: number) => boolean
): boolean => {
  const step = key.readUInt32BE(at + 8) | 1
  let place = key.readUInt32BE(at + 4)
  for (let probe = 0; probe < probes; probe++) {
    const bit = place % (bytes * 8)
    if (!use(bit >>> 3, 1 << (bit & 7))) return false
    place = (place + step) >>> 0
  }
  return true
}

export interface Tail {
  readonly sums: Buffer
  readonly filter: Buffer
}

/** Where it begins, and the lengths of its sums and of all of it, in bytes. */
export const tailPlace = (header: Buffer): { readonly at: number; readonly sums: number; readonly all: number } => {
  const count = header.readDoubleBE(8)
  const sums = blocksOf(count) * sumBytes
  return { at: headerBytes + count * entryBytes, sums, all: sums + filterBytes(count) + sumBytes }
}

/** Undefined if it or the header is damaged, or can't be read. */
export const readTail = (file: number, header: Buffer): Tail | undefined => {
  const { all, at, sums } = tailPlace(header)
  const tail = Buffer.alloc(all)
  try {
    readSync(file, tail, 0, all, at)
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EIO") return undefined
    throw cause
  }
  const end = all - sumBytes
  if (crc32(tail.subarray(0, end), crc32(header)) !== tail.readUInt32BE(end)) return undefined
  return { sums: tail.subarray(0, sums), filter: tail.subarray(sums, end) }
}
