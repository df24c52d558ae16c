/**
 * Which up-intervals can be believed if the clock was set back while the worker was down and the machine was booted
 * again: nothing then tells how long it was down. Pure.
 */
import type { Interval } from "../../Domain/Gap.ts"

export interface Recorded extends Interval {
  /** Of the present boot of this machine. */
  readonly isOwn: boolean
}

export interface Judged {
  readonly up: ReadonlyArray<Interval>
  /** What can't be judged; undefined if everything can. */
  readonly unsure: Interval | undefined
}

export interface Limits {
  /** As far back as an interval counts as down: the service retries that long. */
  readonly longestMs: number
  /** Others may be up beside this worker: their intervals end by now. Otherwise they end where this boot's begin. */
  readonly nowMs: number | undefined
}

/** Intervals of other boots that end later than they can were recorded by a clock that was ahead. */
export const judged = (recorded: ReadonlyArray<Recorded>, { longestMs, nowMs }: Limits): Judged => {
  const first = recorded.find(({ isOwn }) => isOwn)
  const latestMs = nowMs ?? first?.fromMs
  const toMs = first?.fromMs ?? nowMs
  if (latestMs === undefined || toMs === undefined) return { up: recorded, unsure: undefined }
  if (!recorded.some((each) => !each.isOwn && each.toMs > latestMs)) return { up: recorded, unsure: undefined }
  const fromMs = toMs - longestMs
  const believed = recorded
    .map((each) => (each.isOwn ? each : { ...each, toMs: Math.min(each.toMs, fromMs) }))
    .filter((each) => each.fromMs <= each.toMs)
  // Nothing could be missed before the first interval, but this isn't the first.
  const anchor = { fromMs, toMs: fromMs }
  return {
    up: believed.some((each) => each.fromMs <= fromMs) ? believed : [anchor, ...believed],
    unsure: { fromMs, toMs }
  }
}
