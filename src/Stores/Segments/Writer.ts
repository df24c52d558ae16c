/**
 * The only writer of the inbox's folder. Synchronous, because it has a thread of its own; imports no Effect, so that the
 * thread starts at once and stays small.
 *
 *   inbox/000000000000001.log    segments: the frames, flushed to disk before they are acknowledged
 *   inbox/beside/…               the same again, not flushed: damage to any one file loses nothing
 *   inbox/known/…                which bodies and event ids were stored before (`Known`)
 *
 * If the process dies, frames of the last group may be missing or torn; none of them was acknowledged.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { hash, type KeyObject } from "node:crypto"
import { Appending } from "./Appending.ts"
import { type Frame, type Labels, numberAfter } from "./Frame.ts"
import { bodyKey, idKey, Known } from "./Known.ts"
import { type Folders, recover, type Span, write } from "./Recover.ts"
import { framesIn, fullBytes, listed, nameOf } from "./Segment.ts"

/** A verified delivery. */
export interface Incoming {
  readonly body: Uint8Array
  readonly bodySha256: Uint8Array
  readonly labels: Labels
}

export interface Received {
  /** How many bodies were new. */
  readonly fresh: number
  /** The number of the last frame. */
  readonly last: number
}

export const besideIn = (folder: string): string => join(folder, "beside")

export class Writer {
  readonly #folders: Folders
  readonly #appending: Appending
  #known: Known
  #next: number
  #missing: ReadonlyArray<Span>

