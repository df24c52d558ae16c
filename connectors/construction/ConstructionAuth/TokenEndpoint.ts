/**
 * The service's token endpoint (interface document §4.3, §5), together with those for revocation (RFC 7009, assumed)
 * and for a login on another device.
 *
 * One request, no retries: the caller knows whether asking twice is safe. During a pause that the endpoint asked for,
 * no request is sent, and the failure that asked for the pause is returned again.
 */
import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import type { ClientSettings } from "../../../config/Settings.ts"
import * as Json from "../../../src/Domain/Json.ts"
import { ConstructionTokenApi, deviceGrant } from "../ConstructionApi.ts"
import { AuthEndpoint, tokenBound } from "../ConstructionEndpoints.ts"
import { readText, requestTimeout, whyNoAnswer } from "../ConstructionText.ts"
import * as AskedPause from "./AskedPause.ts"
import * as ClientSecret from "./ClientSecret.ts"
import * as Device from "./Device.ts"
import { type Asked, type Grant, type GrantRefused, readTokens, refused, scopeOf, type Tokens } from "./Grant.ts"

/** Transient. The service may or may not have acted on the request. */
export class TokenUnavailable extends Schema.TaggedError<TokenUnavailable>()("TokenUnavailable", {
  message: Schema.String,
  /** The endpoint wants no request before this time. */
  waitMs: Schema.optionalKey(Schema.Number)
}) {}

export class TokenEndpoint extends Context.Service<
  TokenEndpoint,
  {
    readonly request: (grant: Grant) => Effect.Effect<Tokens, Failure>
    /** Begins a login on another device. */
    readonly beginDevice: Effect.Effect<Device.DeviceLogin, Failure>
    /** Best effort: true if the service confirms that the token is no longer valid. */
    readonly revoke: (refreshToken: string) => Effect.Effect<boolean>
  }
>()("siteledger/construction/TokenEndpoint") {
  static readonly layerNoDeps: Layer.Layer<TokenEndpoint, never, AuthEndpoint | HttpClient.HttpClient> = Layer.effect(
    TokenEndpoint,
    Effect.gen(function* () {
      const client = yield* AuthEndpoint
      const secret = ClientSecret.make(client)
      const anywhere = yield* HttpClient.HttpClient
      const httpClient = anywhere.pipe(
        HttpClient.mapRequest(HttpClientRequest.prependUrl(client.authUrl.href)),
        HttpClient.mapRequest(HttpClientRequest.acceptJson),
        HttpClient.mapRequest(secret.sign)
      )
      const api = yield* HttpApiClient.makeWith(ConstructionTokenApi, { httpClient })
      const pause = AskedPause.make<TokenUnavailable>()
      const address = `The token endpoint below ${client.authUrl.href} (${client.names.authUrl})`
      const unavailable = (what: string, waitMs?: number) =>
        new TokenUnavailable({
          message: `${address} can't be used for now: ${what}`,
          ...(waitMs === undefined ? {} : { waitMs })
        })
      const send = (grant: Grant) =>
        api.oauth
          .token({ payload: { ...grant, ...secret.form(), ...scopeOf(grant, client) }, responseMode: "response-only" })
          .pipe(
            Effect.flatMap((response) => read(response, { type: grant.grant_type, client, secret }, unavailable)),
            within(address),
            Effect.tapErrorTag("TokenUnavailable", (failure) =>
              Effect.map(Clock.currentTimeMillis, (nowMs) => pause.failed(failure, nowMs))
            )
          )

      return TokenEndpoint.of({
        request: (grant) =>
          Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
            const active = pause.active(nowMs)
            if (active === undefined) return send(grant)
            return Effect.fail(new TokenUnavailable({ message: active.failure.message, waitMs: active.leftMs }))
          }),
        beginDevice: Device.ask(anywhere, client, secret).pipe(
          Effect.flatMap((response) => readDevice(response, { type: deviceGrant, client, secret }, unavailable)),
          within(address)
        ),
        revoke: (refreshToken) =>
          Effect.suspend(() => {
            const form = { ...secret.form(), token: refreshToken, token_type_hint: "refresh_token" }
            return httpClient.execute(
              HttpClientRequest.post("/oauth/revoke").pipe(HttpClientRequest.bodyUrlParams(form))
            )
          }).pipe(
            Effect.flatMap((response) => readRevocation(response, { type: "refresh_token", client, secret })),
            Effect.retry({ while: isBasicWanted }),
            Effect.timeout(revocationTimeout),
            Effect.orElseSucceed(() => false)
          )
      })
    })
  )

  static readonly layer: Layer.Layer<TokenEndpoint, never, ClientSettings | HttpClient.HttpClient> =
    TokenEndpoint.layerNoDeps.pipe(Layer.provide(AuthEndpoint.layer))
}

