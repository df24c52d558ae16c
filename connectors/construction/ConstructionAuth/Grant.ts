/**
 * Requests to the token endpoint (interface document §4.3, §5; beyond that, RFC 6749 §4, §5, §6, and RFC 8628 §3.4),
 * and the meaning of its answers. Pure.
 *
 * A refusal repeats the service's error code but not its description, which may contain a token.
 */
import { Duration, Option, Result, Schema } from "effect"
import * as Json from "../../../src/Domain/Json.ts"
import { deviceGrant, TokenAnswer } from "../ConstructionApi.ts"
import type { AuthEndpoint } from "../ConstructionEndpoints.ts"

export type Grant =
  | { readonly grant_type: "client_credentials" }
  | { readonly grant_type: "refresh_token"; readonly refresh_token: string }
  | {
      readonly grant_type: "authorization_code"
      readonly code: string
      readonly redirect_uri: string
      readonly code_verifier: string
    }
  | { readonly grant_type: typeof deviceGrant; readonly device_code: string }

export interface Tokens {
  readonly access: string
  /** Undefined if none was given (after a refresh the old one stays valid, RFC 6749 §6). */
  readonly refresh: string | undefined
  /** Undefined if not known. */
  readonly lifeMs: number | undefined
  /** Undefined if they are those that were requested (RFC 6749 §5.1). */
  readonly scopes: ReadonlyArray<string> | undefined
}

/** The service refused. */
export class GrantRefused extends Schema.TaggedError<GrantRefused>()("GrantRefused", {
  /** RFC 6749 §5.2; empty if the service named none. */
  code: Schema.String,
  /** What it means and what to check; continues "The service refused to give a token (…): ". */
  advice: Schema.String,
  message: Schema.String
}) {}

/** A longer life is a mistake, and could exceed what dates can hold. */
const longestLifeMs = Duration.toMillis(Duration.days(3650))

/** In the form that the document shows; the scopes of the other grants are already fixed. */
export const scopeOf = (grant: Grant, { scopes }: AuthEndpoint["Service"]) =>
  grant.grant_type === "client_credentials" && scopes.length > 0 ? { scope: scopes.join(" ") } : {}

export interface Asked {
  readonly type: Grant["grant_type"]
  readonly client: AuthEndpoint["Service"]
}

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

/**
 * A refresh token may have been spent for this answer, so only an unusable access token makes the answer unusable; the
 * failure says why.
 */
export const readTokens = (body: unknown): Result.Result<Tokens, string> => {
  const decoded = Schema.decodeUnknownResult(Answer)(body)
  if (Result.isFailure(decoded)) return Result.fail("its answer holds no access_token.")
  const answer = decoded.success
  if (!isToken(answer.access_token)) return Result.fail("its access_token can't be sent in a header.")
  const type = textOf(answer.token_type)
  if (type !== undefined && type.toLowerCase() !== "bearer") return Result.fail("its tokens aren't bearer tokens.")
  const seconds = Number(Json.numberText(answer.expires_in) ?? textOf(answer.expires_in))
  return Result.succeed({
    access: answer.access_token,
    refresh: textOf(answer.refresh_token),
    lifeMs: seconds > 0 ? Math.min(seconds * 1000, longestLifeMs) : undefined,
    scopes: textOf(answer.scope)
      ?.split(" ")
      .filter((scope) => scope !== "")
  })
}

const flows: Readonly<Record<Grant["grant_type"], string>> = {
  client_credentials: "client credentials",
  refresh_token: "refresh tokens",
  authorization_code: "logging in (authorization code with PKCE)",
  [deviceGrant]: "logging in by a device code"
}

/** What each error of RFC 6749 §5.2 means here, in words that say what to check. */
const adviceOn = ({ client: { clientSecret, names }, type }: Asked): Readonly<Record<string, string>> => ({
  invalid_request: `it doesn't understand the request; check that ${names.authUrl} is the address above its /oauth/token`,
  invalid_client: Option.isNone(clientSecret)
    ? `it doesn't know the client, or wants its secret; check ${names.clientId}, or set ${names.clientSecret}`
    : `check ${names.clientId} and ${names.clientSecret}`,
  invalid_grant: {
    client_credentials: `check ${names.clientId} and ${names.clientSecret}`,
    refresh_token: "the refresh token has expired, was revoked, or was used before",
    authorization_code: "the code has expired, was used before, or belongs to another login; log in again",
    [deviceGrant]: "the device code was used before; log in again"
  }[type],
  unauthorized_client: `the client may not use ${flows[type]}; check ${names.clientId}, or have it allowed in the service`,
  unsupported_grant_type: `it doesn't offer ${flows[type]} at ${names.authUrl}`,
  invalid_scope: `it doesn't know a scope, or the client may not have it; check ${names.scopes}`
})

/** `error`: the error code, as it came. */
export const refused = (status: number, error: unknown, asked: Asked): GrantRefused => {
  // Only something that looks like a code is repeated.
  const code = typeof error === "string" && /^[a-z_]{1,40}$/.test(error) ? error : ""
  const { names } = asked.client
  const bySituation =
    status >= 300 && status < 400
      ? `redirects aren't followed; check ${names.authUrl}`
      : status === 404
        ? `there is no token endpoint; check ${names.authUrl}`
        : `check ${names.clientId}, ${names.clientSecret} and ${status === 401 ? names.tokenAuth : names.scopes}`
  const advice = adviceOn(asked)[code] ?? bySituation
  const what = code === "" ? String(status) : `${status} ${code}`
  return new GrantRefused({ code, advice, message: `The service refused to give a token (${what}): ${advice}.` })
}
