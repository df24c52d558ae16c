/**
 * One call to the service's API: base URL, token, pace and retries, combined here.
 *
 * Only this module retries requests to the API. 429 (all lanes wait), 5xx, timeouts, resets and malformed answers are
 * retried with growing pauses for as long as it takes, each call as a whole. Two things are retried only a few times,
 * because their failure says nothing about other requests: an answer that doesn't match a review file, and a request
 * for a single record. 401 is retried once with a new token, and counts as transient if the service has accepted that
 * token before. Everything else is returned for a Walk or a person to decide.
 */
import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse, UrlParams } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import type { ServiceSettings } from "../../config/Settings.ts"
import { type Lane, Pace } from "../../src/Walk/Pace.ts"
import { runningMs } from "../../src/Runtime/Boot.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { SourceError } from "../../src/Walk/Source.ts"
import {
  Again,
  type Failure,
  inspect,
  isFailure,
  serviceTime,
  TokenRefused,
  Unavailable
} from "./ConstructionAnswer.ts"
import { ConstructionApi } from "./ConstructionApi.ts"
import { pauses, Token } from "./ConstructionAuth.ts"
import { ApiEndpoint, boundOf } from "./ConstructionEndpoints.ts"
import { type Body, readBody, requestTimeout, whyNoAnswer } from "./ConstructionText.ts"

/** An answer whose body has been read. */
export interface Answer {
  readonly text: string
  /** The same, as bytes. */
  readonly body?: Body
  /** In lower case. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** By our clock, in ms. */
  readonly startedMs: number
  readonly endedMs: number
  /** The service's Date header, in ms. */
  readonly serviceMs: number | undefined
}

/**
 * When an exchange began and ended. Its duration is monotonic: if a clock were set meanwhile, a page would seem hours
 * older or newer than it is.
 */
export const timed = Effect.map(Clock.Clock, (clock) => {
  const [startedMs, beganMs] = [clock.currentTimeMillisUnsafe(), runningMs(clock)]
  return (): Pick<Answer, "startedMs" | "endedMs"> => ({
    startedMs,
    endedMs: startedMs + Math.round(runningMs(clock) - beganMs)
  })
})

/** Not as documented (HTML, truncated, another shape): the call is retried as a whole. */
export class NotAsPromised extends Schema.TaggedError<NotAsPromised>()("NotAsPromised", {
  message: Schema.String
}) {}

/** When a call gives up. */
export interface Patience {
  /** After this many answers that `read` refused. */
  readonly misread?: number
  /** After this many failures of any kind, which say nothing about other requests. */
  readonly failures?: number
}

type Endpoint = ApiEndpoint["Service"]
export type Api = HttpApiClient.ForApi<typeof ConstructionApi>
export type Send = (
  api: Api,
  http: HttpClient.HttpClient
) => Effect.Effect<HttpClientResponse.HttpClientResponse, unknown>

export class ConstructionClient extends Context.Service<
  ConstructionClient,
  {
    /** Sends until `read` accepts an answer, or patience ends (by default never). */
    readonly call: <A>(
      lane: Lane,
      send: Send,
      read: (answer: Answer) => Effect.Effect<A, NotAsPromised>,
      patience?: Patience
    ) => Effect.Effect<A, SourceError>
  }
>()("siteledger/construction/Client") {
  static readonly layerNoDeps: Layer.Layer<
    ConstructionClient,
    never,
    ApiEndpoint | Pace | Reasons | Token | HttpClient.HttpClient
  > = Layer.effect(
    ConstructionClient,
    Effect.gen(function* () {
      const endpoint = yield* ApiEndpoint
      const pace = yield* Pace
      const token = yield* Token
      const context = yield* Effect.context<Reasons | Token>()
      const http = (yield* HttpClient.HttpClient).pipe(
        HttpClient.mapRequest(renameParameters(endpoint)),
        HttpClient.mapRequest(HttpClientRequest.prependUrl(endpoint.baseUrl.href)),
        HttpClient.mapRequest(HttpClientRequest.acceptJson),
        HttpClient.mapRequestEffect((request) =>
          Effect.map(CurrentToken, (bearer) => HttpClientRequest.bearerToken(request, bearer))
        )
      )
      const api = yield* HttpApiClient.makeWith(ConstructionApi, { httpClient: http })

      const taken = new Set<string>()
      const exchange = Effect.fnUntraced(function* (send: Send, bearer: string) {
        const times = yield* timed
        const response = yield* send(api, http)
        yield* inspect(endpoint, pace, response, new TokenRefused({ token: bearer, wasGood: taken.has(bearer) }))
        taken.add(bearer)
        // Answers overtake each other, so remembering a single token isn't enough.
        for (const oldest of taken) if (taken.size > remembered) taken.delete(oldest)
        const body = yield* readBody(response, boundOf(endpoint, response.request.method))
        return {
          ...times(),
          body,
          headers: response.headers,
          serviceMs: serviceTime(response),
          // Usually a page is read without its text.
          get text() {
            return body.text
          }
        }
      })

      const attempt = Effect.fnUntraced(function* (lane: Lane, send: Send) {
        yield* token.get
        yield* pace.take(lane)
        // The wait for a turn may outlast a token, and a turn is lost while a new token is awaited.
        const [renewal, bearer] = yield* Effect.timed(token.get)
        if (Duration.isGreaterThan(renewal, turnLasts)) return yield* new Again()
        // Only the exchange has a timeout, because the wait for a turn may be long.
        return yield* exchange(send, bearer).pipe(
          Effect.provideService(CurrentToken, bearer),
          Effect.timeout(requestTimeout)
        )
      })

      const once = <A>(lane: Lane, send: Send, read: (answer: Answer) => Effect.Effect<A, NotAsPromised>) =>
        attempt(lane, send).pipe(
          Effect.flatMap(read),
          Effect.mapError((error) => asFailure(error, endpoint))
        )

      return ConstructionClient.of({
        call: (lane, send, read, patience) =>
          Effect.provideContext(untilAnswered(once(lane, send, read), endpoint, patience), context)
      })
    })
  )

  static readonly layer: Layer.Layer<
    ConstructionClient,
    never,
    ServiceSettings | Pace | Reasons | Token | HttpClient.HttpClient
  > = ConstructionClient.layerNoDeps.pipe(Layer.provide(ApiEndpoint.layer))
}

