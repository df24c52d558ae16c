/**
 * Runs the worker until a signal: takes the lock, then runs all pipelines, and starts them again on request.
 *
 * If the service refuses the very first token, the process ends: nothing could be synced. If it refuses a later one, the
 * pipelines pause and Status says what to check. A login that has ended never ends the process: deliveries are accepted
 * until a person logs in again.
 */
import { Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import { Token } from "../connectors/construction/ConstructionAuth.ts"
import { worker } from "../pipelines/All.ts"
import { Lock } from "../src/Runtime/Lock.ts"
import { Restart } from "../src/Runtime/Restart.ts"
import type { Status } from "../src/Operate/Status.ts"
import type { Store } from "../src/Stores/Store.ts"

const all = worker.pipe(Layer.provideMerge(Restart.layer))

/** Fails when the very first token is refused; otherwise waits forever. */
const refusedAtStart = Effect.flatMap(Token, (token) => Effect.andThen(token.get, Effect.never))

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
    const forever = Effect.forever(untilRestart.pipe(Effect.provide(all, { local: true }), Effect.scoped))
    return yield* forever.pipe(Effect.provide(Lock.layerAt(dataDir)))
  })
}
