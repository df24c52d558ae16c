/**
 * The life of the access token (interface document §5): client credentials, refreshed ahead of its expiry by
 * min(60 s, a tenth of its life), one request at a time however many wait. `expires_in` may be missing; then
 * the token is used until the service refuses it.
 *
 * What may pass by itself is retried here with growing pauses and shown in Status; a refusal names the variable to
 * check. The token lives in memory only.
 */
import { Clock, Context, Duration, Effect, Layer, Redacted, Schedule, Schema, Semaphore } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { ServiceSettings } from "../../config/Settings.ts"
import * as Json from "../../src/Json.ts"
import { Pace } from "../../src/Pace.ts"
import { Reasons } from "../../src/Reasons.ts"
import { SourceError } from "../../src/Source.ts"
import { ConstructionTokenApi, TokenAnswer } from "./ConstructionApi.ts"

export class Token extends Context.Service<
  Token,
  {
    /** A token that is good for now. */
    readonly get: Effect.Effect<string, SourceError>
    /** The service refused this token: forget it, unless a newer one is there already. */
    readonly drop: (token: string) => Effect.Effect<void>
  }
>()("siteledger/construction/Token") {
  static readonly layer: Layer.Layer<Token, never, ServiceSettings | Pace | Reasons | HttpClient.HttpClient> =
    Layer.effect(
      Token,
      Effect.suspend(() => make)
    )
}

/** May pass by itself. */
class TokenUnavailable extends Schema.TaggedError<TokenUnavailable>()("TokenUnavailable", {
  message: Schema.String
}) {}

interface Held {
  readonly token: string
  readonly renewAtMs: number
}

const earliestRenewal = Duration.seconds(60)
const requestTimeout = Duration.seconds(30)
const pauses = Schedule.min([Schedule.exponential("500 millis"), Schedule.spaced("60 seconds")]).pipe(Schedule.jittered)
const reasonKey = "token"

const make = Effect.gen(function* () {
  const reasons = yield* Reasons
  const obtain = yield* obtainer
  const oneAtATime = yield* Semaphore.make(1)
  let held: Held | undefined

  const current = Effect.map(Clock.currentTimeMillis, (now) =>
    held !== undefined && now < held.renewAtMs ? held.token : undefined
  )
  const renew = Effect.gen(function* () {
    const already = yield* current
    if (already !== undefined) return already
    const answer = yield* obtain.pipe(
      Effect.tapError((error) => reasons.set(reasonKey, error.message)),
      Effect.retry({ schedule: pauses, while: (error) => error._tag === "TokenUnavailable" }),
      Effect.catchTag("TokenUnavailable", Effect.die)
    )
    yield* reasons.clear(reasonKey)
    held = { token: answer.access_token, renewAtMs: renewAt(yield* Clock.currentTimeMillis, answer) }
    return held.token
  })
  return Token.of({
    get: Effect.flatMap(current, (token) =>
      token === undefined ? oneAtATime.withPermit(renew) : Effect.succeed(token)
    ),
    drop: (token) =>
      Effect.sync(() => {
        if (held?.token === token) held = undefined
      })
  })
})

const renewAt = (nowMs: number, answer: TokenAnswer): number => {
  const lifeMs = Number(answer.expires_in) * 1000
  if (!(lifeMs > 0)) return Number.POSITIVE_INFINITY
  return nowMs + lifeMs - Math.min(Duration.toMillis(earliestRenewal), lifeMs / 10)
}

const obtainer = Effect.gen(function* () {
  const settings = yield* ServiceSettings
  const pace = yield* Pace
  const httpClient = (yield* HttpClient.HttpClient).pipe(
    HttpClient.mapRequest(HttpClientRequest.prependUrl(settings.authUrl.href)),
    HttpClient.mapRequest(HttpClientRequest.acceptJson)
  )
  const api = yield* HttpApiClient.makeWith(ConstructionTokenApi, { httpClient })
  const payload = {
    grant_type: "client_credentials",
    client_id: settings.clientId,
    client_secret: Redacted.value(settings.clientSecret),
    ...(settings.scopes.length === 0 ? {} : { scope: settings.scopes.join(" ") })
  }
  const unavailable = (what: unknown) =>
    new TokenUnavailable({
      message: `The token endpoint below ${settings.authUrl.href} (SITELEDGER_AUTH_URL) can't be used for now: ${String(what)}`
    })
  const exchange = api.oauth.token({ payload, responseMode: "response-only" }).pipe(
    Effect.flatMap((response) => read(response, unavailable)),
    Effect.timeout(requestTimeout)
  )
  return Effect.andThen(pace.take("event"), exchange).pipe(
    Effect.mapError((error) =>
      error._tag === "SourceError" || error._tag === "TokenUnavailable" ? error : unavailable(error.message)
    )
  )
})

const read = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  unavailable: (what: unknown) => TokenUnavailable
) {
  const body = Json.parse(yield* response.text)
  if (response.status >= 200 && response.status < 300) {
    return yield* Schema.decodeUnknownEffect(TokenAnswer)(body).pipe(
      Effect.mapError(() => unavailable("its answer holds no access_token"))
    )
  }
  if (response.status === 429 || response.status >= 500) return yield* unavailable(`it answered ${response.status}`)
  return yield* refusal(response.status, Json.isObject(body) ? body["error"] : undefined)
})

/** RFC 6749 §5.2, in words that say which variable to check. */
const refusal = (status: number, error: unknown): SourceError => {
  const advice: Readonly<Record<string, string>> = {
    invalid_client: "check SITELEDGER_CLIENT_ID and SITELEDGER_CLIENT_SECRET",
    unauthorized_client: "the client may not use client credentials: check SITELEDGER_CLIENT_ID",
    invalid_scope: "check SITELEDGER_SCOPES",
    unsupported_grant_type: "the service doesn't offer client credentials at SITELEDGER_AUTH_URL"
  }
  const named = typeof error === "string" ? advice[error] : undefined
  const byStatus =
    status === 404
      ? "there is no token endpoint: check SITELEDGER_AUTH_URL"
      : "check SITELEDGER_CLIENT_ID, SITELEDGER_CLIENT_SECRET and SITELEDGER_SCOPES"
  const what = typeof error === "string" ? `${status} ${error}` : String(status)
  return new SourceError({
    reason: "Refused",
    message: `The service refused to give a token (${what}): ${named ?? byStatus}.`
  })
}
