/**
 * A request to stop the worker's pipelines cleanly and start them again in the same process, while the lock is held. This
 * is how a rebuild replaces the warehouse of a running worker.
 */
import { Context, Deferred, Effect, Layer } from "effect"

export class Restart extends Context.Service<
  Restart,
  {
    readonly request: Effect.Effect<void>
    readonly requested: Effect.Effect<void>
  }
>()("siteledger/Restart") {
  static readonly layer: Layer.Layer<Restart> = Layer.effect(
    Restart,
    Effect.map(Deferred.make<void>(), (deferred) =>
      Restart.of({
        request: Effect.asVoid(Deferred.succeed(deferred, undefined)),
        requested: Deferred.await(deferred)
      })
    )
  )
}
