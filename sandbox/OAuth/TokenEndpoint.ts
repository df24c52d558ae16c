/**
 * What POST /oauth/token decides (interface document §4.3, §5; anything that it doesn't show follows RFC 6749 §4.1.3,
 * §4.4, §5 and §6, RFC 7636 §4.6, RFC 8628 §3.4): four grant types, with the RFC's error codes. Access tokens live
 * `tokenSeconds`, refresh tokens `refreshSeconds` of real time. The response always states the granted scopes. A
 * refused request changes nothing, except that it spends a code and ends the grant of a reused refresh token.
 */
import { Result, Schema } from "effect"
import { deviceGrant, TokenRequest, type TokenAnswer } from "../../connectors/construction/ConstructionApi.ts"
import type { Authenticate } from "./ClientAuthentication.ts"
import type { Client, GrantType } from "./Clients.ts"
import type { Codes } from "./Codes.ts"
import type { Devices } from "./Devices.ts"
import { type Access, begin, type Grants } from "./Grants.ts"
import { type Parameters, scopes } from "./Parameters.ts"
import { isVerifier } from "./Pkce.ts"
import { refuse, type Refusal } from "./Refusal.ts"

/** Requests for a token since the start, by outcome. */
export interface TokenCounts {
  /** Answered with a token, of any grant type. */
  readonly tokens: number
  readonly clientCredentials: number
  readonly codes: number
  readonly devices: number
  readonly refreshes: number
  readonly refused: number
}

export interface TokenEndpoint {
  /** `authorization`: the header. */
  readonly answer: (
    parameters: Parameters,
    authorization: string | undefined,
    nowMillis: number
  ) => Result.Result<TokenAnswer, Refusal>
  readonly counts: () => TokenCounts
}

export interface Parts {
  readonly authenticate: Authenticate
  readonly codes: Codes
  readonly devices: Devices
  readonly grants: Grants
  readonly tokenSeconds: number
}

type Handle = (client: Client, request: TokenRequest, nowMillis: number) => Result.Result<Access, Refusal>

const decodeRequest = Schema.decodeUnknownOption(TokenRequest)

const readRequest = ({ repeated, values }: Parameters): Result.Result<TokenRequest, Refusal> => {
  if (repeated.length > 0) return refuse("invalid_request", `sent more than once: ${repeated.join(", ")}`)
  return Result.fromOption(decodeRequest(values), () => ({
    error: "invalid_request",
    description: "grant_type is required, as application/x-www-form-urlencoded"
  }))
}

const clientCredentials: Handle = (client, request) =>
  Result.map(scopes(request.scope, client.scopes), (granted) => ({ grant: begin(client, granted), scopes: granted }))

const authorizationCode =
  (codes: Codes): Handle =>
  (client, { code, code_verifier: verifier, redirect_uri: redirectUri }, nowMillis) => {
    if (code === undefined || redirectUri === undefined || verifier === undefined) {
      return refuse("invalid_request", "code, redirect_uri and code_verifier are required")
    }
    if (!isVerifier(verifier)) return refuse("invalid_request", "code_verifier doesn't match RFC 7636 section 4.1")
    const redeemed = codes.redeem({ client, code, redirectUri, verifier }, nowMillis)
    return Result.map(redeemed, (grant) => ({ grant, scopes: grant.scopes }))
  }

const deviceCode =
  (devices: Devices): Handle =>
  (client, { device_code: code }, nowMillis) => {
    if (code === undefined) return refuse("invalid_request", "device_code is required")
    return Result.map(devices.redeem(client, code, nowMillis), (grant) => ({ grant, scopes: grant.scopes }))
  }

const refreshToken =
  (grants: Grants): Handle =>
  (client, { refresh_token: token, scope }, nowMillis) => {
    if (token === undefined) return refuse("invalid_request", "refresh_token is required")
    const refresh = grants.refresh(token, nowMillis)
    if (refresh === undefined || refresh.grant.client !== client) {
      return refuse("invalid_grant", "the refresh token is unknown, expired or revoked")
    }
    const { grant } = refresh
    if (refresh.used) {
      grant.ended = true
      return refuse("invalid_grant", "the refresh token was used before, so the grant has ended")
    }
    return Result.map(scopes(scope, grant.scopes), (granted) => {
      refresh.used = true
      return { grant, scopes: granted }
    })
  }

export const make = ({ authenticate, codes, devices, grants, tokenSeconds }: Parts): TokenEndpoint => {
  const counts = { clientCredentials: 0, codes: 0, devices: 0, refreshes: 0, refused: 0 }
  const handlers: Readonly<Record<GrantType, { readonly handle: Handle; readonly count: () => void }>> = {
    client_credentials: { handle: clientCredentials, count: () => counts.clientCredentials++ },
    authorization_code: { handle: authorizationCode(codes), count: () => counts.codes++ },
    [deviceGrant]: { handle: deviceCode(devices), count: () => counts.devices++ },
    refresh_token: { handle: refreshToken(grants), count: () => counts.refreshes++ }
  }
  const isGrantType = (text: string): text is GrantType => Object.hasOwn(handlers, text)

  const decide = (parameters: Parameters, authorization: string | undefined, nowMillis: number) =>
    Result.gen(function* () {
      const request = yield* readRequest(parameters)
      const client = yield* authenticate({ ...request, authorization })
      const type = request.grant_type
      if (!isGrantType(type)) return yield* refuse("unsupported_grant_type", `grant_type ${type} isn't supported`)
      if (!client.grantTypes.includes(type))
        return yield* refuse("unauthorized_client", `${client.id} may not use ${type}`)
      const access = yield* handlers[type].handle(client, request, nowMillis)
      handlers[type].count()
      const answer = {
        access_token: grants.issueAccess(access, nowMillis),
        token_type: "Bearer",
        expires_in: tokenSeconds,
        scope: access.scopes.join(" ")
      }
      // Client credentials get no refresh token: they can be presented again (RFC 6749 §4.4.3).
      if (type === "client_credentials") return answer
      return { ...answer, refresh_token: grants.issueRefresh(access.grant, nowMillis) }
    })
  return {
    answer: (parameters, authorization, nowMillis) =>
      Result.mapError(decide(parameters, authorization, nowMillis), (refusal) => {
        counts.refused++
        return refusal
      }),
    counts: () => ({ ...counts, tokens: counts.clientCredentials + counts.codes + counts.devices + counts.refreshes })
  }
}
