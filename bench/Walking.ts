/**
 * Walks in this process, as a worker does them: the service over HTTP, its plan, columns that are learned, and the
 * stores on disk; without the receiver, the ledger and exports.
 */
import { Effect, Layer, Logger, ManagedRuntime } from "effect"
import * as Construction from "../connectors/construction/Construction.ts"
import { lists } from "../pipelines/lists.ts"
import { service } from "../pipelines/service.ts"
import { stores } from "../pipelines/stores.ts"
import { Subscription } from "../src/Intake/Subscription.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"
import { Skew } from "../src/Operate/Skew.ts"
import { Learning } from "../src/Walk/Learning.ts"
import { Walk } from "../src/Walk/Walk.ts"
import { configured, settings } from "./BenchSettings.ts"

const subscribed = Layer.succeed(
  Subscription,
  Subscription.of({
    attempted: Effect.void,
    status: Effect.succeed({ url: "", verifiedAt: null, obsolete: [], toDelete: [] })
  })
)

/** The layers below it decide which lists are on. */
export const walkingWith = (walk: typeof Walk.layer) =>
  walk.pipe(
    Layer.provide(Learning.walking),
    Layer.provideMerge(Learning.layer),
    Layer.provideMerge(Construction.layer),
    Layer.provideMerge(subscribed),
    Layer.provideMerge(service),
    Layer.provideMerge(Skew.layer),
    Layer.provideMerge(stores)
  )

/** What `/status` says about a list. */
type Backfill = Effect.Success<(typeof Walk)["Service"]["status"]>

export class Walking {
  readonly #runtime

  /** `environment`: as a worker has it; its review file says which lists are on. */
  constructor(environment: Readonly<Record<string, string>>) {
    const below = Layer.merge(lists.pipe(Layer.provide(configured(environment))), settings(environment))
    this.#runtime = ManagedRuntime.make(
      walkingWith(Walk.layer).pipe(Layer.provideMerge(below), Layer.provide(Logger.layer([])))
    )
  }

  backfill(): Promise<Backfill> {
    return this.#runtime.runPromise(Effect.flatMap(Walk, ({ status }) => status))
  }

  /** Sentences for a person. */
  reasons(): Promise<string> {
    return this.#runtime.runPromise(
      Effect.map(
        Effect.flatMap(Reasons, ({ wrong }) => wrong),
        (all) => all.join(" ")
      )
    )
  }

  /** In the middle of a pass, if one is running. */
  end(): Promise<void> {
    return this.#runtime.dispose()
  }
}
