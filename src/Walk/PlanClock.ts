/**
 * The clock by which the plan is counted: it is kept with the spending and never runs faster than true time, however the
 * clocks of machines are set. Pure.
 *
 * It follows a clock that all workers share, held back to what has passed by a worker's own monotonic clock. A worker that
 * can't know how much has passed since the last reservation (after a boot, on another machine) counts nothing: what was
 * spent then counts as spent just now. It may stand still or be slow, which only makes requests wait.
 */

/** As the last reservation left it. */
export interface PlanClock {
  readonly planMs: number
  /** How far the shared clock was ahead of it. */
  readonly behindMs: number
  /** Of the machine whose worker reserved. */
  readonly boot: string
  /** How far it was ahead of that machine's monotonic clock, at most. */
  readonly aheadMs: number
}

/** The shared clock said `sharedMs` between two times of the own monotonic clock. */
export interface Reading {
  readonly sharedMs: number
  readonly beforeMs: number
  readonly afterMs: number
  readonly boot: string
  /** `aheadMs` of this worker's last reservation. */
  readonly knownAheadMs: number | undefined
}

/** For a store whose spending was never kept with a clock: this is the present. */
export const startingAt = (planMs: number): PlanClock => ({ planMs, behindMs: 0, boot: "", aheadMs: 0 })

export const advanced = (last: PlanClock, reading: Reading): PlanClock => {
  const { afterMs, beforeMs, boot, knownAheadMs, sharedMs } = reading
  const aheadMs = last.boot === boot ? last.aheadMs : knownAheadMs
  const latestMs = aheadMs === undefined ? last.planMs : afterMs + aheadMs
  const planMs = Math.max(last.planMs, Math.min(sharedMs - last.behindMs, latestMs))
  return { planMs, behindMs: sharedMs - planMs, boot, aheadMs: planMs - beforeMs }
}
