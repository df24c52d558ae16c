/**
 * Gaps: intervals in which the receiver was down and that no retry of the service has healed yet. Pure.
 *
 * A blind interval [a, b] is healed once the receiver was up over all of [a+o, b+o] for some retry offset o: every
 * delivery first tried in [a, b] was then retried while the receiver listened. An interval that a person has closed is
 * no gap. A gap is never wrongly reported as healed: a blind interval of which different offsets heal different parts
 * stays open.
 */

/** In milliseconds since 1970; both ends are included. */
export interface Interval {
  readonly fromMs: number
  readonly toMs: number
}

export interface Gap extends Interval {
  /** When it heals if the receiver stays up from now on; undefined if no retry is left. */
  readonly healsAtMs: number | undefined
  /** No retry is left: only a person can have its deliveries sent again. */
  readonly isLost: boolean
}

export interface History {
  /** When the receiver was up, ordered by `fromMs`. Nothing could be missed before the first interval. */
  readonly up: ReadonlyArray<Interval>
  readonly nowMs: number
  /** Intervals that a person has closed. */
  readonly closed: ReadonlyArray<Interval>
  /** When the service tries a delivery again, counted from its first attempt. */
  readonly offsetsMs: ReadonlyArray<number>
}

export interface Gaps {
  readonly open: ReadonlyArray<Gap>
  /** Up-intervals that end before this no longer affect any result, now or later. */
  readonly neededFromMs: number
}

export const find = ({ closed, nowMs, offsetsMs, up }: History): Gaps => {
  const recorded = united(up)
  const hoped = united([...recorded, { fromMs: nowMs, toMs: Number.POSITIVE_INFINITY }])
  const blanks = united(closed.filter(({ fromMs, toMs }) => fromMs < toMs))
  const open: Array<Gap> = []
  let neededFromMs = recorded.at(-1)?.toMs ?? Number.NEGATIVE_INFINITY
  for (const blind of blindIntervals(recorded, nowMs)) {
    const gaps = without(blind, blanks).flatMap((piece) => judged(piece, { recorded, hoped, offsetsMs }))
    // The first open gap begins where the interval before it ends; earlier intervals can't heal it.
    if (gaps.length > 0 && open.length === 0) neededFromMs = blind.fromMs
    open.push(...gaps)
  }
  return { open, neededFromMs }
}

interface Coverage {
  readonly recorded: ReadonlyArray<Interval>
  /** The up-intervals, as if the receiver stayed up from now on. */
  readonly hoped: ReadonlyArray<Interval>
  readonly offsetsMs: ReadonlyArray<number>
}

const judged = ({ fromMs, toMs }: Interval, { hoped, offsetsMs, recorded }: Coverage): ReadonlyArray<Gap> => {
  const retries = offsetsMs.map((offset) => ({ fromMs: fromMs + offset, toMs: toMs + offset }))
  if (retries.some((retry) => covers(recorded, retry))) return []
  const ends = retries.filter((retry) => covers(hoped, retry)).map((retry) => retry.toMs)
  return [{ fromMs, toMs, healsAtMs: ends.length === 0 ? undefined : Math.min(...ends), isLost: ends.length === 0 }]
}

const blindIntervals = (recorded: ReadonlyArray<Interval>, nowMs: number): ReadonlyArray<Interval> =>
  recorded
    .map(({ toMs }, index) => ({ fromMs: toMs, toMs: recorded[index + 1]?.fromMs ?? nowMs }))
    .filter(({ fromMs, toMs }) => fromMs < toMs)

/** Joins intervals that touch or overlap: a clock was set back, or one worker closely followed another. */
const united = (intervals: ReadonlyArray<Interval>): ReadonlyArray<Interval> => {
  const joined: Array<Interval> = []
  for (const next of intervals.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = joined.at(-1)
    if (last === undefined || next.fromMs > last.toMs) joined.push(next)
    else if (next.toMs > last.toMs) joined[joined.length - 1] = { fromMs: last.fromMs, toMs: next.toMs }
  }
  return joined
}

/** Whether one of these ordered, disjoint intervals covers this one. */
const covers = (intervals: ReadonlyArray<Interval>, { fromMs, toMs }: Interval): boolean => {
  const holder = intervals[after(intervals, fromMs) - 1]
  return holder !== undefined && holder.toMs >= toMs
}

/** How many of the intervals begin at or before a time. */
const after = (intervals: ReadonlyArray<Interval>, ms: number): number => {
  let low = 0
  for (let high = intervals.length; low < high;) {
    const middle = (low + high) >>> 1
    if ((intervals[middle]?.fromMs ?? 0) <= ms) low = middle + 1
    else high = middle
  }
  return low
}

/** The parts of an interval outside the blanks. */
const without = ({ fromMs, toMs }: Interval, blanks: ReadonlyArray<Interval>): ReadonlyArray<Interval> => {
  const pieces: Array<Interval> = []
  let from = fromMs
  for (let index = Math.max(0, after(blanks, fromMs) - 1); ; index++) {
    const blank = blanks[index]
    if (blank === undefined || blank.fromMs >= toMs) break
    if (blank.fromMs > from) pieces.push({ fromMs: from, toMs: blank.fromMs })
    from = Math.max(from, blank.toMs)
  }
  if (from < toMs) pieces.push({ fromMs: from, toMs })
  return pieces
}
