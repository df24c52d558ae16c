/**
 * Appends frames to the open segment, flushed to disk, and to the copy beside it, not flushed. A segment that has become
 * large enough is closed, and the next one begins.
 *
 * If a write fails, both files are cut back to the last acknowledged frame before anything else is appended: no number is
 * ever in a file twice.
 */
import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync } from "node:fs"
import { join } from "node:path"
import { flushFolderOf } from "../../Runtime/Flush.ts"
import { encode, type Frame, numberAfter } from "./Frame.ts"
import type { Folders } from "./Recover.ts"
import { fullBytes, nameOf, writeAll } from "./Segment.ts"

interface Open {
  readonly file: number
  readonly copy: number
  /** Of both, as far as they are acknowledged. */
  bytes: number
  copyBytes: number
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
    writeAll(open.copy, encoded)
    writeAll(open.file, encoded)
    fdatasyncSync(open.file)
    this.#isTorn = false
    open.bytes = fstatSync(open.file).size
    open.copyBytes = fstatSync(open.copy).size
    if (isFull) this.#closeFiles()
  }

  /** Ends the open segment before its time. */
  end(number: number): void {
    if (this.#open === undefined) return
    writeAll(this.#open.file, [encode({ kind: "end", number }, this.#folders.key)])
    fdatasyncSync(this.#open.file)
    this.#closeFiles()
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
    return { file, copy, bytes: fstatSync(file).size, copyBytes: fstatSync(copy).size }
  }

  #mend(): void {
    if (!this.#isTorn || this.#open === undefined) return
    ftruncateSync(this.#open.file, this.#open.bytes)
    ftruncateSync(this.#open.copy, this.#open.copyBytes)
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
