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

/** Should anything have changed that no stamp shows. */
const anywayMs = 60_000

/** At each beat: acts if the stamp isn't as before the last act that succeeded, or that was long ago. A failure waits for the next. */
export const whenChanged = <E, R, E2, R2>(
  every: Duration.Input,
  stamp: Effect.Effect<string, E, R>,
  act: Effect.Effect<unknown, E2, R2>
): Effect.Effect<void, never, R | R2> => {
  let seen: { readonly stamp: string; readonly atMs: number } | undefined
  const look = Effect.gen(function* () {
    const now = { stamp: yield* stamp, atMs: yield* Clock.currentTimeMillis }
    if (now.stamp === seen?.stamp && Math.abs(now.atMs - seen.atMs) < anywayMs) return
    yield* act
    seen = now
  })
  return Effect.andThen(next(every), Effect.ignore(look))
}
