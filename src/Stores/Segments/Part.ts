/**
 * A range of numbers, written as one or more closed segments. Numbers without a frame become holes that name their
 * archive, or say that they are lost.
 */
import { type Frame, numberAfter } from "./Frame.ts"
import { holesIn, type InArchive } from "./Leave.ts"
import { type Folders, type Span, write } from "./Replace.ts"
import { fullBytes } from "./Segment.ts"

/** The numbers of a frame. */
export const spanOf = (frame: Frame): Span => ({ from: frame.number, through: numberAfter(frame) - 1 })

export const isIn = (frame: Frame, { from, through }: Span): boolean =>
  from <= frame.number && spanOf(frame).through <= through

export class Part {
  readonly #folders: Folders
  readonly #span: Span
  readonly #archives: ReadonlyArray<InArchive>
  #next: number
  #frames: Array<Frame> = []
  #bytes = 0

  constructor(folders: Folders, span: Span, archives: ReadonlyArray<InArchive>) {
    this.#folders = folders
    this.#archives = archives
    this.#span = span
    this.#next = span.from
  }

  /** `frames`: in the order of their numbers, all of them in the range. */
  write(frames: ReadonlyArray<Frame>): void {
    for (const frame of frames) {
      if (frame.kind === "end") continue
      this.#lose(frame.number)
      this.#push(frame)
    }
    this.#lose(this.#span.through + 1)
    this.#flush()
  }

  #lose(until: number): void {
    if (until <= this.#next) return
    for (const hole of holesIn({ from: this.#next, through: until - 1 }, this.#archives)) this.#push(hole)
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
