/**
 * Reads the inbox's segments beside their writer: only frames that were acknowledged, which never change. Where the
 * frames of a segment begin is remembered for the segments read last.
 */
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../Runtime/SystemFailure.ts"
import { contentAt, decode, type Frame, headBytes, isEnd, lengthOf, numberAfterOf, numberOf } from "./Frame.ts"
import { listed, nameOf } from "./Segment.ts"

/** A frame that was acknowledged can't be read. */
export class DamagedSegment extends Error {
  override readonly name = "DamagedSegment"
  /** A number in the segment. */
  readonly number: number

  constructor(path: string, number: number) {
    super(`${path} is damaged`)
    this.number = number
  }
}

const blockBytes = 1024 * 1024
const mostOpen = 4

/** Frames as they are in the file. */
export interface Range {
  readonly contents: ReadonlyArray<Buffer>
  /** All of them, whole. */
  readonly bytes: Buffer
  /** The number after them: where to go on. */
  readonly next: number
}

class SegmentFile {
  readonly first: number
  readonly #path: string
  readonly #file: number
  readonly #numbers: Array<number> = []
  readonly #offsets: Array<number> = []
  /** Where the last of them ends. */
  #framesEnd = 0
  /** How far the file was looked through. */
  #end = 0
  /** The number after the last frame seen. */
  #next: number
  #isClosed = false

  constructor(folder: string, first: number) {
    this.first = first
    this.#next = first
    this.#path = join(folder, nameOf(first))
    this.#file = openSync(this.#path, "r")
  }

  close(): void {
    closeSync(this.#file)
  }

  /** Frames with these numbers or later ones, up to `last`, as many as fit: at least one. */
  from(number: number, last: number, limit: number, bytes: number): Range {
    this.#lookThrough(last)
    const first = this.#placeOf(number)
    // Neither here nor in the next segment: between them, a file is missing.
    if (first >= this.#numbers.length) throw new DamagedSegment(this.#path, number)
    const start = this.#offsets[first]!
    let place = first + 1
    while (place < this.#numbers.length && place - first < limit && this.#endOf(place) - start <= bytes) place++
    const read = this.#bytes(start, this.#endOf(place - 1))
    const contents: Array<Buffer> = []
    for (let at = first; at < place; at++) {
      const content = contentAt(read, this.#offsets[at]! - start)
      if (content === undefined) throw new DamagedSegment(this.#path, this.first)
      contents.push(content)
    }
    return { contents, bytes: read, next: numberAfterOf(contents.at(-1)!) }
  }

  #endOf(place: number): number {
    return this.#offsets[place + 1] ?? this.#framesEnd
  }

  #bytes(from: number, to: number): Buffer {
    const bytes = Buffer.allocUnsafe(to - from)
    const read = readSync(this.#file, bytes, 0, bytes.byteLength, from)
    return bytes.subarray(0, read)
  }

  /** Whether a frame with this number is not here, but in a later segment. */
  isBefore(number: number): boolean {
    return this.#isClosed && this.#next <= number
  }

  /** The place of the frame with this number or the next one, or of the hole that it is in. */
  #placeOf(number: number): number {
    let low = 0
    let high = this.#numbers.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#numbers[middle]! <= number) low = middle + 1
      else high = middle
    }
    const isInHole = low > 0 && number < (this.#numbers[low] ?? this.#next)
    return isInHole ? low - 1 : low
  }

  /** Finds where frames begin, through the last one. */
  #lookThrough(last: number): void {
    let size = blockBytes
    while (!this.#isClosed && this.#next <= last) {
      const { size: fileBytes } = fstatSync(this.#file)
      // No more than there is: of a stream's few new frames, a whole block each time would be 10 MB a second to collect.
      const block = this.#bytes(this.#end, Math.max(this.#end, Math.min(this.#end + size, fileBytes)))
      const used = this.#lookAt(block, last)
      // A frame larger than the block; or the end of the file, before the last frame.
      const length = lengthOf(block, used) ?? 0
      const isCut = this.#end + length > fileBytes
      if (used === 0 && (length <= block.byteLength || isCut)) throw new DamagedSegment(this.#path, this.first)
      if (used === 0) size = length
    }
  }

  /** How many bytes of whole frames the block begins with. */
  #lookAt(block: Buffer, last: number): number {
    let at = 0
    while (!this.#isClosed && this.#next <= last) {
      const content = contentAt(block, at)
      if (content === undefined) break
      const number = numberOf(content)
      if (number !== this.#next) throw new DamagedSegment(this.#path, this.first)
      const length = headBytes + content.byteLength
      if (isEnd(content)) this.#isClosed = true
      else {
        this.#numbers.push(number)
        this.#offsets.push(this.#end)
        this.#framesEnd = this.#end + length
        this.#next = numberAfterOf(content)
      }
      this.#end += length
      at += length
    }
    return at
  }
}

export class Reader {
  readonly #folder: string
  #firsts: ReadonlyArray<number> = []
  readonly #files = new Map<number, SegmentFile>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Frames after a number, up to `last`, in order: at most so many, and at most so many bytes, but at least one. */
  after(number: number, last: number, limit: number, bytes: number): ReadonlyArray<Frame> {
    const frames: Array<Frame> = []
    let size = 0
    for (let next = number + 1; next <= last && frames.length < limit;) {
      const found = this.#file(next).from(next, last, limit - frames.length, bytes - size)
      if (frames.length > 0 && size + found.bytes.byteLength > bytes) break
      for (const content of found.contents) frames.push(decode(content))
      size += found.bytes.byteLength
      next = found.next
    }
    return frames
  }

  /** The same as they are in the file, of one segment; undefined after the last frame. */
  range(after: number, last: number, limit: number, bytes: number): Range | undefined {
    return after < last ? this.#file(after + 1).from(after + 1, last, limit, bytes) : undefined
  }

  /** The frame with this number, or the hole that it is in. */
  at(number: number, last: number): Frame | undefined {
    const content = number < 1 ? undefined : this.range(number - 1, last, 1, Infinity)?.contents[0]
    return content && decode(content)
  }

  /** After segments were replaced. */
  forget(): void {
    for (const file of this.#files.values()) file.close()
    this.#files.clear()
    this.#firsts = []
  }

  #file(number: number): SegmentFile {
    const first = this.#firstOf(number)
    const known = this.#files.get(first)
    this.#files.delete(first)
    const file = known ?? this.#opened(first)
    // The one used last is the last one.
    this.#files.set(first, file)
    for (const [oldest, other] of this.#files) {
      if (this.#files.size <= mostOpen) break
      other.close()
      this.#files.delete(oldest)
    }
    return file
  }

  #opened(first: number): SegmentFile {
    try {
      return new SegmentFile(this.#folder, first)
    } catch (cause) {
      // Lost; or its deliveries went to an archive since the folder was listed.
      if (codeOf(cause) !== "ENOENT") throw cause
      throw new DamagedSegment(join(this.#folder, nameOf(first)), first)
    }
  }

  #firstOf(number: number): number {
    const newest = this.#files.get(this.#firsts.at(-1) ?? 0)
    if (newest === undefined || newest.isBefore(number)) this.#firsts = listed(this.#folder)
    const first = this.#firsts.findLast((each) => each <= number)
    if (first === undefined) throw new DamagedSegment(join(this.#folder, nameOf(number)), number)
    return first
  }
}
