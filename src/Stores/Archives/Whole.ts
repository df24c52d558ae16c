/**
 * The inbox's frames in stored order, whether they are in segments or in archives. All readers of deliveries read them
 * here.
 */
import type { KeyObject } from "node:crypto"
import { batchBytes } from "../Deliveries.ts"
import { decode, type Frame, isArchived, isHole, numberAfterOf, numberOf } from "../Segments/Frame.ts"
import type { Range } from "../Segments/SegmentFile.ts"
import type { ArchiveFolder } from "./ArchiveFolder.ts"

/** Segments that can be read. */
export interface Source {
  /** Frames after a number, from one segment; undefined if there are none. */
  readonly range: (after: number, limit: number) => Range | undefined
}

export class Whole {
  readonly #source: Source
  readonly #archives: ArchiveFolder
  readonly #key: KeyObject

  constructor(source: Source, archives: ArchiveFolder, key: KeyObject) {
    this.#source = source
    this.#archives = archives
    this.#key = key
  }

  /** The contents of frames after a number, in order: limited in number and bytes, but at least one. */
  async contents(after: number, limit: number, bytes = batchBytes): Promise<ReadonlyArray<Buffer>> {
    const all: Array<Buffer> = []
    let size = 0
    for (let next = after + 1; all.length < limit;) {
      const range = this.#source.range(next - 1, limit - all.length)
      if (range === undefined) break
      for (const content of range.contents) {
        // Awaiting each of them would take a tenth of the whole read.
        for (const each of isHole(content) ? await this.#there(content, next) : [content]) {
          if (all.length > 0 && (all.length >= limit || size + each.byteLength > bytes)) return all
          all.push(each)
          size += each.byteLength
        }
      }
      next = range.next
    }
    return all
  }

  async after(number: number, limit: number): Promise<ReadonlyArray<Frame>> {
    return (await this.contents(number, limit)).map(decode)
  }

  /** The frame with this number, or the hole that covers it. */
  async at(number: number): Promise<Frame | undefined> {
    const [content] = number < 1 ? [] : await this.contents(number - 1, 1)
    return content && decode(content)
  }

  /** The frame itself, or those that an archive has in its place, from a number on. */
  async #there(content: Buffer, from: number): Promise<ReadonlyArray<Buffer>> {
    const frame = isHole(content) ? decode(content) : undefined
    if (frame === undefined || !isArchived(frame)) return [content]
    const contents = await this.#archives.contents(frame.archive, this.#key)
    const start = placeOf(contents, Math.max(from, frame.number))
    let end = start
    while (end < contents.length && numberOf(contents[end]!) <= frame.through) end++
    return contents.slice(start, end)
  }
}

/** The position of the frame with a number, or of the hole that covers it. */
const placeOf = (contents: ReadonlyArray<Buffer>, number: number): number => {
  let [low, high] = [0, contents.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (numberAfterOf(contents[middle]!) <= number) low = middle + 1
    else high = middle
  }
  return low
}
