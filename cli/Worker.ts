/**
 * Runs the worker until a signal: takes the lock, then runs all pipelines, and starts them again on request.
 *
 * A worker that knows a subscription's secret accepts deliveries, whatever the token endpoint answers: what needs a token
 * waits, and Status says what to check. Without a secret there is nothing to accept, so a refused token ends the process.
 * A login that has ended never does: deliveries are accepted until a person logs in again.
 */
import { Effect, Layer, Schedule } from "effect"
import { Settings } from "../config/Settings.ts"
import { pauses, Token } from "../connectors/construction/ConstructionAuth.ts"
import { worker } from "../pipelines/All.ts"
import { Keyring } from "../src/Intake/Secrets/Keyring.ts"
import { Lock } from "../src/Runtime/Lock.ts"
import { Restart } from "../src/Runtime/Restart.ts"
import type { Status } from "../src/Operate/Status.ts"
import type { Store } from "../src/Stores/Store.ts"
import { isDamaged, isLocked } from "../src/Stores/Stores.ts"

const all = worker.pipe(Layer.provideMerge(Restart.layer))

/** Asks for the first token. Fails if it is refused and there is no secret to accept deliveries with; otherwise waits forever. */
const refusedAtStart = Effect.gen(function* () {
  const { valid } = yield* Keyring
  const token = yield* Token
  yield* Effect.retry(token.get, { schedule: pauses, while: () => valid().length > 0 })
  return yield* Effect.never
})

/**
 * A start that meets a lock tries again instead of ending the process; so does one that meets damage in a file, because the
 * next one makes that file again.
 */
const passing = <A, E, R>(start: Effect.Effect<A, E, R>) =>
  start.pipe(
    Effect.tapError((error) =>
      isLocked(error) || isDamaged(error) ? Effect.logWarning(`The start waits. ${error.message}`) : Effect.void
    ),
    Effect.retry({ schedule: Schedule.spaced("1 second"), while: isLocked }),
    Effect.retry({ times: 3, while: isDamaged })
  )

/**
 * Runs the worker together with `beside` (the demo's display), which sees the worker's services. Never returns; fails
 * if the worker can't start.
 */
export const runWorker = <E, R>(beside: Effect.Effect<never, E, R | Status | Store>) => {
  const untilRestart = Effect.gen(function* () {
    const restart = yield* Restart
    yield* Effect.raceAllFirst([restart.requested, refusedAtStart, beside])
    yield* Effect.logInfo("Restarting the pipelines")
  })
  return Effect.gen(function* () {
    const { dataDir, warnings } = yield* Settings
    for (const warning of warnings) yield* Effect.logWarning(warning)
    const once = passing(untilRestart.pipe(Effect.provide(all, { local: true }), Effect.scoped))
    const forever = Effect.forever(once)
    return yield* forever.pipe(Effect.provide(Lock.layerAt(dataDir)))
  })
}
