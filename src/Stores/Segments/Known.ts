/**
 * The bodies and event ids that were stored before, each with the number of its first delivery. The newest are in
 * memory, the others in files. Four files of about the same size are merged into one, a little at a time.
 *
 * Everything here can be rebuilt from the inbox's frames: after a crash, the next start reads what is missing from
 * there. Bodies and ids share the files, because both are hashes.
 */
import { hash } from "node:crypto"
import { mkdirSync, readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Making, KeyFile, type Span } from "./KeyFile.ts"
import { entryBytes, keyBytes } from "./KeyTail.ts"
import { entriesAStep, merged } from "./KeyMerge.ts"

export const bodyKey = (sha256: Uint8Array): Buffer => Buffer.from(sha256.buffer, sha256.byteOffset, keyBytes)

export const idKey = (eventId: string): Buffer => hash("sha256", `event id\0${eventId}`, "buffer").subarray(0, keyBytes)

const inMemory = 16_384
const mergedAtOnce = 4

const text = (key: Buffer): string => key.toString("latin1")

/** The part of it that a writer needs. */
export type Index = Pick<Known, "add" | "close" | "flush" | "forget" | "get" | "include" | "rest" | "step" | "through">

/** For a log of rows, in which bodies are never looked up. */
export const none: Index = {
  through: Infinity,
  get: () => undefined,
  add: () => undefined,
  include: () => undefined,
  forget: () => undefined,
  flush: () => undefined,
  step: () => false,
  rest: () => undefined,
  close: () => undefined
}

export class Known {
  readonly #folder: string
  #files: Array<KeyFile>
  #recent = new Map<string, number>()
  #recentFrom: number
  #last: number
  #merging: Generator<undefined, void> | undefined

  private constructor(folder: string, files: Array<KeyFile>) {
    this.#folder = folder
    this.#files = files
    this.#last = files.at(-1)?.through ?? 0
    this.#recentFrom = this.#last + 1
  }

  /** What the files hold: everything up to `through`. Later frames must be added again. */
  static open(folder: string): Known {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return new Known(folder, chain(folder))
  }

  /** The files know everything up to here. */
  get through(): number {
    return this.#recentFrom - 1
  }

  get(key: Buffer): number | undefined {
    const recent = this.#recent.get(text(key))
    if (recent !== undefined) return recent
    // Most duplicates repeat something recent.
    for (let place = this.#files.length - 1; place >= 0; place--) {
      const number = this.#files[place]!.get(key)
      if (number !== undefined) return number
    }
    return undefined
  }

