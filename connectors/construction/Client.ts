/**
 * The package's `siteledger/client`: the service for other programs, derived from the same ConstructionApi as the worker
 * and the sandbox. `connect` is for promises and `for await`; `ConstructionService` is the same for Effect.
 *
 * A client keeps nothing on disk and needn't be closed: an idle one doesn't keep its process alive. `close` ends what is
 * under way.
 */
import { Context, Effect, Exit, Fiber, Layer, Logger, Result, Scope, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { ConstructionService, type Webhook } from "./Client/ConstructionService.ts"
import { endpointOf, type Options } from "./Client/Options.ts"
import type { Project, ProjectPage } from "./Client/Projects.ts"
import type { ServiceError } from "./Client/ServiceError.ts"
import type { Subscription } from "./ConstructionApi.ts"

export { ConstructionService, type Webhook } from "./Client/ConstructionService.ts"
export type { Options } from "./Client/Options.ts"
export { Project, type ProjectPage } from "./Client/Projects.ts"
export { ServiceError } from "./Client/ServiceError.ts"
export { type DeliveryHeaders, verifyDelivery } from "./Client/Signature.ts"
export type { Pagination, ProjectId, Subscription } from "./ConstructionApi.ts"
export { type EventName, type EventType, eventTypes, ping } from "./ConstructionEvents.ts"

/** Promises reject with a ServiceError. The methods are documented at ConstructionService. */
export interface Client {
  readonly projects: () => AsyncIterable<Project>
  /** From 1. */
  readonly projectPage: (page: number) => Promise<ProjectPage>
  readonly createWebhook: (webhook: Webhook) => Promise<Subscription>
  readonly token: () => Promise<string>
  /** Ends what is under way; afterwards everything is refused as Closed. */
  readonly close: () => Promise<void>
}

/** Following a redirect would send the client's secret or a token to its target. */
const unredirected = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

/** Sends no request yet. Throws a ServiceError if the options aren't usable. */
export const connect = (options: Options): Client => {
  Result.getOrThrow(endpointOf(options))
  const layer = ConstructionService.layer(options).pipe(
    Layer.provide(unredirected),
    // A library doesn't write to the console; the errors carry what matters.
    Layer.provideMerge(Logger.layer([]))
  )
  const scope = Scope.makeUnsafe()
  const built = Effect.runFork(Layer.buildWithScope(layer, scope))
  const service = Effect.map(Fiber.join(built), Context.get(ConstructionService))
  const run = <A>(use: (service: ConstructionService["Service"]) => Effect.Effect<A, ServiceError>) =>
    Effect.runPromise(Effect.flatMap(service, use))
  return {
    projects: () => Stream.toAsyncIterable(Stream.unwrap(Effect.map(service, ({ projects }) => projects.all))),
    projectPage: (page) => run(({ projects }) => projects.page(page)),
    createWebhook: (webhook) => run(({ webhooks }) => webhooks.create(webhook)),
    token: () => run(({ token }) => token),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
