/**
 * The service as an Effect service: projects, webhooks, any other request, and the token, over the worker's own parts
 * (token, pace and retries), derived from the same ConstructionApi.
 *
 * The token is renewed before it expires, by one request for all waiting calls, and once more after a 401. Requests
 * keep to the plan in any 60 seconds of this process, and a 429 stops all of them for as long as it says. Transient
 * failures (5xx, timeouts, resets, malformed pages) are retried until `giveUpAfter`. Nothing is kept on disk, so
 * requests of an earlier process aren't counted. A redirect is a refusal unless the HttpClient follows it by itself. An
 * HttpClient over fetch needs RequestInit's `redirect: "manual"`; otherwise the secret would be sent to the redirect's
 * target.
 */
import { Context, Duration, Effect, Layer, Schema, type Scope, type Stream } from "effect"
import { HttpClient } from "effect/http"
import * as Json from "../../../src/Domain/Json.ts"
import { Pace } from "../../../src/Walk/Pace.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Spending } from "../../../src/Walk/Spending.ts"
import * as Api from "../ConstructionApi.ts"
import { Token } from "../ConstructionAuth.ts"
import * as Credentials from "../ConstructionAuth/Credentials.ts"
import { TokenEndpoint } from "../ConstructionAuth/TokenEndpoint.ts"
import { ConstructionClient } from "../ConstructionClient.ts"
import { ApiEndpoint, AuthEndpoint } from "../ConstructionEndpoints.ts"
import { endpointOf } from "./Endpoint.ts"
import { watchedCalls, watchedTokens } from "./LastAnswer.ts"
import * as Limits from "./Limits.ts"
import * as Projects from "./Projects.ts"
import type { RedactedOptions } from "./RedactedOptions.ts"
import type { Method, RequestOptions, StandardSchema } from "./Request.ts"
import * as Requests from "./Requests.ts"
import { ServiceError } from "./ServiceError.ts"
import type { Project, ProjectPage, Subscription, Webhook } from "./Shapes.ts"

const make = Effect.fnUntraced(function* (options: RedactedOptions) {
  const endpoint = yield* Effect.fromResult(endpointOf(options))
  const parts = yield* Layer.build(partsOf(endpoint))
  const client = Context.get(parts, ConstructionClient)
  const limited = yield* Limits.make(Context.get(parts, Reasons), options.giveUpAfter)
  return ConstructionService.of({
    projects: Projects.make(client, endpoint.pageSize, limited),
    webhooks: { create: (webhook) => limited(subscribe(client, webhook)) },
    token: limited(Context.get(parts, Token).get),
    // The schema has typed what it accepted.
    request: Requests.make(client, endpoint, limited) as ConstructionService["Service"]["request"]
  })
})

export class ConstructionService extends Context.Service<
  ConstructionService,
  {
    readonly projects: {
      /** Pages count from 1. A page has `pageSize` records, or the service's default if it refuses that size. */
      readonly page: (page: number) => Effect.Effect<ProjectPage, ServiceError>
      /** All projects, in the service's order; no page is requested before it is needed. */
      readonly all: Stream.Stream<Project, ServiceError>
    }
    readonly webhooks: {
      /**
       * Subscribes (§4.2) and returns the secret with which its deliveries are signed. If an answer is lost, the
       * request is sent again, so a second subscription may exist; the returned one is the one whose secret is known.
       * An unreadable answer is NotAsPromised.
       */
      readonly create: (webhook: Webhook) => Effect.Effect<Subscription, ServiceError>
    }
    /** A currently valid bearer token (§5) for your own requests, which aren't paced. */
    readonly token: Effect.Effect<string, ServiceError>
    /** Like the client's `request`. `Schema.toStandardSchemaV1` turns a schema of Effect into one that it accepts. */
    readonly request: {
      <A>(
        method: Method,
        path: string,
        options: RequestOptions & { readonly schema: StandardSchema<A> }
      ): Effect.Effect<A, ServiceError>
      (method: Method, path: string, options?: RequestOptions): Effect.Effect<unknown, ServiceError>
    }
  }
>()("siteledger/construction/Service") {
  /**
   * Lives until the scope closes, which ends calls in progress. Sends no request yet; fails only for invalid options.
   */
  static readonly make = (
    options: RedactedOptions
  ): Effect.Effect<ConstructionService["Service"], ServiceError, HttpClient.HttpClient | Scope.Scope> => make(options)

  static readonly layer = (
    options: RedactedOptions
  ): Layer.Layer<ConstructionService, ServiceError, HttpClient.HttpClient> =>
    Layer.effect(ConstructionService, make(options))
}

const httpWith = (watch: (client: HttpClient.HttpClient) => HttpClient.HttpClient) =>
  Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, watch))

const longestPause = Duration.hours(1)

const partsOf = (endpoint: ApiEndpoint["Service"]) => {
  const tokens = TokenEndpoint.layerNoDeps.pipe(Layer.provide(httpWith(watchedTokens)))
  return ConstructionClient.layerNoDeps.pipe(
    Layer.provide(httpWith((client) => watchedCalls(client, endpoint))),
    Layer.provideMerge(Credentials.layerNoDeps),
    Layer.provide([Pace.layerWith({ ...endpoint, longestPause }), tokens]),
    Layer.provide([Layer.succeed(ApiEndpoint, endpoint), Layer.succeed(AuthEndpoint, { ...endpoint, longestPause })]),
    // Each client has its own plan.
    Layer.provide(Layer.fresh(Spending.layerAlone)),
    Layer.provideMerge(Reasons.layer)
  )
}

const subscribe = Effect.fnUntraced(function* (client: ConstructionClient["Service"], webhook: Webhook) {
  const { text } = yield* client.call(
    "event",
    (api) => api.webhooks.create({ payload: webhook, responseMode: "response-only" }),
    // Any answer is accepted, because asking again would subscribe again.
    Effect.succeed
  )
  const body = Json.parse(text)
  const created = { ...webhook, ...(Json.isObject(body) ? body : {}) }
  return yield* Schema.decodeUnknownEffect(Api.Subscription)(created).pipe(
    Effect.mapError(() => new ServiceError("NotAsPromised", "POST /webhooks answered without a secret."))
  )
})