  /** Adds the keys of the frame with this number, which is the next one. A key keeps its first number. */
  add(keys: ReadonlyArray<Buffer>, number: number): void {
    for (const key of keys) {
      const name = text(key)
      if (!this.#recent.has(name)) this.#recent.set(name, number)
    }
    this.#last = number
  }

  /** Does a part of the deferred work; returns false if there is none. If it fails, nothing is lost. */
  step(): boolean {
    this.flush()
    this.#merging ??= this.#nextMerge()
    if (this.#merging === undefined) return false
    if (this.#merging.next().done === true) this.#merging = undefined
    return true
  }

  /** Gives back what can be read again. */
  rest(): void {
    for (const file of this.#files) file.rest()
  }

  close(): void {
    for (const file of this.#files) file.close()
    this.#files = []
  }

  /** Adds the keys of an older frame. Call `flush(1)` before the process ends. */
  include(keys: ReadonlyArray<Buffer>, number: number): void {
    for (const key of keys) {
      const name = text(key)
      this.#recent.set(name, Math.min(number, this.#recent.get(name) ?? number))
    }
  }

  /**
   * Forgets what frames with these numbers brought, because the frames are lost: their bodies are new when they come
   * again.
   */
  forget(spans: ReadonlyArray<Span>): void {
    if (spans.length === 0) return
    const isLost = (number: number) => spans.some(({ from, through }) => from <= number && number <= through)
    this.#merging?.return()
    this.#merging = undefined
    for (const [key, number] of this.#recent) if (isLost(number)) this.#recent.delete(key)
    this.#files = this.#files.map((file) => without(this.#folder, file, isLost))
  }

  /** Moves what is in memory to a file, if there is much of it. */
  flush(much = inMemory): void {
    if (this.#recent.size < much) return
    const making = new Making(this.#folder, this.#recent.size)
    making.add(entriesOf(this.#recent))
    this.#files.push(making.finish({ from: this.#recentFrom, through: this.#last }))
    this.#recentFrom = this.#last + 1
    this.#recent = new Map()
  }

  /** Four neighbours, the oldest of which isn't much larger than the others. */
  #nextMerge(): Generator<undefined, void> | undefined {
    for (let place = this.#files.length - mergedAtOnce; place >= 0; place--) {
      const files = this.#files.slice(place, place + mergedAtOnce)
      const counts = files.map(({ count }) => count)
      if (Math.max(...counts) < mergedAtOnce * Math.min(...counts)) return this.#merge(files)
    }
    return undefined
  }

  *#merge(files: ReadonlyArray<KeyFile>): Generator<undefined, void> {
    const making = new Making(
      this.#folder,
      files.reduce((count, file) => count + file.count, 0)
    )
    let isDone = false
    try {
      for (const block of merged(files)) {
        making.add(block)
        yield
      }
      isDone = true
    } finally {
      if (!isDone) making.discard()
    }
    const made = making.finish({ from: files[0]!.from, through: files.at(-1)!.through })
    this.#files.splice(this.#files.indexOf(files[0]!), files.length, made)
    for (const file of files) {
      file.close()
      rmSync(file.path)
    }
  }
}

/** Replaces a file with one that lacks the entries of some numbers. */
const without = (folder: string, file: KeyFile, isLost: (number: number) => boolean): KeyFile => {
  const kept: Array<Buffer> = []
  for (const block of file.blocks()) {
    for (let at = 0; at < block.length; at += entryBytes) {
      if (!isLost(block.readDoubleBE(at + keyBytes))) kept.push(block.subarray(at, at + entryBytes))
    }
  }
  if (kept.length === file.count) return file
  const making = new Making(folder, kept.length)
  for (let at = 0; at < kept.length; at += entriesAStep) making.add(Buffer.concat(kept.slice(at, at + entriesAStep)))
  file.close()
  return making.finish(file)
}

/** Sorted as text with one byte per character, which has the order of the bytes. */
export const entriesOf = (recent: ReadonlyMap<string, number>): Buffer => {
  const bytes = Buffer.allocUnsafe(recent.size * entryBytes)
  for (const [place, key] of [...recent.keys()].toSorted().entries()) {
    bytes.write(key, place * entryBytes, "latin1")
    bytes.writeDoubleBE(recent.get(key)!, place * entryBytes + keyBytes)
  }
  return bytes
}

const named = /^(\d+)-(\d+)\.keys$/

/** The files that together cover every number from the first one on; removes what a crash or damage has left. */
const chain = (folder: string): Array<KeyFile> => {
  const spans: Array<Span & { readonly name: string }> = []
  for (const name of readdirSync(folder)) {
    const [, from, through] = named.exec(name) ?? []
    if (from === undefined) rmSync(join(folder, name))
    else spans.push({ name, from: Number(from), through: Number(through) })
  }
  const files: Array<KeyFile> = []
  // Of two files that begin at the same number, the longer one is the result of a merge that included the other.
  for (const span of spans.toSorted((a, b) => a.from - b.from || b.through - a.through)) {
    const isNext = span.from === (files.at(-1)?.through ?? 0) + 1
    const file = isNext ? KeyFile.open(join(folder, span.name)) : undefined
    if (file === undefined) rmSync(join(folder, span.name))
    else files.push(file)
  }
  return files
}
