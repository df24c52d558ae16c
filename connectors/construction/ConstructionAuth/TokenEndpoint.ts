/**
 * The service's token endpoint (interface document §4.3, §5) and the revocation endpoint beside it (RFC 7009, assumed).
 *
 * One request, no retries: the caller knows whether asking twice is safe.
 */
import { Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import type { ClientSettings } from "../../../config/Settings.ts"
import * as Json from "../../../src/Domain/Json.ts"
import { ConstructionTokenApi } from "../ConstructionApi.ts"
import { AuthEndpoint } from "../ConstructionEndpoints.ts"
import { type Asked, type Grant, type GrantRefused, readTokens, refused, scopeOf, type Tokens } from "./Grant.ts"

/** Transient. The service may or may not have acted on the request. */
export class TokenUnavailable extends Schema.TaggedError<TokenUnavailable>()("TokenUnavailable", {
  message: Schema.String
}) {}

export class TokenEndpoint extends Context.Service<
  TokenEndpoint,
  {
    readonly request: (grant: Grant) => Effect.Effect<Tokens, TokenUnavailable | GrantRefused>
    /** Best effort: true if the service confirms that the token is no longer valid. */
    readonly revoke: (refreshToken: string) => Effect.Effect<boolean>
  }
>()("siteledger/construction/TokenEndpoint") {
  static readonly layerNoDeps: Layer.Layer<TokenEndpoint, never, AuthEndpoint | HttpClient.HttpClient> = Layer.effect(
    TokenEndpoint,
    Effect.gen(function* () {
      const client = yield* AuthEndpoint
      const httpClient = (yield* HttpClient.HttpClient).pipe(
        HttpClient.mapRequest(HttpClientRequest.prependUrl(client.authUrl.href)),
        HttpClient.mapRequest(HttpClientRequest.acceptJson)
      )
      const api = yield* HttpApiClient.makeWith(ConstructionTokenApi, { httpClient })
      const identity = {
        client_id: client.clientId,
        ...Option.match(client.clientSecret, {
          onNone: () => ({}),
          onSome: (secret) => ({ client_secret: Redacted.value(secret) })
        })
      }
      const unavailable = (what: string) =>
        new TokenUnavailable({
          message: `The token endpoint below ${client.authUrl.href} (${client.names.authUrl}) can't be used for now: ${what}`
        })

      return TokenEndpoint.of({
        request: (grant) =>
          api.oauth
            .token({ payload: { ...grant, ...identity, ...scopeOf(grant, client) }, responseMode: "response-only" })
            .pipe(
              Effect.flatMap((response) => read(response, { grant, client }, unavailable)),
              Effect.timeout(requestTimeout),
              Effect.mapError((error) =>
                error._tag === "TokenUnavailable" || error._tag === "GrantRefused" ? error : unavailable(error.message)
              )
            ),
        revoke: (refreshToken) =>
          httpClient
            .execute(
              HttpClientRequest.post("/oauth/revoke").pipe(
                HttpClientRequest.bodyUrlParams({ ...identity, token: refreshToken, token_type_hint: "refresh_token" })
              )
            )
            .pipe(
              Effect.timeout(revocationTimeout),
              Effect.match({ onFailure: () => false, onSuccess: ({ status }) => status >= 200 && status < 300 })
            )
      })
    })
  )

  static readonly layer: Layer.Layer<TokenEndpoint, never, ClientSettings | HttpClient.HttpClient> =
    TokenEndpoint.layerNoDeps.pipe(Layer.provide(AuthEndpoint.layer))
}

const requestTimeout = Duration.seconds(30)
const revocationTimeout = Duration.seconds(10)

const passing: ReadonlySet<unknown> = new Set(["temporarily_unavailable", "server_error", "slow_down"])

const read = Effect.fnUntraced(function* (
  response: HttpClientResponse.HttpClientResponse,
  asked: Asked,
  unavailable: (what: string) => TokenUnavailable
) {
  const { status } = response
  const body = Json.parse(yield* response.text)
  if (status >= 200 && status < 300) return yield* Effect.mapError(Effect.fromResult(readTokens(body)), unavailable)
  const error = Json.isObject(body) ? body["error"] : undefined
  if (status === 429 || status >= 500 || passing.has(error)) return yield* unavailable(`it answered ${status}.`)
  return yield* refused(status, error, asked)
})
