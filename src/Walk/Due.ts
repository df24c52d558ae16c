/**
 * When a list is read next, and how. It is read whole as often as configured; at once after the first disturbed passes,
 * and from the third in a row on with growing pauses. In between, only the changes are read, if the list can be asked
 * for them. An interrupted pass resumes at once, and a list that is now read differently is read whole. Pure.
 */
import { Duration } from "effect"
import * as Instant from "../Domain/Instant.ts"
import type { PassState } from "./Checkpoints.ts"
import { isChild, type List } from "./Source.ts"

/** From this many disturbed passes in a row, the next one isn't hurried. */
export const patientAfter = 3
/** Pauses double from this length. */
const firstPause = Duration.seconds(5)

export const doubled = (times: number): Duration.Duration => Duration.times(firstPause, 2 ** Math.min(times, 20))

interface Walked {
  readonly list: List
  readonly every: Duration.Duration
  readonly state: PassState | undefined
}

/**
 * The interval for reading the whole list. The first pass over a list without a total proves nothing alone, so the
 * second follows soon.
 */
export const wholeEvery = ({ every, list: { whole = every }, state }: Walked): Duration.Duration =>
  state?.pass === 1 && state.proof === "unproven" ? every : whole

export interface Next {
  readonly reads: "whole" | "changed"
  readonly inMs: number
}

export const next = (walked: Walked, nowMs: number): Next => {
  const whole: Next = { reads: "whole", inMs: untilWholeMs(walked, nowMs) }
  const { every, list, state } = walked
  if (list.whole === undefined || isChild(list) || state?.finished_at == null || whole.inMs === 0) return whole
  const lastMs = Math.max(millisOf(state.finished_at), state.changed_at === null ? 0 : millisOf(state.changed_at))
  const inMs = Math.max(0, lastMs + Duration.toMillis(every) - nowMs)
  return inMs < whole.inMs ? { reads: "changed", inMs } : whole
}

/** Milliseconds until it is read whole. */
export const untilWholeMs = (walked: Walked, nowMs: number): number => {
  const { list, state } = walked
  if (state === undefined || state.finished_at === null || state.definition !== (list.definition ?? null)) return 0
  const disturbed = state.disturbed_in_a_row
  const growing = doubled(Math.max(0, disturbed - patientAfter))
  const every = wholeEvery(walked)
  const pause = disturbed === 0 ? every : disturbed < patientAfter ? Duration.zero : Duration.min(growing, every)
  return Math.max(0, millisOf(state.finished_at) + Duration.toMillis(pause) - nowMs)
}

const millisOf = (at: Instant.Instant): number => Instant.toMicros(at) / 1000
