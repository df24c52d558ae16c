/**
 * Appends frames to the open segment, which is fsynced, and to the copy beside it, which isn't. A segment that has
 * become large enough is closed, and the next one begins.
 *
 * If a write fails, both files are truncated to the last acknowledged frame before anything else is appended: no number
 * is ever in a file twice.
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, ftruncateSync, openSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { flushFolderOf } from "../../Runtime/Flush.ts"
import { encode } from "./Frame.ts"
import type { Folders } from "./Replace.ts"
import { fullBytes, nameOf, writeAll } from "./Segment.ts"

const flushed = (file: number): Promise<void> => promisify(fdatasync)(file)

const lengthOf = (some: ReadonlyArray<Buffer>): number => some.reduce((sum, { byteLength }) => sum + byteLength, 0)

interface Open {
  readonly file: number
  readonly copy: number
  /** Acknowledged bytes of both. */
  bytes: number
  copyBytes: number
}

/** Not fsynced yet. */
interface Written {
  readonly open: Open
  readonly bytes: number
  /** The segment ends here. */
  readonly isFull: boolean
}

export class Appending {
  readonly #folders: Folders
  #open: Open | undefined
  #isTorn = false

  /** `first`: the first number of the segment to continue, if there is one. */
  constructor(folders: Folders, first: number | undefined) {
    this.#folders = folders
    if (first !== undefined) this.#open = this.#opened(first)
  }

  /**
   * Frames with the numbers from `first` up to but not including `next`. On disk when it returns; if it throws, none is
   * stored.
   */
  append(frames: ReadonlyArray<Buffer>, first: number, next: number): void {
    if (frames.length === 0) return
    const written = this.#written(frames, first, next)
    fdatasyncSync(written.open.file)
    this.#acknowledged(written)
  }

  /** The same, but asynchronous: the thread does other things during the fsync. */
  async appending(frames: ReadonlyArray<Buffer>, first: number, next: number): Promise<void> {
    if (frames.length === 0) return
    const written = this.#written(frames, first, next)
    await flushed(written.open.file)
    this.#acknowledged(written)
  }

  #written(frames: ReadonlyArray<Buffer>, first: number, next: number): Written {
    this.#mend()
    const open = (this.#open ??= this.#opened(first))
    const isFull = open.bytes + lengthOf(frames) > fullBytes
    const all = isFull ? [...frames, encode({ kind: "end", number: next }, this.#folders.key)] : frames
    this.#isTorn = true
    writeAll(open.copy, all)
    writeAll(open.file, all)
    return { open, bytes: lengthOf(all), isFull }
  }

  #acknowledged({ bytes, isFull, open }: Written): void {
    this.#isTorn = false
    open.bytes += bytes
    open.copyBytes += bytes
    if (isFull) this.#closeFiles()
  }

  /** Closes the open segment before it is full. */
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
    const open: Array<number> = []
    try {
      for (const each of [path, join(beside, nameOf(first))]) open.push(openSync(each, "a", 0o600))
      flushFolderOf(path)
      const [bytes, copyBytes] = open.map((each) => fstatSync(each).size)
      return { file: open[0]!, copy: open[1]!, bytes: bytes!, copyBytes: copyBytes! }
    } catch (cause) {
      for (const each of open) closeSync(each)
      throw cause
    }
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