const revocationTimeout = Duration.seconds(10)

type Failure = TokenUnavailable | GrantRefused | ClientSecret.BasicWanted
const isFailure = (error: { readonly _tag: string }): error is Failure =>
  ["TokenUnavailable", "GrantRefused", "BasicWanted"].includes(error._tag)

type Unavailable = (what: string, waitMs?: number) => TokenUnavailable

/** A reply that isn't a valid answer is transient. */
const within =
  (address: string) =>
  <A, E extends { readonly _tag: string; readonly message: string }>(exchange: Effect.Effect<A, E>) =>
    exchange.pipe(
      Effect.timeout(requestTimeout),
      Effect.mapError((error) =>
        isFailure(error)
          ? error
          : new TokenUnavailable({ message: `${address} ${whyNoAnswer(error) ?? error.message}.` })
      )
    )

const isBasicWanted = ({ _tag }: { readonly _tag: string }): boolean => _tag === "BasicWanted"

const unpaced = <A>(request: Effect.Effect<A, Failure>) =>
  request.pipe(Effect.retry({ while: isBasicWanted }), Effect.catchTag("BasicWanted", Effect.die))

/** For a verb: doesn't use the worker's pace. */
export const requestUnpaced = Effect.fnUntraced(function* (grant: Grant) {
  const endpoint = yield* TokenEndpoint
  return yield* unpaced(endpoint.request(grant))
})

/** The same for the beginning of a login on another device. */
export const beginDevice = Effect.flatMap(TokenEndpoint, (endpoint) => unpaced(endpoint.beginDevice))

const passing: ReadonlySet<unknown> = new Set(["temporarily_unavailable", "server_error"])

interface Exchange extends Asked {
  readonly secret: ClientSecret.ClientSecret
}

const read = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  exchange: Exchange,
  unavailable: Unavailable
) {
  const body = Json.parse(yield* readText(response, tokenBound(exchange.client)))
  if (response.status < 200 || response.status >= 300) return yield* refuse(response, body, exchange, unavailable)
  exchange.secret.hasWorked()
  return yield* Effect.mapError(Effect.fromResult(readTokens(body)), (what) => unavailable(what))
})

const readDevice = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  exchange: Exchange,
  unavailable: Unavailable
) {
  const body = Json.parse(yield* readText(response, tokenBound(exchange.client)))
  if (Device.isMissing(response)) return yield* Device.missing
  if (response.status < 200 || response.status >= 300) return yield* refuse(response, body, exchange, unavailable)
  exchange.secret.hasWorked()
  return Device.read(body) ?? (yield* unavailable("its answer is no device code (RFC 8628 §3.2)."))
})

/** What an answer other than 2xx means. */
const refuse = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  body: unknown,
  { secret, ...asked }: Exchange,
  unavailable: Unavailable
): Effect.fn.Return<never, Failure> {
  const { headers, status } = response
  const error = errorOf(body)
  // For a device's code, this error only says how often to ask.
  const isTransient = passing.has(error) || (error === "slow_down" && asked.type !== deviceGrant)
  if (status === 429 || status >= 500 || isTransient) {
    const nowMs = yield* Clock.currentTimeMillis
    const pause = AskedPause.read(headers["retry-after"], asked.client.longestPause, nowMs)
    return yield* unavailable(`it answered ${status}.${pause?.sentence ?? ""}`, pause?.waitMs)
  }
  return yield* secret.judge(response, refused(status, error, asked))
})

const errorOf = (body: unknown): unknown => (Json.isObject(body) ? body["error"] : undefined)

const readRevocation = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  { secret, ...asked }: Exchange
) {
  if (response.status >= 200 && response.status < 300) return true
  const refusal = refused(
    response.status,
    errorOf(Json.parse(yield* readText(response, tokenBound(asked.client)))),
    asked
  )
  return yield* secret.judge(response, refusal)
})
