/**
 * Nightly runs the Export at the times of its schedule, once per scheduled time.
 *
 * After the worker was down, one export at the next start makes up for all missed times (`Stores/Schedule`). The time
 * is noted after the export: if the process dies in the middle, it exports once more. A failed export is retried every
 * five minutes and shown as a reason. An overtaken export counts as done if the export that is shown has the due time
 * or a later one.
 */
import { Cause, type Cron, Duration, Effect, Exit, Layer } from "effect"
import * as Instant from "../Domain/Instant.ts"
import { Export } from "./Export.ts"
import { Overtaken } from "./LakePointer.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import * as Schedule from "../Stores/Schedule.ts"
import { Store } from "../Stores/Store.ts"
import * as LogLine from "../Runtime/LogLine.ts"

const name = "export"
const retryAfter = Duration.minutes(5)

export const layerWith = (cron: Cron.Cron): Layer.Layer<never, never, Export | Reasons | Store> =>
  Layer.effectDiscard(Effect.forkScoped(led("the nightly export", turn(cron))))

/** Waits for the next due time and serves it. */
const turn = (cron: Cron.Cron) =>
  Effect.gen(function* () {
    const exports = yield* Export
    const reasons = yield* Reasons
    const store = yield* Store
    const outcome = yield* Effect.exit(
      Effect.gen(function* () {
        const due = yield* Schedule.untilDue(name, cron)
        yield* Effect.catchIf(exports.run, isServedBy(due), ({ message: why }) =>
          LogLine.write("export.overtaken", { why })
        )
        yield* store.transaction((tx) => Schedule.serve(tx, name, due))
      })
    )
    if (Exit.isSuccess(outcome)) return yield* reasons.clear(name)
    if (Cause.hasInterruptsOnly(outcome.cause)) return yield* Effect.interrupt
    yield* reasons.set(name, `The nightly export failed and is tried again: ${messageOf(outcome.cause)}`)
    yield* Effect.sleep(retryAfter)
  })

/** The export was overtaken by one with the due time or a later one. */
const isServedBy =
  (due: number) =>
  (error: { readonly _tag: string }): error is Overtaken =>
    error instanceof Overtaken && error.at !== null && error.at >= Instant.fromMillis(due)

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}