  /** `floor`: the least number that the next frame may have, because a copy has seen the one before it. */
  constructor(folder: string, key: KeyObject, floor = 1) {
    this.#folders = { main: folder, beside: besideIn(folder), key }
    mkdirSync(this.#folders.beside, { recursive: true, mode: 0o700 })
    const { missing, next, open } = recover(this.#folders, floor)
    this.#missing = missing
    this.#next = next
    this.#appending = new Appending(this.#folders, open)
    this.#known = Known.open(this.#knownFolder)
    this.#learn()
  }

  /** The number of the last frame. */
  get last(): number {
    return this.#next - 1
  }

  /** Numbers whose frames are in no file here: to be filled from other copies before anything is received. */
  get missing(): ReadonlyArray<Span> {
    return this.#missing
  }

  /** When it returns, all of them are on disk. If it throws, none of them is stored. */
  receive(batch: ReadonlyArray<Incoming>): Received {
    if (this.#missing.length > 0) throw new Error("the inbox lacks frames that must be filled first")
    const frames: Array<Frame> = []
    const keys: Array<ReadonlyArray<Buffer>> = []
    const seen = new Map<string, number>()
    const find = (key: Buffer): number | undefined => seen.get(key.toString("latin1")) ?? this.#known.get(key)
    for (const { body, bodySha256, labels } of batch) {
      const number = this.#next + frames.length
      const [own, id] = [bodyKey(bodySha256), idKey(labels.eventId)]
      const of = find(own)
      if (of !== undefined) {
        frames.push({ kind: "again", number, of, labels })
        keys.push([])
        continue
      }
      const isReused = find(id) !== undefined
      const fresh = isReused ? [own] : [own, id]
      for (const key of fresh) seen.set(key.toString("latin1"), number)
      frames.push({ kind: "first", number, body, labels: isReused ? { ...labels, isReused } : labels })
      keys.push(fresh)
    }
    this.#appending.append(frames)
    this.#next += frames.length
    frames.forEach(({ number }, place) => this.#known.add(keys[place]!, number))
    return { fresh: frames.filter(({ kind }) => kind === "first").length, last: this.last }
  }

  /** Appends frames that have numbers already, in order. Numbers between them stay unused; what is here is left out. */
  put(frames: ReadonlyArray<Frame>): void {
    const all: Array<Frame> = []
    let next = this.#next
    for (const frame of frames) {
      if (frame.number < next) continue
      if (frame.number > next) all.push({ kind: "hole", number: next, through: frame.number - 1, why: "unused" })
      all.push(frame)
      next = numberAfter(frame)
    }
    const marked = all.map((frame) => this.#marked(frame))
    this.#appending.append(marked)
    this.#next = next
  }

  /**
   * Puts frames back under their old numbers; what isn't among them is lost. `frames`: in the order of their numbers,
   * all of them missing.
   */
  heal(frames: Iterable<Frame>): ReadonlyArray<Span> {
    const lost: Array<Span> = []
    const source = frames[Symbol.iterator]()
    let frame = source.next().value as Frame | undefined
    for (const span of this.#missing) {
      if (span.from === this.#next) this.#appending.end(span.from)
      const part = new Part(this.#folders, span)
      while (frame !== undefined && frame.number <= span.through) {
        lost.push(...part.add(frame))
        frame = source.next().value as Frame | undefined
      }
      lost.push(...part.finish())
      this.#next = Math.max(this.#next, span.through + 1)
    }
    this.#missing = []
    this.#known.close()
    rmSync(this.#knownFolder, { recursive: true })
    this.#known = Known.open(this.#knownFolder)
    this.#learn()
    return lost
  }

  /** Does a part of what can be done later; false if there is nothing to do. */
  step(): boolean {
    return this.#known.step()
  }

  close(): void {
    this.#appending.close()
    this.#known.close()
  }

  get #knownFolder(): string {
    return join(this.#folders.main, "known")
  }

  /** Says whether an earlier body had the same event id; its own is known from now on. */
  #marked(frame: Frame): Frame {
    const isReused = frame.kind === "first" && this.#known.get(idKey(frame.labels.eventId)) !== undefined
    this.#known.add(keysOf(frame), numberAfter(frame) - 1)
    return isReused ? { ...frame, labels: { ...frame.labels, isReused } } : frame
  }

  /** Adds what the files don't know. */
  #learn(): void {
    const { main } = this.#folders
    const firsts = listed(main)
    for (const [place, first] of firsts.entries()) {
      if ((firsts[place + 1] ?? Infinity) <= this.#known.through + 1) continue
      for (const frame of framesIn(readFileSync(join(main, nameOf(first))))) {
        if (frame.kind !== "end" && frame.number > this.#known.through)
          this.#known.add(keysOf(frame), numberAfter(frame) - 1)
      }
      // A segment at a time, so that they are never all in memory.
      this.#known.flush()
    }
  }
}

/** A known key keeps its first number, so that it doesn't matter whether an id was reused. */
const keysOf = (frame: Frame): ReadonlyArray<Buffer> =>
  frame.kind === "first" ? [bodyKey(hash("sha256", frame.body, "buffer")), idKey(frame.labels.eventId)] : []

/** Missing frames become segments of their own. */
class Part {
  readonly #folders: Folders
  readonly #span: Span
  #next: number
  #frames: Array<Frame> = []
  #bytes = 0

  constructor(folders: Folders, span: Span) {
    this.#folders = folders
    this.#span = span
    this.#next = span.from
  }

  add(frame: Frame): ReadonlyArray<Span> {
    const lost = this.#hole(frame.number)
    this.#push(frame)
    return lost
  }

  finish(): ReadonlyArray<Span> {
    const lost = this.#hole(this.#span.through + 1)
    this.#flush()
    return lost
  }

  #hole(until: number): ReadonlyArray<Span> {
    if (until <= this.#next) return []
    const span = { from: this.#next, through: until - 1 }
    this.#push({ kind: "hole", number: span.from, through: span.through, why: "lost" })
    return [span]
  }

  #push(frame: Frame): void {
    this.#frames.push(frame)
    this.#bytes += frame.kind === "first" ? frame.body.byteLength : 0
    this.#next = numberAfter(frame)
    if (this.#bytes > fullBytes) this.#flush()
  }

  #flush(): void {
    if (this.#frames.length > 0) write(this.#folders, this.#frames, this.#next)
    this.#frames = []
    this.#bytes = 0
  }
}
