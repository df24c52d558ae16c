/**
 * The clocks of one process: its wall clock may be set, its monotonic clock began when the machine booted.
 */
import { type Clock, Duration, Effect } from "effect"
import type { Machine } from "./Machine.ts"
import type { Epoch } from "./Timers.ts"

export const clockOf = (machine: Machine, epoch: Epoch): Clock.Clock => {
  const bootedMs = machine.bootedMs
  const currentTimeMillisUnsafe = () => machine.wallNowMs
  const currentTimeNanosUnsafe = () => BigInt(Math.round(machine.wallNowMs * 1000)) * 1000n
  const monotonicTimeNanosUnsafe = () => BigInt(Math.round((machine.nowMs - bootedMs) * 1000)) * 1000n
  return {
    currentTimeMillisUnsafe,
    currentTimeNanosUnsafe,
    monotonicTimeNanosUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    currentTimeNanos: Effect.sync(currentTimeNanosUnsafe),
    monotonicTimeNanos: Effect.sync(monotonicTimeNanosUnsafe),
    sleep: (duration) =>
      Effect.callback((resume) => {
        const ms = Duration.toMillis(duration)
        if (!Number.isFinite(ms)) return undefined
        const forget = machine.after(epoch, ms, () => resume(Effect.void))
        return Effect.sync(forget)
      })
  }
}