/** The token of the current request. */
const CurrentToken = Context.Reference<string>("siteledger/construction/CurrentToken", { defaultValue: () => "" })

const turnLasts = Duration.millis(200)
/** How many accepted tokens are remembered. */
const remembered = 8
/** A single failure isn't shown to a person. */
const noticedAfter = 2
const reasonKey = "service"

const worded = (error: unknown, { baseUrl, names }: Endpoint): string => {
  const address = `${baseUrl.href} (${names.baseUrl})`
  const why = whyNoAnswer(error)
  if (why === undefined) return `${address}: ${error instanceof Error ? error.message : String(error)}`
  return `${address} ${why}.`
}

const asFailure = (error: unknown, endpoint: Endpoint): Failure =>
  isFailure(error)
    ? error
    : new Unavailable({ message: worded(error, endpoint), isMisread: error instanceof NotAsPromised })

/** Retries until there is an answer, or until only a person can help. */
const untilAnswered = Effect.fnUntraced(function* <A>(
  once: Effect.Effect<A, Failure>,
  endpoint: Endpoint,
  { failures: mostFailures = Number.POSITIVE_INFINITY, misread: mostMisread = Number.POSITIVE_INFINITY }: Patience = {}
) {
  const token = yield* Token
  const reasons = yield* Reasons
  let refusedTokens = 0
  let failures = 0
  const judge = Effect.fnUntraced(function* (error: TokenRefused) {
    yield* token.drop(error.token)
    if (++refusedTokens === 1) return yield* new Again()
    return yield* error.wasGood ? new Unavailable({ message: endingTokens }) : neverTaken(endpoint)
  })
  let misread = 0
  const isAlone = Number.isFinite(mostFailures)
  const isOfList = ({ isMisread }: Unavailable) => isMisread === true && Number.isFinite(mostMisread)
  const notice = (error: Unavailable) =>
    isOfList(error) || ++failures < noticedAfter || isAlone
      ? Effect.void
      : reasons.set(reasonKey, `The service can't be read for now. ${error.message}`)
  const giveUp = (error: Unavailable): Effect.Effect<never, SourceError | Unavailable> => {
    const { message } = error
    if (failures >= mostFailures) return Effect.fail(new SourceError({ reason: "Unanswered", message }))
    return isOfList(error) && ++misread >= mostMisread
      ? Effect.fail(new SourceError({ reason: "OtherPage", message }))
      : Effect.fail(error)
  }
  return yield* once.pipe(
    Effect.catchTag("TokenRefused", judge),
    Effect.retry({ while: ({ _tag }) => _tag === "Again" }),
    Effect.tapErrorTag("Unavailable", notice),
    Effect.catchTag("Unavailable", giveUp),
    Effect.retry({ schedule: pauses, while: ({ _tag }) => _tag === "Unavailable" }),
    Effect.catchTags({ Again: Effect.die, Unavailable: Effect.die }),
    Effect.tap(() => reasons.clear(reasonKey))
  )
})

const endingTokens = "It keeps ending its tokens before they are used (401)."

const neverTaken = ({ names }: Endpoint) =>
  new SourceError({
    reason: "Refused",
    message: `The service refuses a token that it has just issued (401): check ${names.clientId} and ${names.scopes}.`
  })

/** The document doesn't show the names of the paging parameters (§4.1). */
const renameParameters =
  ({ pageParam, perPageParam }: Endpoint) =>
  (request: HttpClientRequest.HttpClientRequest) => {
    const names: Readonly<Record<string, string>> = { page: pageParam, per_page: perPageParam }
    const { body, hash, headers, method, url, urlParams } = request
    const renamed = urlParams.params.map(([name, value]) => [names[name] ?? name, value] as const)
    return HttpClientRequest.makeWith(method, url, UrlParams.fromInput(renamed), hash, headers, body)
  }
