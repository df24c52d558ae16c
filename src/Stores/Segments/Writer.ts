/**
 * The only writer of a folder of segments: the inbox's, in a thread of its own, or that of the log of rows, in the main
 * thread. It imports no Effect, so that the thread starts fast and stays small.
 *
 *   inbox/000000000000001.log    segments: the frames, fsynced before they are acknowledged
 *   inbox/beside/…               copies, not fsynced: damage to any single file loses nothing
 *                                (what both have lost becomes a hole, which can be filled from copies elsewhere)
 *   inbox/known/…                which bodies and event ids were stored before (`Known`)
 *
 * If the process dies, frames of the last group may be missing or torn, but none of them was acknowledged.
 */
import { mkdirSync, readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { KeyObject } from "node:crypto"
import { Appending } from "./Appending.ts"
import type { Frame } from "./Frame.ts"
import { type Arrived, type Group, numbered, placed, type Placed } from "./Group.ts"
import { DamagedKeys } from "./KeyFile.ts"
import { type Index, Known, none } from "./Known.ts"
import { keysOf, learn } from "./Learn.ts"
import { type InArchive, leave, type Leaving, lostIn } from "./Leave.ts"
import { isIn, Part, spanOf } from "./Part.ts"
import { check, recover } from "./Recover.ts"
import type { Folders, Span } from "./Replace.ts"
import { framesIn, listed, nameOf } from "./Segment.ts"

export interface Received {
  /** How many bodies were new. */
  readonly fresh: number
  /** The number of the last frame. */
  readonly last: number
}

/** What a start or a check has found. */
export interface Found {
  /** Numbers whose frames are in no file here. */
  readonly lost: ReadonlyArray<Span>
  /** The first numbers of segments that were damaged and are whole again, except for what is lost. */
  readonly repaired: ReadonlyArray<number>
  /**
   * How many frames at the end of the open segment were only in its copy: because of damage, or a crash before they
   * were fsynced.
   */
  readonly completed: number
}

interface Options {
  /** The lowest number that the next frame may have, because a copy has seen the one before it. */
  readonly floor?: number
  /** False for a log of rows. */
  readonly hasDeliveries?: boolean
  /** Frames that aren't here may be in these. In order. */
  readonly archives?: ReadonlyArray<InArchive>
  readonly archive?: string
}

export const besideIn = (folder: string): string => join(folder, "beside")

const knownIn = (folder: string): string => join(folder, "known")

export class Writer {
  readonly #folders: Folders
  readonly #appending: Appending
  #known: Index
  readonly #archive: string
  #archives: ReadonlyArray<InArchive>
  #next: number
  /** What the start found. */
  readonly found: Found

  constructor(folder: string, key: KeyObject, options: Options = {}) {
    const { archive = `${folder}-archive`, archives = [], floor = 1, hasDeliveries = true } = options
    this.#archive = archive
    this.#archives = archives
    this.#folders = { main: folder, beside: besideIn(folder), key }
    mkdirSync(this.#folders.beside, { recursive: true, mode: 0o700 })
    const { completed, missing, next, open, repaired } = recover(this.#folders, floor)
    this.#next = next
    this.#appending = new Appending(this.#folders, open)
    this.#known = hasDeliveries ? Known.open(knownIn(folder)) : none
    try {
      this.found = { lost: this.#lose(missing), repaired, completed }
      this.#learn(this.#known)
    } catch (cause) {
      this.close()
      throw cause
    }
  }

  /** The number of the last frame. */
  get last(): number {
    return this.#next - 1
  }

  /** When it returns, all of them are on disk. If it throws, none of them is stored. */
  receive(batch: ReadonlyArray<Arrived>): Received {
    const group = this.#numbered(batch)
    this.#appending.append(group.encoded, this.#next, group.next)
    return this.#stored(group)
  }

  /** The same, while the thread does other things. The writer gets no other request before it has returned. */
  async receiving(batch: ReadonlyArray<Arrived>): Promise<Received> {
    const group = this.#numbered(batch)
    await this.#appending.appending(group.encoded, this.#next, group.next)
    return this.#stored(group)
  }

  #numbered(batch: ReadonlyArray<Arrived>): Group {
    return this.#knowing((known) => numbered(batch, { next: this.#next, known, key: this.#folders.key }))
  }

  #stored({ keys, next }: Group): Received {
    for (const [place, fresh] of keys.entries()) this.#known.add(fresh, this.#next + place)
    this.#next = next
    return { fresh: keys.filter(({ length }) => length > 0).length, last: this.last }
  }

  /**
   * Appends frames that already have numbers, in order. Numbers between them stay unused; frames that are already here
   * are skipped.
   */
  put(frames: ReadonlyArray<Frame>): void {
    const { encoded, next } = this.#placed(frames)
    this.#appending.append(encoded, this.#next, next)
    this.#next = next
  }

  /** The same, while the thread does other things. The writer gets no other request before it has returned. */
  async putting(frames: ReadonlyArray<Frame>): Promise<void> {
    const { encoded, next } = this.#placed(frames)
    await this.#appending.appending(encoded, this.#next, next)
    this.#next = next
  }

  #placed(frames: ReadonlyArray<Frame>): Placed {
    return this.#knowing((known) => placed(frames, { next: this.#next, known, key: this.#folders.key }))
  }

  /** Reads all of the segment with this number and of its copy, and repairs damage. */
  check(number: number): Found {
    const { beside, main } = this.#folders
    const firsts = [...new Set([...listed(main), ...listed(beside)])].toSorted((a, b) => a - b)
    const first = firsts.findLast((each) => each <= number) ?? 1
    const limit = firsts.find((each) => each > number)
    if (limit === undefined) this.#appending.end(this.#next)
    const { isRepaired, missing } = check(this.#folders, first, limit ?? this.#next)
    return { lost: this.#lose(missing), repaired: isRepaired ? [first] : [], completed: 0 }
  }

  /** Restores lost frames under their old numbers; skips those that aren't lost. */
  fill(frames: ReadonlyArray<Frame>): void {
    const { main } = this.#folders
    const firsts = listed(main)
    const segments = Map.groupBy(frames, ({ number }) => firsts.findLast((each) => each <= number) ?? 0)
    for (const [first, some] of segments) {
      if (first === 0) continue
      const old = [...framesIn(readFileSync(join(main, nameOf(first))))]
      const lost = old.flatMap((frame) => (frame.kind === "hole" && frame.why === "lost" ? [spanOf(frame)] : []))
      const found = some.filter((frame) => lost.some((span) => isIn(frame, span))).map((frame) => this.#once(frame))
      const all = [...old.filter((frame) => frame.kind !== "hole" || frame.why !== "lost"), ...found]
      const end = old.at(-1)
      if (found.length === 0 || end?.kind !== "end") continue
      new Part(this.#folders, { from: first, through: end.number - 1 }, this.#archives).write(
        all.toSorted((a, b) => a.number - b.number)
      )
      for (const frame of found) this.#known.include(keysOf(frame), frame.number)
    }
    // Their keys have numbers that the index has already passed, so it stores them in a file that ends with this
    // number.
    this.put([{ kind: "hole", number: this.#next, through: this.#next, why: "unused" }])
    this.#known.flush(1)
  }

  /** A lost body may have come again meanwhile. */
  #once(frame: Frame): Frame {
    if (frame.kind !== "first") return frame
    const [body] = keysOf(frame)
    const of = body && this.#knowing((known) => known.get(body))
    return of === undefined
      ? frame
      : { kind: "again", number: frame.number, of, labels: { ...frame.labels, headers: [] } }
  }

  /** Missing frames become holes, so that every number is accounted for. Returns those that no archive has either. */
  #lose(missing: ReadonlyArray<Span>): ReadonlyArray<Span> {
    const lost = lostIn(missing, this.#archives)
    this.#knowing((known) => known.forget(lost))
    for (const span of missing) {
      if (span.from === this.#next) this.#appending.end(span.from)
      new Part(this.#folders, span, this.#archives).write([])
      this.#next = Math.max(this.#next, span.through + 1)
    }
    return lost
  }

  /** Removes what the archive has, except for what stays. The keys stay known. */
  leave(leaving: Leaving): void {
    const { archive } = leaving
    const firsts = listed(this.#folders.main)
    const own = firsts.findLast((each) => each <= archive.from) ?? 1
    for (const first of firsts) if (own <= first && first <= archive.through) this.check(first)
    if (!this.#archives.some(({ from }) => from === archive.from)) this.#archives = [...this.#archives, archive]
    leave(this.#folders, leaving)
  }

  /** Does a part of the deferred work; returns false if there is none. */
  step(): boolean {
    return this.#knowing((known) => known.step())
  }

  close(): void {
    this.#appending.close()
    this.#known.close()
  }

  rest(): void {
    this.#known.rest()
  }

  /**
   * If a damaged file of keys is found, everything known is learnt from the frames, and `use` is run again from the
   * start.
   */
  #knowing<A>(use: (known: Index) => A): A {
    try {
      return use(this.#known)
    } catch (cause) {
      if (!(cause instanceof DamagedKeys)) throw cause
      rmSync(cause.path, { force: true })
      const learnt = Known.open(knownIn(this.#folders.main))
      try {
        this.#learn(learnt)
      } catch (failure) {
        // An index that doesn't know everything must not be used.
        learnt.close()
        throw failure
      }
      this.#known.close()
      this.#known = learnt
      return use(learnt)
    }
  }

  #learn(known: Index): void {
    learn(known, { folder: this.#folders.main, archive: this.#archive, next: this.#next })
  }
}
