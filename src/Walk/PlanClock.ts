/**
 * The clock by which the plan is counted. It is stored with the spending and never runs faster than true time, however
 * the clocks of machines are set. Pure.
 *
 * It follows a clock that all workers share, but advances no more than a worker's own monotonic clock has. A worker
 * that can't know how much time has passed since the last reservation (after a boot, or on another machine) counts
 * none: what was spent then counts as spent just now. The clock may stand still or be slow, which only makes requests
 * wait.
 */

/** As left by the last reservation. */
export interface PlanClock {
  readonly planMs: number
  /** How far the shared clock was ahead of it. */
  readonly behindMs: number
  /** The boot of the machine whose worker made the reservation. */
  readonly boot: string
  /** How far it was ahead of that machine's monotonic clock, at most. */
  readonly aheadMs: number
}

/** The shared clock said `sharedMs` at some moment between two times of the own monotonic clock. */
export interface Reading {
  readonly sharedMs: number
  readonly beforeMs: number
  readonly afterMs: number
  readonly boot: string
  /** `aheadMs` of this worker's last reservation. */
  readonly knownAheadMs: number | undefined
}

/** For a store whose spending was never kept with a clock: this time is the present. */
export const startingAt = (planMs: number): PlanClock => ({ planMs, behindMs: 0, boot: "", aheadMs: 0 })

export const advanced = (last: PlanClock, reading: Reading): PlanClock => {
  const { afterMs, beforeMs, boot, knownAheadMs, sharedMs } = reading
  const aheadMs = last.boot === boot ? last.aheadMs : knownAheadMs
  const latestMs = aheadMs === undefined ? last.planMs : afterMs + aheadMs
  const planMs = Math.max(last.planMs, Math.min(sharedMs - last.behindMs, latestMs))
  return { planMs, behindMs: sharedMs - planMs, boot, aheadMs: planMs - beforeMs }
}
