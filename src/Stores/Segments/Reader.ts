/**
 * Reads the inbox's segments beside their writer: only acknowledged frames (`SegmentFile`).
 */
import { join } from "node:path"
import { decode, type Frame } from "./Frame.ts"
import { listed, nameOf } from "./Segment.ts"
import { DamagedSegment, type Range, SegmentFile } from "./SegmentFile.ts"

/** Segments whose index is in memory, at 5 kB each. */
const mostKnown = 1000

export class Reader {
  readonly #folder: string
  #firsts: ReadonlyArray<number> = []
  readonly #files = new Map<number, SegmentFile>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** Frames after a number, up to `last`, in order: limited in number and bytes, but at least one. */
  after(number: number, last: number, limit: number, bytes: number): ReadonlyArray<Frame> {
    const frames: Array<Frame> = []
    let size = 0
    for (let next = number + 1; next <= last && frames.length < limit;) {
      const found = this.#from(next, last, limit - frames.length, bytes - size)
      if (frames.length > 0 && size + found.bytes.byteLength > bytes) break
      for (const content of found.contents) frames.push(decode(content))
      size += found.bytes.byteLength
      next = found.next
    }
    return frames
  }

  /** Some of these frames in the form of the file, from one segment; undefined after the last frame. */
  range(after: number, last: number, limit: number, bytes: number): Range | undefined {
    return after < last ? this.#from(after + 1, last, limit, bytes) : undefined
  }

  /** The frame with this number, or the hole that covers it. */
  at(number: number, last: number): Frame | undefined {
    const content = number < 1 ? undefined : this.range(number - 1, last, 1, Infinity)?.contents[0]
    return content && decode(content)
  }

  /** Called after segments were replaced. */
  forget(): void {
    this.#files.clear()
    this.#firsts = []
  }

  #from(number: number, last: number, limit: number, bytes: number): Range {
    const found = this.#file(number)?.from(number, last, limit, bytes)
    if (found !== undefined) return found
    // A new segment has begun since they were listed.
    this.#firsts = listed(this.#folder)
    const again = this.#file(number)?.from(number, last, limit, bytes)
    // In neither this segment nor the next: a file is missing between them.
    if (again === undefined) throw new DamagedSegment(join(this.#folder, nameOf(number)), number)
    return again
  }

  /** The segment that begins with this number, or the last one that begins before it. */
  #file(number: number): SegmentFile | undefined {
    const first = this.#firsts.findLast((each) => each <= number)
    if (first === undefined) return undefined
    const file = this.#files.get(first) ?? new SegmentFile(this.#folder, first)
    this.#files.delete(first)
    // The most recently used one comes last.
    this.#files.set(first, file)
    for (const oldest of this.#files.keys()) {
      if (this.#files.size <= mostKnown) break
      this.#files.delete(oldest)
    }
    return file
  }
}
