/**
 * Ticks: what looks again and again whether something has changed does so at the same moments, because waking a process that
 * sleeps costs it up to a millisecond, however little it then does. Looks of one second wake it once a second, however many
 * they are, and those of two or five seconds join them.
 *
 * A pause until a tick is never longer than what it stands for, but for the few milliseconds by which a timer may be early.
 */
import { Clock, Duration, Effect } from "effect"
import { runningMs } from "./Boot.ts"

/** A timer that ended this long before a tick was meant for it. */
const earlyMs = 5

/** Sleeps until the next of the moments that are so far apart. An infinite pause never ends. */
export const untilTick = (every: Duration.Input): Effect.Effect<void> => {
  const everyMs = Duration.toMillis(every)
  if (!Number.isFinite(everyMs)) return Effect.never
  return Effect.flatMap(Clock.Clock, (clock) => {
    const leftMs = Math.ceil(everyMs - (runningMs(clock) % everyMs))
    return Effect.sleep(leftMs < earlyMs ? leftMs + everyMs : leftMs)
  })
}
