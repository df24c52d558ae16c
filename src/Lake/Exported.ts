/**
 * A completed export: what it wrote, and its report to the log, the metrics and Status.
 */
import { Duration, Effect } from "effect"
import * as LogLine from "../Runtime/LogLine.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import * as Timings from "../Runtime/Timings.ts"
import type { AsOf } from "./Manifest.ts"

export interface Exported {
  readonly run: string
  readonly asOf: AsOf
  readonly rows: number
  readonly filesWritten: number
  readonly bytesWritten: number
  /** Referenced again because their rows haven't changed. */
  readonly filesKept: number
  /** Why Delta logs aren't continued; one sentence for each. */
  readonly leftAlone: ReadonlyArray<string>
}

const tell = Effect.fnUntraced(function* (done: Exported, lasted: Duration.Duration) {
  yield* Timings.observe("export", Duration.toSeconds(lasted))
  yield* LogLine.write("export.finished", {
    run: done.run,
    rows: done.rows,
    files_written: done.filesWritten,
    files_kept: done.filesKept,
    bytes: done.bytesWritten,
    sequence: done.asOf.sequence,
    seconds: LogLine.seconds(lasted)
  })
  const reasons = yield* Reasons
  if (done.leftAlone.length === 0) yield* reasons.clear("delta log")
  else yield* reasons.set("delta log", done.leftAlone.join(" "))
})

/** Reports the export when it is done. */
export const told = <E, R>(exporting: Effect.Effect<Exported, E, R>): Effect.Effect<Exported, E, R | Reasons> =>
  Effect.gen(function* () {
    const [lasted, done] = yield* Effect.timed(exporting)
    yield* tell(done, lasted)
    yield* Effect.annotateCurrentSpan({ run: done.run, rows: done.rows, bytes: done.bytesWritten })
    return done
  }).pipe(Effect.withSpan("export"))
