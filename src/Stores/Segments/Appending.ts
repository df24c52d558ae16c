/**
 * Appends frames to the open segment: flushed to disk, and to the copy beside it, not flushed. A segment that has become
 * large enough is closed, and the next one begins.
 *
 * If a write fails, the segment is cut back to its last acknowledged frame before anything else is appended.
 */
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, rmSync, writevSync } from "node:fs"
import { join } from "node:path"
import { flushFolderOf } from "../../Runtime/Flush.ts"
import { encode, type Frame, numberAfter } from "./Frame.ts"
import type { Folders } from "./Recover.ts"
import { fullBytes, listed, nameOf } from "./Segment.ts"

interface Open {
  readonly file: number
  readonly copy: number
  bytes: number
}

export class Appending {
  readonly #folders: Folders
  #open: Open | undefined
  #isTorn = false

  /** `first`: of the segment to go on with, if there is one. */
  constructor(folders: Folders, first: number | undefined) {
    this.#folders = folders
    if (first !== undefined) this.#open = this.#opened(first)
  }

  /** When it returns they are on disk; if it throws, none of them is stored. */
  append(frames: ReadonlyArray<Frame>): void {
    const [first, last] = [frames[0], frames.at(-1)]
    if (first === undefined || last === undefined) return
    this.#mend()
    const open = (this.#open ??= this.#opened(first.number))
    const { key } = this.#folders
    const encoded = frames.map((frame) => encode(frame, key))
    const bytes = encoded.reduce((sum, { byteLength }) => sum + byteLength, 0)
    const isFull = open.bytes + bytes > fullBytes
    if (isFull) encoded.push(encode({ kind: "end", number: numberAfter(last) }, key))
    this.#isTorn = true
    writeAll(open.file, encoded)
    fdatasyncSync(open.file)
    this.#isTorn = false
    open.bytes = fstatSync(open.file).size
    writeAll(open.copy, encoded)
    if (isFull) this.#closeFiles()
  }

  /** Ends the open segment before its time. */
  end(number: number): void {
    if (this.#open === undefined) return
    writeAll(this.#open.file, [encode({ kind: "end", number }, this.#folders.key)])
    fdatasyncSync(this.#open.file)
    this.#closeFiles()
  }

  /** Removes the copies of closed segments that have nothing after this number. */
  forgetCopies(through: number): void {
    const { beside } = this.#folders
    const firsts = listed(beside)
    for (const [place, first] of firsts.entries()) {
      const next = firsts[place + 1]
      if (next !== undefined && next <= through + 1) rmSync(join(beside, nameOf(first)))
    }
  }

  close(): void {
    this.#closeFiles()
  }

  #opened(first: number): Open {
    const { beside, main } = this.#folders
    const path = join(main, nameOf(first))
    const file = openSync(path, "a", 0o600)
    const copy = openSync(join(beside, nameOf(first)), "a", 0o600)
    flushFolderOf(path)
    return { file, copy, bytes: fstatSync(file).size }
  }

  #mend(): void {
    if (!this.#isTorn || this.#open === undefined) return
    ftruncateSync(this.#open.file, this.#open.bytes)
    fdatasyncSync(this.#open.file)
    this.#isTorn = false
  }

  #closeFiles(): void {
    if (this.#open === undefined) return
    closeSync(this.#open.file)
    closeSync(this.#open.copy)
    this.#open = undefined
  }
}

const mostBuffers = 1024

/** The system may write less than it was given, and takes so many buffers at once. */
const writeAll = (file: number, encoded: ReadonlyArray<Buffer>): void => {
  for (let from = 0; from < encoded.length; from += mostBuffers) {
    const some = encoded.slice(from, from + mostBuffers)
    const bytes = some.reduce((sum, { byteLength }) => sum + byteLength, 0)
    let written = writevSync(file, some)
    if (written < bytes) {
      const rest = Buffer.concat(some)
      while (written < bytes) written += writevSync(file, [rest.subarray(written)])
    }
  }
}
