/**
 * The newest deliveries of the inbox whose bodies were new. Between them lie redeliveries, as many as a sender repeats.
 * So frames are read from the end in ever larger pieces, other work runs in between, and what was read once isn't read
 * again. Callers that ask during a read share its answer.
 */
import { setImmediate } from "node:timers/promises"
import { mostNewest } from "../Deliveries.ts"
import { type Frame, type Labels, numberAfter } from "./Frame.ts"
import type { Segments } from "./Segments.ts"

type Source = Pick<Segments, "after" | "last">

export class Newest {
  /** Newest first. */
  #known: ReadonlyArray<Labels> = []
  /** The number of the last frame that was read. */
  #through = 0
  #looking: Promise<ReadonlyArray<Labels>> | undefined

  /** Newest first; fewer than `mostNewest` if there are no more. */
  of(segments: Source): Promise<ReadonlyArray<Labels>> {
    this.#looking ??= this.#look(segments).finally(() => (this.#looking = undefined))
    return this.#looking
  }

  /** Called after lost deliveries were restored, since these have old numbers. */
  forget(): void {
    this.#known = []
    this.#through = 0
  }

  async #look(segments: Source): Promise<ReadonlyArray<Labels>> {
    const { last } = segments
    const [through, known] = [this.#through, this.#known]
    const found: Array<Labels> = []
    let end = last
    for (let size = mostNewest; end > through && found.length < mostNewest; size = Math.min(size * 4, mostAtOnce)) {
      const piece = pieceOf(segments, Math.max(through, end - size), end)
      found.push(...piece.labels)
      end = piece.start
      if (size === mostAtOnce) await setImmediate()
    }
    const newest = [...found, ...known].slice(0, mostNewest)
    // Unless it was cleared meanwhile.
    if (known === this.#known) [this.#known, this.#through] = [newest, last]
    return newest
  }
}

const mostAtOnce = 3200

interface Piece {
  /** Newest first. */
  readonly labels: ReadonlyArray<Labels>
  /**
   * The number of the frame before it. It must not lie within a hole, because an archive's hole covers many numbers.
   */
  readonly start: number
}

/** The frames after `start`, up to `end`. */
const pieceOf = (segments: Pick<Source, "after">, start: number, end: number): Piece => {
  const labels: Array<Labels> = []
  let first = start + 1
  for (let after = start; after < end;) {
    const frames: ReadonlyArray<Frame> = segments.after(after, end - after)
    if (after === start) first = Math.min(first, frames[0]?.number ?? first)
    for (const frame of frames) if (frame.kind === "first" && frame.number <= end) labels.push(frame.labels)
    const newest = frames.at(-1)
    if (newest === undefined) break
    after = numberAfter(newest) - 1
  }
  return { labels: labels.toReversed(), start: first - 1 }
}
