/**
 * Runs one turn of a pipeline, or repeats it forever. A defect (a broken invariant, never an expected failure) is
 * logged once and shown as a reason; after a pause the pipeline restarts from its checkpoint.
 */
import { Cause, Duration, Effect } from "effect"
import { Reasons } from "./Reasons.ts"
import * as LogLine from "./LogLine.ts"

const pauseAfterCrash = Duration.seconds(5)

/** One turn; after a defect it ends only after a pause. */
export const guarded = <R>(name: string, turn: Effect.Effect<unknown, never, R>) =>
  Effect.flatMap(Reasons, (reasons) =>
    Effect.catchCause(Effect.andThen(turn, reasons.clear(name)), (cause) => {
      if (Cause.hasInterruptsOnly(cause)) return Effect.failCause(cause)
      return LogLine.write("pipeline.crashed", { pipeline: name }, cause).pipe(
        Effect.andThen(reasons.crashed(name)),
        Effect.andThen(Effect.sleep(pauseAfterCrash))
      )
    })
  )

export const supervised = <R>(name: string, turn: Effect.Effect<unknown, never, R>) =>
  Effect.forever(guarded(name, turn))
