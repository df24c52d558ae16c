/**
 * The token endpoint's decisions (RFC 6749 §4.4, §5): client credentials from the form, errors by the RFC's
 * names. A token is good for `tokenSeconds` of real time and only in the run that issued it. Nothing about
 * scopes is checked: they are echoed, since which operation needs which scope is not shown.
 */
import { Schema } from "effect"
import { TokenRequest } from "../connectors/construction/ConstructionApi.ts"
import * as Seed from "./Seed.ts"

export interface TokensOptions {
  readonly seed: number
  readonly clientId: string
  readonly clientSecret: string
  readonly tokenSeconds: number
}

export interface TokenResponse {
  readonly status: 200 | 400 | 401
  readonly body: Readonly<Record<string, string | number>>
}

export interface Tokens {
  /** `form`: the parameters as they came; one that came twice is an array. */
  readonly issue: (form: unknown, nowMillis: number) => TokenResponse
  readonly check: (authorization: string | undefined, nowMillis: number) => "good" | "missing" | "bad"
}

const refuse = (status: 400 | 401, error: string, description: string): TokenResponse => ({
  status,
  body: { error, error_description: description }
})

const decodeForm = Schema.decodeUnknownOption(TokenRequest)

/** `runStartMillis` keeps the tokens of one run from being good in the next. */
export const make = (options: TokensOptions, runStartMillis: number): Tokens => {
  const expiresAt = new Map<string, number>()
  let issued = 0

  const issue = (form: unknown, nowMillis: number): TokenResponse => {
    const decoded = decodeForm(form)
    if (decoded._tag === "None") return refuse(400, "invalid_request", "grant_type is needed, and nothing twice")
    const { client_id, client_secret, grant_type, scope } = decoded.value
    if (grant_type !== "client_credentials") {
      return refuse(400, "unsupported_grant_type", "only client_credentials is supported")
    }
    if (client_id === undefined || client_secret === undefined) {
      return refuse(400, "invalid_request", "client_id and client_secret are needed")
    }
    if (client_id !== options.clientId || client_secret !== options.clientSecret) {
      return refuse(401, "invalid_client", "no such client, or another secret")
    }
    for (const [token, expiry] of expiresAt) {
      if (expiry > nowMillis) break
      expiresAt.delete(token)
    }
    const run = Seed.hash(options.seed, Math.floor(runStartMillis / 0x1_0000_0000), runStartMillis)
    const token = `sandbox-${Seed.hex(run, Seed.Purpose.token, issued++, 5)}`
    expiresAt.set(token, nowMillis + options.tokenSeconds * 1000)
    const body = { access_token: token, token_type: "Bearer", expires_in: options.tokenSeconds }
    return { status: 200, body: scope === undefined ? body : { ...body, scope } }
  }

  return {
    issue,
    check: (authorization, nowMillis) => {
      const token = /^Bearer +(\S+) *$/i.exec(authorization ?? "")?.[1]
      if (token === undefined) return "missing"
      return (expiresAt.get(token) ?? 0) > nowMillis ? "good" : "bad"
    }
  }
}
