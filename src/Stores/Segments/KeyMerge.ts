/**
 * Merges files of keys in order, a block at a time, so that only one block of each file is in memory.
 */
import type { KeyFile } from "./KeyFile.ts"
import { entryBytes } from "./KeyTail.ts"

/** Whole blocks of a file. */
export const entriesAStep = 4096

/** Reads a file from its beginning, a block at a time. */
class Cursor {
  readonly #file: KeyFile
  #block: Buffer
  #next: number
  #at = 0
  /** The first bytes of the current entry, which differ from nearly every other entry's. */
  #head = 0

  constructor(file: KeyFile) {
    this.#file = file
    this.#block = file.read(0, entriesAStep)
    this.#next = this.#block.length / entryBytes
    this.#look()
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#block.length
  }

  isBefore(other: Cursor): boolean {
    if (this.#head !== other.#head) return this.#head < other.#head
    const [from, to] = [other.#at, other.#at + entryBytes]
    return this.#block.compare(other.#block, from, to, this.#at, this.#at + entryBytes) < 0
  }

  /** Copies the current entry to a place in `target`, and moves to the next one. */
  take(target: Buffer, at: number): void {
    this.#block.copy(target, at, this.#at, this.#at + entryBytes)
    this.#at += entryBytes
    if (this.isAtEnd && this.#next < this.#file.count) {
      this.#block = this.#file.read(this.#next, entriesAStep)
      this.#next += this.#block.length / entryBytes
      this.#at = 0
    }
    this.#look()
  }

  #look(): void {
    this.#head = this.isAtEnd ? 0 : this.#block.readUIntBE(this.#at, 6)
  }
}

/** All entries in order, in blocks; a block is valid only until the next one is asked for. */
export function* merged(files: ReadonlyArray<KeyFile>): Generator<Buffer, void> {
  const cursors = files.map((file) => new Cursor(file))
  const block = Buffer.allocUnsafe(entriesAStep * entryBytes)
  let at = 0
  while (true) {
    let least: Cursor | undefined
    for (const cursor of cursors) {
      if (!cursor.isAtEnd && (least === undefined || cursor.isBefore(least))) least = cursor
    }
    if (least === undefined) break
    least.take(block, at)
    at += entryBytes
    if (at < block.length) continue
    yield block
    at = 0
  }
  yield block.subarray(0, at)
}
