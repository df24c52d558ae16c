/**
 * Which up-intervals can be believed if the clock was set back while the worker was down and the machine was rebooted:
 * then nothing tells how long the worker was down. Pure.
 */
import type { Interval } from "../../Domain/Gap.ts"

export interface Recorded extends Interval {
  /** From the current boot of this machine. */
  readonly isOwn: boolean
}

export interface Judged {
  readonly up: ReadonlyArray<Interval>
  /** The interval that can't be judged; undefined if everything can. */
  readonly unsure: Interval | undefined
}

export interface Limits {
  /** How far back an interval counts as down: the service retries for that long. */
  readonly longestMs: number
  /**
   * Set if others may be up beside this worker: then their intervals end by now. Otherwise they end where this boot's
   * intervals begin.
   */
  readonly nowMs: number | undefined
}

/** Intervals of other boots that end later than possible were recorded by a clock that was ahead. */
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
