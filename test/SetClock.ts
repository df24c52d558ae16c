/**
 * A machine on the virtual clock whose wall clock can be set and which can be booted again. `TestClock` alone moves both
 * clocks together.
 */
import { Clock, Context, Effect } from "effect"
import { Boot } from "../src/Runtime/Boot.ts"

export const machine = Effect.gen(function* () {
  const inner = yield* Clock.Clock
  let setMs = 0
  let bootedNanos = 0n
  let boot = 1
  const currentTimeMillisUnsafe = () => inner.currentTimeMillisUnsafe() + setMs
  const monotonicTimeNanosUnsafe = () => inner.monotonicTimeNanosUnsafe() - bootedNanos
  const clock: Clock.Clock = {
    ...inner,
    sleep: (duration) => inner.sleep(duration),
    currentTimeNanosUnsafe: () => inner.currentTimeNanosUnsafe(),
    currentTimeMillisUnsafe,
    currentTimeMillis: Effect.sync(currentTimeMillisUnsafe),
    monotonicTimeNanosUnsafe,
    monotonicTimeNanos: Effect.sync(monotonicTimeNanosUnsafe)
  }
  return {
    /** True time: what `TestClock` says. */
    trueMs: () => inner.currentTimeMillisUnsafe(),
    /** Sets the wall clock this far from where it is. */
    jump: (ms: number) => void (setMs += ms),
    /** The monotonic clock starts again at 0. */
    reboot: () => {
      boot++
      bootedNanos = inner.monotonicTimeNanosUnsafe()
    },
    /** What runs on the machine, from its present boot on. */
    on: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() =>
        Effect.provideContext(
          effect,
          Context.make(Clock.Clock, clock).pipe(Context.add(Boot, { id: `boot ${boot}`, suspendedMs: () => 0 }))
        )
      )
  }
})

export type Machine = Effect.Success<typeof machine>
