/**
 * A request to stop the worker's pipelines cleanly and start them again in the same process, while the lock is held. This
 * is how a rebuild replaces the warehouse of a running worker.
 */
import { Context, Deferred, Effect, Layer } from "effect"

export class Restart extends Context.Service<
  Restart,
  {
    /** `why`: in words, for the log. */
    readonly request: (why: string) => Effect.Effect<void>
    /** Why. */
    readonly requested: Effect.Effect<string>
  }
>()("siteledger/Restart") {
  static readonly layer: Layer.Layer<Restart> = Layer.effect(
    Restart,
    Effect.map(Deferred.make<string>(), (deferred) =>
      Restart.of({
        request: (why) => Effect.asVoid(Deferred.succeed(deferred, why)),
        requested: Deferred.await(deferred)
      })
    )
  )
}
