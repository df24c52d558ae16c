/**
 * An immutable file of keys (16 bytes, evenly distributed), each with a number, sorted by key.
 *
 *   mark · how many · first number · last number │ entries │ CRC-32 of each block of entries │ filter │ CRC-32 of the rest
 *
 * It gets its name once it is on disk. Because of the filter, looking for a missing key costs no read in 99 of 100
 * cases; otherwise one or two. Entries are verified when they are read, so a file of any size opens at once. At rest a
 * file gives its filter back, more than a byte per key; it is read and verified again when it is needed. A file can be
 * rebuilt from the inbox's frames.
 */
import { closeSync, fstatSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from "node:fs"
import { join } from "node:path"
import { crc32 } from "node:zlib"
import { flushFolderOf } from "../../Runtime/Flush.ts"
import {
  blockEntries,
  blocksOf,
  eachBit,
  entryBytes,
  filterBytes,
  headerBytes,
  keyBytes,
  readTail,
  sumBytes,
  type Tail,
  tailPlace
} from "./KeyTail.ts"

const mark = Buffer.from("keys\u00012\r\n")
const blockBytes = blockEntries * entryBytes
const blocksAtOnce = 64

/** The entries differ from what was written. The file is useless, but can be rebuilt. */
export class DamagedKeys extends Error {
  override readonly name = "DamagedKeys"
  readonly path: string

  constructor(path: string) {
    super(`${path} is damaged`)
    this.path = path
  }
}

export const nameOf = (from: number, through: number): string => `${from}-${through}.keys`

export interface Span {
  readonly from: number
  readonly through: number
}

export class KeyFile implements Span {
  readonly from: number
  readonly through: number
  readonly count: number
  readonly path: string
  readonly #file: number
  readonly #header: Buffer
  /** For each block. */
  readonly #sums: Buffer
  /** Undefined at rest. */
  #filter: Buffer | undefined
  #isOpen = true

  private constructor(path: string, file: number, header: Buffer, tail: Tail) {
    this.path = path
    this.#file = file
    this.#header = header
    this.count = header.readDoubleBE(8)
    this.from = header.readDoubleBE(16)
    this.through = header.readDoubleBE(24)
    // Copied, because they outlive the filter.
    this.#sums = Buffer.from(tail.sums)
    this.#filter = tail.filter
  }

  /** Undefined if the file is damaged, other than in its entries. */
  static open(path: string): KeyFile | undefined {
    const file = openSync(path, "r")
    const header = Buffer.alloc(headerBytes)
    readSync(file, header, 0, headerBytes, 0)
    const { all, at } = tailPlace(header)
    // A damaged count could ask for any amount of memory.
    const isWhole = fstatSync(file).size === at + all
    const tail = isWhole && mark.equals(header.subarray(0, mark.length)) ? readTail(file, header) : undefined
    if (tail !== undefined) return new KeyFile(path, file, header, tail)
    closeSync(file)
    return undefined
  }

  /** Gives the filter back, until the next `get`. */
  rest(): void {
    this.#filter = undefined
  }

  #read(): Buffer {
    const tail = readTail(this.#file, this.#header)
    if (tail === undefined) throw new DamagedKeys(this.path)
    return tail.filter
  }

  /** The number of a key. Throws `DamagedKeys`. */
  get(key: Buffer): number | undefined {
    const filter = (this.#filter ??= this.#read())
    if (!eachBit(key, 0, filter.length, (byte, bit) => (filter[byte]! & bit) !== 0)) return undefined
    // Keys are evenly distributed, so a key's value gives its position to within a few hundred entries.
    let low = 0
    let high = blocksOf(this.count)
    let guess = Math.floor(((key.readUIntBE(0, 6) / 2 ** 48) * this.count) / blockEntries)
    while (low < high) {
      const at = Math.min(Math.max(low, guess), high - 1)
      const block = this.read(at * blockEntries, blockEntries)
      const last = block.length - entryBytes
      if (key.compare(block, 0, keyBytes) < 0) high = at
      else if (key.compare(block, last, last + keyBytes) > 0) low = at + 1
      else return within(block, key)
      guess = Math.floor((low + high) / 2)
    }
    return undefined
  }

  /** Reads entries from one that begins a block; whole blocks except for the last. Throws `DamagedKeys`. */
  read(from: number, count: number): Buffer {
    const entries = Buffer.allocUnsafe(Math.min(count, this.count - from) * entryBytes)
    readSync(this.#file, entries, 0, entries.length, headerBytes + from * entryBytes)
    for (let at = 0; at < entries.length; at += blockBytes) {
      const sum = this.#sums.readUInt32BE((from / blockEntries + at / blockBytes) * sumBytes)
      if (crc32(entries.subarray(at, at + blockBytes)) !== sum) throw new DamagedKeys(this.path)
    }
    return entries
  }

  *blocks(): Generator<Buffer> {
    const atOnce = blockEntries * blocksAtOnce
    for (let at = 0; at < this.count; at += atOnce) yield this.read(at, atOnce)
  }

  close(): void {
    if (this.#isOpen) closeSync(this.#file)
    this.#isOpen = false
  }
}

/** The keys of an archive's deliveries. */
export const keysOfArchive = (folder: string, archive: string): string => join(folder, `${archive}.keys`)

export function* entriesIn(block: Buffer): Generator<{ readonly key: Buffer; readonly number: number }> {
  for (let at = 0; at < block.length; at += entryBytes) {
    yield { key: block.subarray(at, at + keyBytes), number: block.readDoubleBE(at + keyBytes) }
  }
}

const within = (block: Buffer, key: Buffer): number | undefined => {
  let low = 0
  let high = block.length / entryBytes
  while (low < high) {
    const middle = (low + high) >>> 1
    const at = middle * entryBytes
    const order = key.compare(block, at, at + keyBytes)
    if (order === 0) return block.readDoubleBE(at + keyBytes)
    if (order < 0) high = middle
    else low = middle + 1
  }
  return undefined
}

/** Writes a file, entry by entry in the order of the keys; `count` must be at least their number. */
export class Making {
  readonly #path: string
  readonly #file: number
  readonly #filter: Buffer
  readonly #most: number
  readonly #sums: Buffer
  #count = 0

  constructor(folder: string, most: number) {
    this.#path = join(folder, `making-${most}.tmp`)
    this.#file = openSync(this.#path, "w", 0o600)
    this.#filter = Buffer.alloc(filterBytes(most))
    this.#sums = Buffer.alloc(blocksOf(most) * sumBytes)
    this.#most = most
  }

  add(entries: Buffer): void {
    for (let at = 0; at < entries.length; at += entryBytes) {
      eachBit(entries, at, this.#filter.length, (byte, bit) => {
        this.#filter[byte]! |= bit
        return true
      })
    }
    this.#put(entries, headerBytes + this.#count * entryBytes)
    for (let at = 0; at < entries.length;) {
      const place = Math.floor(this.#count / blockEntries) * sumBytes
      const some = entries.subarray(at, at + (blockEntries - (this.#count % blockEntries)) * entryBytes)
      this.#sums.writeUInt32BE(crc32(some, this.#sums.readUInt32BE(place)), place)
      this.#count += some.length / entryBytes
      at += some.length
    }
  }

  #put(bytes: Buffer, at: number): void {
    if (writeSync(this.#file, bytes, 0, bytes.length, at) < bytes.length) throw new Error(`${this.#path} has no room`)
  }

  finish({ from, through }: Span): KeyFile {
    if (this.#count !== this.#most) throw new Error(`a file of ${this.#most} entries has ${this.#count}`)
    const header = Buffer.alloc(headerBytes)
    mark.copy(header)
    header.writeDoubleBE(this.#count, 8)
    header.writeDoubleBE(from, 16)
    header.writeDoubleBE(through, 24)
    const rest = Buffer.concat([this.#sums, this.#filter])
    const sum = Buffer.alloc(sumBytes)
    sum.writeUInt32BE(crc32(rest, crc32(header)))
    const tail = Buffer.concat([rest, sum])
    this.#put(header, 0)
    this.#put(tail, headerBytes + this.#count * entryBytes)
    fsyncSync(this.#file)
    closeSync(this.#file)
    const path = join(this.#path, "..", nameOf(from, through))
    renameSync(this.#path, path)
    flushFolderOf(path)
    const made = KeyFile.open(path)
    if (made === undefined) throw new Error(`${path} can't be read back`)
    return made
  }

  discard(): void {
    closeSync(this.#file)
    rmSync(this.#path, { force: true })
  }
}
