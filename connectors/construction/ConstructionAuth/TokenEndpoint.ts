/**
 * The service's token endpoint (interface document §4.3, §5; beyond what it shows RFC 6749 §4, §5, §6) and the
 * revocation endpoint beside it (RFC 7009, assumed).
 *
 * One request, no retries: the caller knows whether asking twice is safe. Errors repeat the service's error code but not
 * its description, which may contain a token.
 */
import { Context, Duration, Effect, Layer, Option, Redacted, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import type { ClientSettings } from "../../../config/Settings.ts"
import * as Json from "../../../src/Domain/Json.ts"
import { ConstructionTokenApi, TokenAnswer } from "../ConstructionApi.ts"
import { AuthEndpoint } from "../ConstructionEndpoints.ts"
import { readText, requestTimeout, whyNoAnswer } from "../ConstructionText.ts"

export type Grant =
  | { readonly grant_type: "client_credentials" }
  | { readonly grant_type: "refresh_token"; readonly refresh_token: string }
  | {
      readonly grant_type: "authorization_code"
      readonly code: string
      readonly redirect_uri: string
      readonly code_verifier: string
    }

export interface Tokens {
  readonly access: string
  /** Undefined: none was given (after a refresh the old one stays valid, RFC 6749 §6). */
  readonly refresh: string | undefined
  /** Undefined: not known. */
  readonly lifeMs: number | undefined
  /** Undefined: those that were requested (RFC 6749 §5.1). */
  readonly scopes: ReadonlyArray<string> | undefined
}

/** Transient. The service may or may not have acted on the request. */
export class TokenUnavailable extends Schema.TaggedError<TokenUnavailable>()("TokenUnavailable", {
  message: Schema.String
}) {}

/** The service refused. */
export class GrantRefused extends Schema.TaggedError<GrantRefused>()("GrantRefused", {
  /** RFC 6749 §5.2; empty if the service named none. */
  code: Schema.String,
  /** What it means and what to check; continues "The service refused to give a token (…): ". */
  advice: Schema.String,
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
      const address = `The token endpoint below ${client.authUrl.href} (${client.names.authUrl})`
      const unavailable = (what: string) =>
        new TokenUnavailable({ message: `${address} can't be used for now: ${what}` })

      return TokenEndpoint.of({
        request: (grant) =>
          api.oauth
            .token({ payload: { ...grant, ...identity, ...scopeOf(grant, client) }, responseMode: "response-only" })
            .pipe(
              Effect.flatMap((response) => read(response, { grant, client, unavailable })),
              Effect.timeout(requestTimeout),
              Effect.mapError((error) =>
                error._tag === "TokenUnavailable" || error._tag === "GrantRefused"
                  ? error
                  : new TokenUnavailable({ message: `${address} ${whyNoAnswer(error) ?? error.message}.` })
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

/** Tokens and errors are a few kilobytes. */
const mostBytes = 2 ** 20
const revocationTimeout = Duration.seconds(10)
/** A longer life is a mistake, and could exceed what dates can hold. */
const longestLifeMs = Duration.toMillis(Duration.days(3650))

/** As the document shows it; the other two grants' scopes are fixed already. */
const scopeOf = (grant: Grant, { scopes }: AuthEndpoint["Service"]) =>
  grant.grant_type === "client_credentials" && scopes.length > 0 ? { scope: scopes.join(" ") } : {}

interface Asked {
  readonly grant: Grant
  readonly client: AuthEndpoint["Service"]
  readonly unavailable: (what: string) => TokenUnavailable
}

const passing: ReadonlySet<unknown> = new Set(["temporarily_unavailable", "server_error", "slow_down"])

const read = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse, asked: Asked) {
  const { status } = response
  const body = Json.parse(yield* readText(response, mostBytes))
  if (status >= 200 && status < 300) return yield* readTokens(body, asked)
  const error = Json.isObject(body) ? body["error"] : undefined
  if (status === 429 || status >= 500 || passing.has(error)) return yield* asked.unavailable(`it answered ${status}.`)
  return yield* refused(status, error, asked)
})

/** A token is sent in a header: RFC 6750 §2.1 allows no space and only ASCII. */
const isToken = (text: string): boolean => /^[!-~]+$/.test(text)

const Answer = Schema.Struct({
  access_token: TokenAnswer.fields.access_token,
  token_type: Schema.optional(Schema.Unknown),
  expires_in: Schema.optional(Schema.Unknown),
  refresh_token: Schema.optional(Schema.Unknown),
  scope: Schema.optional(Schema.Unknown)
})

/** Null, the empty text and any other type count as missing. */
const textOf = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

/** A refresh token may have been spent for this answer, so only an unusable access token makes it unusable. */
const readTokens = Effect.fnUntraced(function* (body: unknown, { unavailable }: Asked) {
  const answer = yield* Schema.decodeUnknownEffect(Answer)(body).pipe(
    Effect.mapError(() => unavailable("its answer holds no access_token."))
  )
  if (!isToken(answer.access_token)) return yield* unavailable("its access_token can't be sent in a header.")
  const type = textOf(answer.token_type)
  if (type !== undefined && type.toLowerCase() !== "bearer") {
    return yield* unavailable("its tokens aren't bearer tokens.")
  }
  const seconds = Number(Json.numberText(answer.expires_in) ?? textOf(answer.expires_in))
  const tokens: Tokens = {
    access: answer.access_token,
    refresh: textOf(answer.refresh_token),
    lifeMs: seconds > 0 ? Math.min(seconds * 1000, longestLifeMs) : undefined,
    scopes: textOf(answer.scope)
      ?.split(" ")
      .filter((scope) => scope !== "")
  }
  return tokens
})

const flows: Readonly<Record<Grant["grant_type"], string>> = {
  client_credentials: "client credentials",
  refresh_token: "refresh tokens",
  authorization_code: "logging in (authorization code with PKCE)"
}

/** What each error of RFC 6749 §5.2 means here, in words that say what to check. */
const adviceOn = ({
  client: { clientSecret, names },
  grant: { grant_type: type }
}: Asked): Readonly<Record<string, string>> => ({
  invalid_request: `it doesn't understand the request; check that ${names.authUrl} is the address above its /oauth/token`,
  invalid_client: Option.isNone(clientSecret)
    ? `it doesn't know the client, or wants its secret; check ${names.clientId}, or set ${names.clientSecret}`
    : `check ${names.clientId} and ${names.clientSecret}`,
  invalid_grant: {
    client_credentials: `check ${names.clientId} and ${names.clientSecret}`,
    refresh_token: "the refresh token has expired, was revoked, or was used before",
    authorization_code: "the code has expired, was used before, or belongs to another login; log in again"
  }[type],
  unauthorized_client: `the client may not use ${flows[type]}; check ${names.clientId}, or have it allowed in the service`,
  unsupported_grant_type: `it doesn't offer ${flows[type]} at ${names.authUrl}`,
  invalid_scope: `it doesn't know a scope, or the client may not have it; check ${names.scopes}`
})

const refused = (status: number, error: unknown, asked: Asked): GrantRefused => {
  // Only what looks like a code is repeated.
  const code = typeof error === "string" && /^[a-z_]{1,40}$/.test(error) ? error : ""
  const { names } = asked.client
  const bySituation =
    status >= 300 && status < 400
      ? `redirects aren't followed; check ${names.authUrl}`
      : status === 404
        ? `there is no token endpoint; check ${names.authUrl}`
        : `check ${names.clientId}, ${names.clientSecret} and ${names.scopes}`
  const advice = adviceOn(asked)[code] ?? bySituation
  const what = code === "" ? String(status) : `${status} ${code}`
  return new GrantRefused({ code, advice, message: `The service refused to give a token (${what}): ${advice}.` })
}
