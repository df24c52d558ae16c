/**
 * Runs one turn of a pipeline, or repeats it forever. A defect (a broken invariant, never an expected failure) is logged
 * once and shown as a reason; after a pause the pipeline starts again from its checkpoint.
 */
import { Cause, Duration, Effect } from "effect"
import { Reasons } from "./Reasons.ts"

const pauseAfterCrash = Duration.seconds(5)

/** One turn, which has ended a while after a defect. */
export const guarded = <R>(name: string, turn: Effect.Effect<unknown, never, R>) =>
  Effect.flatMap(Reasons, (reasons) =>
    Effect.catchCause(Effect.andThen(turn, reasons.clear(name)), (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
      return Effect.logError(`${name} crashed and is restarted`, cause).pipe(
        Effect.andThen(
          reasons.set(name, `An unexpected error stopped ${name}; it is restarted. The log has the details.`)
        ),
        Effect.andThen(Effect.sleep(pauseAfterCrash))
      )
    })
  )

export const supervised = <R>(name: string, turn: Effect.Effect<unknown, never, R>) =>
  Effect.forever(guarded(name, turn))
