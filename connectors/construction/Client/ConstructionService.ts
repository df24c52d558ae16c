/**
 * The service as an Effect service: projects, webhooks and the token, over the worker's own parts (token, pace and the
 * one owner of retries), derived from the same ConstructionApi.
 *
 * The token is renewed ahead of its expiry by one request for all waiting calls, and once more after a 401. Requests keep
 * to the plan in any 60 seconds of this process, and a 429 stops all of them for as long as it says. Transient failures
 * (5xx, time-outs, resets, malformed pages) are retried until `giveUpAfter`. Nothing is kept on disk, so requests of an
 * earlier process aren't counted. A redirect is a refusal unless the HttpClient follows it by itself: one over fetch needs
 * RequestInit's `redirect: "manual"`, or the secret is sent to the redirect's target.
 */
import { Context, Deferred, Duration, Effect, Layer, Schema, type Scope } from "effect"
import type { HttpClient } from "effect/http"
import * as Json from "../../../src/Domain/Json.ts"
import { Pace } from "../../../src/Walk/Pace.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { SourceError } from "../../../src/Walk/Source.ts"
import { Spending } from "../../../src/Walk/Spending.ts"
import { Subscription } from "../ConstructionApi.ts"
import { Token } from "../ConstructionAuth.ts"
import * as Credentials from "../ConstructionAuth/Credentials.ts"
import { TokenEndpoint } from "../ConstructionAuth/TokenEndpoint.ts"
import { ConstructionClient } from "../ConstructionClient.ts"
import { ApiEndpoint, AuthEndpoint } from "../ConstructionEndpoints.ts"
import type { EventName } from "../ConstructionEvents.ts"
import { endpointOf, type Options } from "./Options.ts"
import * as Projects from "./Projects.ts"
import { notAsPromised, ServiceError } from "./ServiceError.ts"

export interface Webhook {
  /** Absolute callback URL. */
  readonly url: string
  /** Event types (§6.3). The document's list is incomplete, so any name is allowed. */
  readonly events: ReadonlyArray<EventName | (string & {})>
}

const make = Effect.fnUntraced(function* (options: Options) {
  const endpoint = yield* Effect.fromResult(endpointOf(options))
  const parts = yield* Layer.build(partsOf(endpoint))
  const client = Context.get(parts, ConstructionClient)
  // Without its pace a call would wait forever.
  const closed = yield* Deferred.make<never, ServiceError>()
  yield* Effect.addFinalizer(() => Deferred.fail(closed, afterTheEnd))
  const limits = { patience: options.giveUpAfter ?? defaultPatience, reasons: Context.get(parts, Reasons), closed }
  const limited = limit(limits)
  return ConstructionService.of({
    projects: Projects.make(client, endpoint.pageSize, limited),
    webhooks: { create: (webhook) => limited(subscribe(client, webhook)) },
    token: limited(Context.get(parts, Token).get)
  })
})

export class ConstructionService extends Context.Service<
  ConstructionService,
  {
    readonly projects: Projects.Projects
    readonly webhooks: {
      /**
       * Subscribes (§4.2) and returns the secret that its deliveries are signed with. Store it: the document shows no way
       * to ask for it again. A request whose answer is lost is sent again, so a second subscription may exist; the
       * returned one is the one whose secret is known. An unreadable answer is NotAsPromised.
       */
      readonly create: (webhook: Webhook) => Effect.Effect<Subscription, ServiceError>
    }
    /** A currently valid bearer token (§5) for your own requests, which aren't paced. */
    readonly token: Effect.Effect<string, ServiceError>
  }
>()("siteledger/construction/Service") {
  /** Lives until the scope closes, which ends what is under way. Sends no request yet; fails only for unusable options. */
  static readonly make = (
    options: Options
  ): Effect.Effect<ConstructionService["Service"], ServiceError, HttpClient.HttpClient | Scope.Scope> => make(options)

  static readonly layer = (options: Options): Layer.Layer<ConstructionService, ServiceError, HttpClient.HttpClient> =>
    Layer.effect(ConstructionService, make(options))
}

const defaultPatience = Duration.minutes(5)
const longestPause = Duration.hours(1)

const partsOf = (endpoint: ApiEndpoint["Service"]) =>
  ConstructionClient.layerNoDeps.pipe(
    Layer.provideMerge(Credentials.layerNoDeps),
    Layer.provide([Pace.layerWith({ ...endpoint, longestPause }), TokenEndpoint.layerNoDeps]),
    Layer.provide([Layer.succeed(ApiEndpoint, endpoint), Layer.succeed(AuthEndpoint, endpoint)]),
    // Each client has its own plan.
    Layer.provide(Layer.fresh(Spending.layerAlone)),
    Layer.provideMerge(Reasons.layer)
  )

interface Limits {
  readonly patience: Duration.Input
  readonly reasons: Reasons["Service"]
  readonly closed: Deferred.Deferred<never, ServiceError>
}

const limit =
  ({ closed, patience, reasons }: Limits): Projects.Limited =>
  (call) => {
    const inWords = Effect.mapError(call, (error) =>
      error instanceof SourceError ? new ServiceError({ reason: "Refused", message: error.message }) : error
    )
    const untilGivenUp = Effect.timeoutOrElse(inWords, {
      duration: patience,
      orElse: () => Effect.flatMap(reasons.all, unavailable(patience))
    })
    return Effect.raceFirst(Deferred.await(closed), untilGivenUp)
  }

const afterTheEnd = new ServiceError({ reason: "Closed", message: "The client is closed." })

const unavailable = (patience: Duration.Input) => (sentences: ReadonlyArray<string>) => {
  const givenUp = `Given up after ${Duration.format(Duration.fromInputUnsafe(patience))}.`
  return Effect.fail(new ServiceError({ reason: "Unavailable", message: [givenUp, ...sentences].join(" ") }))
}

const subscribe = Effect.fnUntraced(function* (client: ConstructionClient["Service"], webhook: Webhook) {
  const { text } = yield* client.call(
    "event",
    (api) => api.webhooks.create({ payload: webhook, responseMode: "response-only" }),
    // Any answer is accepted: asking again would subscribe again.
    Effect.succeed
  )
  const body = Json.parse(text)
  const created = { ...webhook, ...(Json.isObject(body) ? body : {}) }
  return yield* Schema.decodeUnknownEffect(Subscription)(created).pipe(
    Effect.mapError(() => notAsPromised("POST /webhooks answered without a secret."))
  )
})
