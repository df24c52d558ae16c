/**
 * Writes the outcomes of attempts to disk. Outcomes that arrive together share a commit, which starts as soon as the
 * previous one has returned.
 *
 * A call returns when its outcome is on disk. If a commit fails, so do the calls that share it, and their callers try
 * again. An outcome that the engine can't hold fails alone.
 */
import { Clock, Deferred, Effect, Result, Semaphore } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import type { Store, StoreError } from "../../Stores/Store.ts"
import type { OutboxMessage } from "./Due.ts"
import * as Messages from "./Messages.ts"

export interface Outcome {
  readonly message: OutboxMessage
  /** Undefined if the sink accepted the entry. */
  readonly failure: Messages.Failure | undefined
}

interface Waiting extends Outcome {
  readonly noted: Deferred.Deferred<void, StoreError>
}

const commit = Effect.fnUntraced(function* (store: Store["Service"], outcomes: ReadonlyArray<Outcome>) {
  const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
  const taken = outcomes.flatMap(({ failure, message }) => (failure === undefined ? [message] : []))
  // A single statement needs no transaction around it, which would cost four more round trips to a server.
  if (taken.length === outcomes.length) return yield* store.run((db) => Messages.delivered(db, taken, at))
  yield* store.transaction(async (tx) => {
    if (taken.length > 0) await Messages.delivered(tx, taken, at)
    for (const { failure, message } of outcomes) {
      if (failure !== undefined) await Messages.postponed(tx, message, failure)
    }
  })
})

export const noting = Effect.fnUntraced(function* (store: Store["Service"]) {
  const turn = yield* Semaphore.make(1)
  const waiting = new Set<Waiting>()

  /** Completes their calls. If it is interrupted, they wait for the next commit. */
  const noteAll = (outcomes: ReadonlyArray<Waiting>): Effect.Effect<void> =>
    Effect.gen(function* () {
      const result = yield* Effect.result(commit(store, outcomes))
      if (Result.isFailure(result) && result.failure.reason === "Refused" && outcomes.length > 1) {
        return yield* Effect.forEach(outcomes, (each) => noteAll([each]), { discard: true })
      }
      for (const each of outcomes) {
        waiting.delete(each)
        Deferred.doneUnsafe(each.noted, Effect.fromResult(result))
      }
    })

  return (outcome: Outcome): Effect.Effect<void, StoreError> =>
    Effect.suspend(() => {
      const own: Waiting = { ...outcome, noted: Deferred.makeUnsafe() }
      waiting.add(own)
      // An earlier call may already have noted this one.
      const noted = turn.withPermit(Effect.suspend(() => (waiting.has(own) ? noteAll([...waiting]) : Effect.void)))
      return Effect.andThen(noted, Deferred.await(own.noted)).pipe(
        Effect.onInterrupt(() => Effect.sync(() => waiting.delete(own)))
      )
    })
})
