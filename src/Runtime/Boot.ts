/**
 * The time since the machine started, which can't be set.
 *
 * Readings can be compared across processes of one boot. Where the system doesn't identify its boots (anything but
 * Linux), every process counts as a separate boot, so that a successor never trusts a reading that may mean something
 * else.
 */
import { randomUUID } from "node:crypto"
import { readFileSync, readlinkSync } from "node:fs"
import { Clock, Context, Effect } from "effect"

export interface Booted {
  readonly id: string
  /** How long the machine was suspended, which the monotonic clock leaves out. */
  readonly suspendedMs: () => number
}

export const Boot = Context.Reference<Booted>("siteledger/Boot", {
  defaultValue: () => ({ id, suspendedMs: makeSuspended() })
})

/** Milliseconds since the boot during which the machine ran: never more than has passed. */
export const runningMs = (clock: Clock.Clock): number => Number(clock.monotonicTimeNanosUnsafe()) / 1e6

/**
 * A clock whose present is the time since the boot, for pauses that must not become longer when the wall clock is set.
 */
export const steady = (clock: Clock.Clock): Clock.Clock => ({
  currentTimeMillisUnsafe: () => runningMs(clock),
  currentTimeMillis: Effect.sync(() => runningMs(clock)),
  currentTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  currentTimeNanos: clock.monotonicTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})

/** Whole milliseconds since the boot, including time when the machine was suspended. */
export const sinceBootMs = Effect.zipWith(Clock.Clock, Boot, (clock, { suspendedMs }) =>
  Math.floor(runningMs(clock) + suspendedMs())
)

const orUndefined = (read: () => string): string | undefined => {
  try {
    return read().trim()
  } catch {
    return undefined
  }
}

/** A container may have its own start of time. */
const named = orUndefined(
  () => `${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()} ${readlinkSync("/proc/self/ns/time")}`
)

const id = named ?? randomUUID()

/** The system reports it to a hundredth of a second; smaller changes are noise. */
const noiseMs = 500

const makeSuspended = () => {
  let last = 0
  return (): number => {
    const uptime = orUndefined(() => readFileSync("/proc/uptime", "utf8"))
    const nowMs = uptime === undefined ? last : Number.parseFloat(uptime) * 1000 - Number(process.hrtime.bigint()) / 1e6
    if (Math.abs(nowMs - last) > noiseMs) last = Math.round(nowMs / 1000) * 1000
    return last
  }
}
