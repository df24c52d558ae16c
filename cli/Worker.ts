/**
 * Runs the worker until a signal: the lock first, then all pipelines, again and again when a restart is asked for.
 *
 * A token that the service refuses before it ever gave one ends the process, as nothing could be synced; when that
 * happens later, the pipelines pause and Status says what to check. A login that has ended is waited for in either
 * case: deliveries must go on being taken until a person has logged in again.
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

/** Fails when the very first token is refused; otherwise waits for ever. */
const refusedAtStart = Effect.flatMap(Token, (token) => Effect.andThen(token.get, Effect.never))

/**
 * Runs the worker; `beside` runs with it (the demo's display) and sees its services. Returns never, but fails with
 * whatever kept the worker from starting.
 */
export const runWorker = <E, R>(beside: Effect.Effect<never, E, R | Status | Store>) => {
  const untilRestart = Effect.gen(function* () {
    const restart = yield* Restart
    yield* Effect.raceAllFirst([restart.requested, refusedAtStart, beside])
    yield* Effect.logInfo("Starting again")
  })
  return Effect.gen(function* () {
    const { dataDir, warnings } = yield* Settings
    for (const warning of warnings) yield* Effect.logWarning(warning)
    const forever = Effect.forever(untilRestart.pipe(Effect.provide(all, { local: true }), Effect.scoped))
    return yield* forever.pipe(Effect.provide(Lock.layer(dataDir)))
  })
}
