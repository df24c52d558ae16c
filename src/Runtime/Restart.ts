/**
 * A request to stop the worker's pipelines in good order and to start them again in the same process, with the
 * lock held throughout: how a rebuild swaps the warehouse under a running worker.
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
