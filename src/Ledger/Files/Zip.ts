/**
 * A zip file made piece by piece, each entry deflated, in constant memory. Pure.
 *
 * It never uses ZIP64, so each entry and the file are smaller than 4 GiB (`isFull`). Effect's `Zip` uses ZIP64 for
 * entries whose size isn't known beforehand, and Excel then offers to repair the file. Each piece is deflated
 * separately and ends on a byte boundary, so that pieces can be concatenated.
 */
import { constants, crc32, deflateRawSync } from "node:zlib"

interface Entry {
  readonly name: Buffer
  readonly at: number
  crc: number
  size: number
  packed: number
}

/** Leaves room for the directory at the end. */
const most = 0xffff_ffff - 0x10_0000

const version = 20
/** Sizes follow the data; names are UTF-8. */
const flags = 0x0808
const deflated = 8
/** 1 January 1980, so that the same journal gives the same bytes. */
const date = 0x0021

/** An empty block that is marked as the last one. */
const lastBlock = Buffer.from([3, 0])

export class Zip {
  readonly #done: Array<Entry> = []
  #open: Entry | undefined
  #at = 0

  /** Whether this many more bytes may not fit. */
  isFull(bytes: number): boolean {
    return Math.max(this.#at, this.#open?.size ?? 0) + bytes > most
  }

  begin(name: string): Uint8Array {
    this.#open = { name: Buffer.from(name), at: this.#at, crc: 0, size: 0, packed: 0 }
    return this.#put(numbers(4, 0x04034b50), this.#common(this.#open, { isLocal: true }), this.#open.name)
  }

  add(bytes: Uint8Array): Uint8Array {
    const packed = deflateRawSync(bytes, { finishFlush: constants.Z_SYNC_FLUSH })
    const entry = this.#open
    if (entry !== undefined) {
      entry.crc = crc32(bytes, entry.crc)
      entry.size += bytes.length
      entry.packed += packed.length
    }
    return this.#put(packed)
  }

  end(): Uint8Array {
    const entry = this.#open
    if (entry === undefined) return Buffer.alloc(0)
    this.#open = undefined
    this.#done.push(entry)
    entry.packed += lastBlock.length
    return this.#put(lastBlock, numbers(4, 0x08074b50, entry.crc, entry.packed, entry.size))
  }

  /** The directory. */
  finish(): Uint8Array {
    const at = this.#at
    const count = this.#done.length
    const records = this.#done.flatMap((entry) => [
      numbers(4, 0x02014b50),
      numbers(2, version),
      this.#common(entry, { isLocal: false }),
      numbers(2, 0, 0, 0),
      numbers(4, 0, entry.at),
      entry.name
    ])
    const directory = this.#put(...records)
    return Buffer.concat([
      directory,
      numbers(4, 0x06054b50),
      numbers(2, 0, 0, count, count),
      numbers(4, directory.length, at),
      numbers(2, 0)
    ])
  }

  /** At the beginning of the entry, its sizes aren't known yet. */
  #common({ crc, name, packed, size }: Entry, { isLocal }: { readonly isLocal: boolean }): Buffer {
    const sizes = isLocal ? [0, 0, 0] : [crc, packed, size]
    return Buffer.concat([
      numbers(2, version, flags, deflated, 0, date),
      numbers(4, ...sizes),
      numbers(2, name.length, 0)
    ])
  }

  #put(...pieces: ReadonlyArray<Uint8Array>): Uint8Array {
    const bytes = Buffer.concat(pieces)
    this.#at += bytes.length
    return bytes
  }
}

/** Little-endian, 2 or 4 bytes each. */
const numbers = (width: 2 | 4, ...values: ReadonlyArray<number>): Buffer => {
  const bytes = Buffer.alloc(width * values.length)
  for (const [index, value] of values.entries()) bytes.writeUIntLE(value, index * width, width)
  return bytes
}
