/**
 * Runs the worker until a signal: takes the lock, runs all pipelines, and restarts them on request.
 *
 * A worker that knows a subscription's secret accepts deliveries, regardless of what the token endpoint answers: work
 * that needs a token waits, and Status says what to check. Without a secret there is nothing to accept, so a refused
 * token ends the process. A login that has ended never does: deliveries are accepted until a person logs in again.
 */
import { Clock, Duration, Effect, Layer, Schedule } from "effect"
import { Settings } from "../config/Settings.ts"
import { pauses, Token } from "../connectors/construction/ConstructionAuth.ts"
import { worker } from "../pipelines/All.ts"
import { Keyring } from "../src/Intake/Secrets/Keyring.ts"
import { Lock } from "../src/Runtime/Lock.ts"
import * as LogLine from "../src/Runtime/LogLine.ts"
import { Restart } from "../src/Runtime/Restart.ts"
import type { Sessions } from "../src/Operate/Dashboard/Sessions.ts"
import type { Status } from "../src/Operate/Status.ts"
import type { Store } from "../src/Stores/Store.ts"
import { isDamaged, isLocked } from "../src/Stores/Stores.ts"
import * as Life from "./Worker/Life.ts"

const all = worker.pipe(Layer.provideMerge(Restart.layer))

/**
 * Requests the first token. Fails if it is refused and there is no secret with which to accept deliveries; otherwise
 * waits forever.
 */
const refusedAtStart = Effect.gen(function* () {
  const { valid } = yield* Keyring
  const token = yield* Token
  yield* Effect.retry(token.get, { schedule: pauses, while: () => valid().length > 0 })
  return yield* Effect.never
})

/**
 * A start that encounters a lock tries again instead of ending the process. So does one that encounters damage in a
 * file, because the next start rebuilds that file.
 */
const passing = <A, E, R>(start: Effect.Effect<A, E, R>) =>
  start.pipe(
    Effect.tapError((error) =>
      isLocked(error) || isDamaged(error) ? LogLine.write("worker.waits", { why: error.message }) : Effect.void
    ),
    Effect.retry({ schedule: Schedule.spaced("1 second"), while: isLocked }),
    Effect.retry({ times: 3, while: isDamaged })
  )

/**
 * Runs the worker together with `beside` (the demo's display), which sees the worker's services. Never returns; fails
 * if the worker can't start.
 */
export const runWorker = <E, R>(beside: Effect.Effect<never, E, R | Sessions | Status | Store>) => {
  const untilRestart = (begunMs: number) =>
    Effect.gen(function* () {
      const restart = yield* Restart
      yield* Life.started(Duration.millis((yield* Clock.currentTimeMillis) - begunMs))
      const why = yield* Effect.raceAllFirst([restart.requested, refusedAtStart, beside])
      yield* LogLine.write("worker.restarting", { why })
    })
  const once = Effect.flatMap(Clock.currentTimeMillis, (begunMs) =>
    untilRestart(begunMs).pipe(Effect.provide(all, { local: true }), Effect.scoped)
  )
  return Effect.gen(function* () {
    const { dataDir } = yield* Settings
    return yield* Effect.forever(passing(once)).pipe(Effect.provide(Lock.layerAt(dataDir)))
  }).pipe(Life.told)
}
