/**
 * One segment, read beside its writer: frames that were acknowledged, which never change.
 *
 * A sparse index remembers where some of its frames begin, so a frame is found by reading on from the previous index
 * entry, not from the beginning of the file. Everything that is read is checked: an incomplete frame, or one that
 * doesn't follow the previous one, is damage.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../Runtime/SystemFailure.ts"
import { contentAt, headBytes, isEnd, lengthOf, numberAfterOf, numberOf } from "./Frame.ts"
import { nameOf } from "./Segment.ts"

/** An acknowledged frame can't be read. */
export class DamagedSegment extends Error {
  override readonly name = "DamagedSegment"
  /** A number in the segment. */
  readonly number: number

  constructor(path: string, number: number) {
    super(`${path} is damaged`)
    this.number = number
  }
}

/** Frames in the form of the file. */
export interface Range {
  readonly contents: ReadonlyArray<Buffer>
  /** All of them, complete. */
  readonly bytes: Buffer
  /** The number after them, from which to continue. */
  readonly next: number
}

/** A frame's number, and where it begins in the file. */
interface Place {
  readonly number: number
  readonly at: number
}

/** In bytes. */
const betweenEntries = 128 * 1024
const blockBytes = 1024 * 1024
/** An estimate of how much to read at once. */
const usualFrame = 512

export class SegmentFile {
  readonly #first: number
  readonly #path: string
  /** In order, at least `betweenEntries` apart. */
  readonly #index: Array<Place>
  /** How far the file has been scanned. */
  #end: Place
  #isClosed = false

  constructor(folder: string, first: number) {
    this.#first = first
    this.#path = join(folder, nameOf(first))
    this.#end = { number: first, at: 0 }
    this.#index = [this.#end]
  }

  /**
   * Frames from this number on, up to `last`: at least one, but possibly fewer than would fit. The first may be a hole
   * that covers the number. Undefined if they are in a later segment.
   */
  from(number: number, last: number, limit: number, bytes: number): Range | undefined {
    if (this.#isClosed && this.#end.number <= number) return undefined
    const file = this.#opened()
    try {
      // A reader that continues from the last frame has its place.
      const start = this.#end.number === number ? this.#end : this.#find(file, number)
      const range = start && this.#take(file, start, last, limit, bytes)
      return this.#isClosed && this.#end.number <= number ? undefined : range
    } finally {
      closeSync(file)
    }
  }

  #opened(): number {
    try {
      return openSync(this.#path, "r")
    } catch (cause) {
      // Lost, or its deliveries went to an archive since the folder was listed.
      if (codeOf(cause) === "ENOENT") throw this.#damaged()
      throw cause
    }
  }

  #damaged(): DamagedSegment {
    return new DamagedSegment(this.#path, this.#first)
  }

  /** Undefined if the segment is closed before it. */
  #find(file: number, number: number): Place | undefined {
    let place = this.#end.number <= number ? this.#end : this.#entryBefore(number)
    for (let size = betweenEntries * 2; ; size = blockBytes) {
      const block = this.#read(file, place.at, size)
      for (let at = 0; ;) {
        const content = contentAt(block, at)
        if (content === undefined && at === 0) throw this.#damaged()
        if (content === undefined) break
        const after = this.#after(place, content)
        if (after.number > number) return place
        if (isEnd(content)) return undefined
        place = after
        at += headBytes + content.byteLength
      }
    }
  }

  #take(file: number, start: Place, last: number, limit: number, bytes: number): Range {
    const block = this.#read(file, start.at, Math.min(bytes, Math.max(betweenEntries, limit * usualFrame)))
    const contents: Array<Buffer> = []
    let place = start
    while (place.number <= last && contents.length < limit) {
      const at = place.at - start.at
      const content = contentAt(block, at)
      if (content === undefined && contents.length === 0) throw this.#damaged()
      if (content === undefined) break
      place = this.#after(place, content)
      if (isEnd(content)) break
      contents.push(content)
    }
    const taken = contents.reduce((sum, { byteLength }) => sum + headBytes + byteLength, 0)
    return { contents, bytes: block.subarray(0, taken), next: place.number }
  }

  /** At most this many bytes, but at least a whole frame; fewer at the end of the file. */
  #read(file: number, from: number, most: number): Buffer {
    const { size } = fstatSync(file)
    const block = bytesOf(file, from, Math.min(Math.max(most, headBytes), size - from))
    const length = lengthOf(block, 0) ?? 0
    return length > block.byteLength ? bytesOf(file, from, Math.min(length, size - from)) : block
  }

  /** The place after a frame. */
  #after({ at, number }: Place, content: Buffer): Place {
    if (numberOf(content) !== number) throw this.#damaged()
    const after = { number: numberAfterOf(content), at: at + headBytes + content.byteLength }
    if (after.at > this.#end.at) {
      this.#end = after
      this.#isClosed = isEnd(content)
      if (after.at - this.#index.at(-1)!.at >= betweenEntries) this.#index.push(after)
    }
    return after
  }

  #entryBefore(number: number): Place {
    let [low, high] = [0, this.#index.length]
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (this.#index[middle]!.number <= number) low = middle
      else high = middle
    }
    return this.#index[low]!
  }
}

const bytesOf = (file: number, from: number, count: number): Buffer => {
  const bytes = Buffer.allocUnsafe(Math.max(0, count))
  return bytes.subarray(0, readSync(file, bytes, 0, bytes.byteLength, from))
}
