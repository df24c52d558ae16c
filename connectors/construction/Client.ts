/**
 * The package `siteledger-client`: the service for other programs, derived from the same ConstructionApi as the worker
 * and the sandbox. This module is for promises and `for await`; ClientForEffect is the same for Effect.
 *
 * A client keeps nothing on disk and needn't be closed: an idle one doesn't keep its process alive. `close` ends calls
 * in progress.
 */
import { Context, Effect, Exit, Fiber, Layer, Logger, Result, Scope, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { promised, iterable } from "./Client/Call.ts"
import { ConstructionService } from "./Client/ConstructionService.ts"
import { endpointOf } from "./Client/Endpoint.ts"
import type { CallOptions, Options } from "./Client/Options.ts"
import type { Method, RequestOptions, SendRequest } from "./Client/Request.ts"
import type { ServiceError } from "./Client/ServiceError.ts"
import type { Project, ProjectPage, Subscription, Webhook } from "./Client/Shapes.ts"
import type { TypedClient } from "./Client/Typed.ts"

export { type DeliveredEvent, deliveryHandler, type DeliveryHandlerOptions } from "./Client/DeliveryHandler.ts"
export type { CallOptions, Options, Period } from "./Client/Options.ts"
export type { Method, Parameter, RequestOptions, SchemaResult, SendRequest, StandardSchema } from "./Client/Request.ts"
export { type Answered, type Reason, ServiceError } from "./Client/ServiceError.ts"
export type { Pagination, Project, ProjectPage, Subscription, Webhook } from "./Client/Shapes.ts"
export { type DeliveryHeaders, type RawBody, type Secrets, verifyDelivery } from "./Client/Signature.ts"
export type { AnswerOf, Operation, OptionsOf, PathWith, TypedClient } from "./Client/Typed.ts"
export { type EventName, type EventType, eventTypes } from "./ConstructionEvents.ts"
export { ping } from "./ConstructionPing.ts"

/** Promises and loops reject with a ServiceError, or with the reason of an aborted signal. */
export interface Client {
  /** All projects, in the service's order; no page is requested before the loop gets there. */
  readonly projects: (options?: CallOptions) => AsyncIterable<Project>
  /** Pages count from 1. A page has `pageSize` records, or the service's default if it refuses that size. */
  readonly projectPage: (page: number, options?: CallOptions) => Promise<ProjectPage>
  /**
   * Subscribes (§4.2) and returns the secret with which its deliveries are signed. If an answer is lost, the request is
   * sent again, so a second subscription may exist; the returned one is the one whose secret is known. An unreadable
   * answer is NotAsPromised.
   */
  readonly createWebhook: (webhook: Webhook, options?: CallOptions) => Promise<Subscription>
  readonly request: SendRequest
  /**
   * The same as `request`, typed by the service's OpenAPI document: `Paths` is what `openapi-typescript` generates from
   * it.
   */
  readonly typed: <Paths>() => TypedClient<Paths>
  /** A currently valid bearer token (§5) for your own requests, which aren't paced. */
  readonly token: (options?: CallOptions) => Promise<string>
  /** Ends calls in progress; afterwards everything is refused as Closed. */
  readonly close: () => Promise<void>
}

/** Following a redirect would send the client's secret or a token to its target. */
const unredirected = FetchHttpClient.layer.pipe(
  Layer.provide(Layer.succeed(FetchHttpClient.RequestInit, { redirect: "manual" }))
)

/** Sends no request yet. Throws a ServiceError if the options are invalid. */
export const connect = (options: Options): Client => {
  Result.getOrThrow(endpointOf(options))
  const layer = ConstructionService.layer(options).pipe(
    Layer.provide(unredirected),
    // A library doesn't write to the console; the errors carry what matters.
    Layer.provideMerge(Logger.layer([]))
  )
  const scope = Scope.makeUnsafe()
  const built = Effect.runFork(Layer.buildWithScope(layer, scope))
  const context = Fiber.join(built)
  const using = <A>(use: (service: ConstructionService["Service"]) => Effect.Effect<A, ServiceError>) =>
    Effect.flatMap(context, (parts) => Effect.provideContext(use(Context.get(parts, ConstructionService)), parts))
  const all = Stream.unwrap(
    Effect.map(context, (parts) => Stream.provideContext(Context.get(parts, ConstructionService).projects.all, parts))
  )

  const projectPage: Client["projectPage"] = (page, { signal } = {}) =>
    promised(
      using(({ projects }) => projects.page(page)),
      signal,
      projectPage
    )
  const createWebhook: Client["createWebhook"] = (webhook, { signal } = {}) =>
    promised(
      using(({ webhooks }) => webhooks.create(webhook)),
      signal,
      createWebhook
    )
  const token: Client["token"] = ({ signal } = {}) =>
    promised(
      using((each) => each.token),
      signal,
      token
    )
  const request = ((method: Method, path: string, options: RequestOptions = {}) =>
    promised(
      using((each) => each.request(method, path, options)),
      options.signal,
      request
    )) as SendRequest
  return {
    projects: ({ signal } = {}) => iterable(all, signal),
    projectPage,
    createWebhook,
    request,
    typed: <Paths>() => ({ request }) as unknown as TypedClient<Paths>,
    token,
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
