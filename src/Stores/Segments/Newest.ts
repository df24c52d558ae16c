/**
 * The newest deliveries of the inbox whose bodies were new. Between them lie those that came again, as many as a sender repeats:
 * so frames are read from the end in ever larger pieces, other work runs in between, and what was read once isn't read again.
 */
import { setImmediate } from "node:timers/promises"
import { mostNewest } from "../Deliveries.ts"
import { type Frame, type Labels, numberAfter } from "./Frame.ts"
import type { Segments } from "./Segments.ts"

export class Newest {
  /** The newest one first. */
  #known: ReadonlyArray<Labels> = []
  /** The number of the last frame that was read. */
  #through = 0

  /** The newest one first; fewer than `mostNewest` if there are no more. */
  async of(segments: Pick<Segments, "after" | "last">): Promise<ReadonlyArray<Labels>> {
    const { last } = segments
    const through = this.#through
    const found: Array<Labels> = []
    let end = last
    for (let size = mostNewest; end > through && found.length < mostNewest; size = Math.min(size * 4, mostAtOnce)) {
      const start = Math.max(through, end - size)
      found.push(...labelsIn(segments, start, end))
      end = start
      if (size === mostAtOnce) await setImmediate()
    }
    this.#known = [...found, ...this.#known].slice(0, mostNewest)
    this.#through = last
    return this.#known
  }
}

const mostAtOnce = 3200

/** Of the frames after `start`, up to `end`: the newest one first. */
const labelsIn = (segments: Pick<Segments, "after">, start: number, end: number): ReadonlyArray<Labels> => {
  const found: Array<Labels> = []
  for (let after = start; after < end;) {
    const frames: ReadonlyArray<Frame> = segments.after(after, end - after)
    for (const frame of frames) if (frame.kind === "first" && frame.number <= end) found.push(frame.labels)
    const newest = frames.at(-1)
    if (newest === undefined) break
    after = numberAfter(newest) - 1
  }
  return found.toReversed()
}
