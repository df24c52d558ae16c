/**
 * One authorization request (RFC 6749 §4.1, with PKCE S256, RFC 7636) and its redirect. The interface document only names
 * the flow (§5.2): `{auth_url}/oauth/authorize` is assumed.
 *
 * The state binds the redirect to this login: without it, nothing else in a redirect is read. Verifier and state are 256
 * random bits each, made for this request only.
 */
import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { Result } from "effect"
import type { ClientSettings } from "../../../config/Settings.ts"

export interface Authorization {
  /** Where the person consents. */
  readonly url: URL
  readonly redirectUri: string
  /** Sent only to the token endpoint. */
  readonly verifier: string
  /** The service's authorization server; `iss`, if sent, must equal it (RFC 9207). */
  readonly issuer: string
}

const randomText = (): string => randomBytes(32).toString("base64url")

export const makeState = randomText

export const begin = (client: ClientSettings["Service"], redirectUri: string, state: string): Authorization => {
  const issuer = client.authUrl.href.replace(/\/$/, "")
  const verifier = randomText()
  const url = new URL(`${issuer}/oauth/authorize`)
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: redirectUri,
    ...(client.scopes.length === 0 ? {} : { scope: client.scopes.join(" ") }),
    state,
    code_challenge: hash("sha256", verifier, "base64url"),
    code_challenge_method: "S256"
  }).toString()
  return { url, redirectUri, verifier, issuer }
}

/** RFC 6749 §4.1.2.1, in words for the person at the screen. */
const sentences: ReadonlyMap<string, string> = new Map([
  ["access_denied", "Access was denied: no consent was given."],
  ["invalid_request", "The service doesn't understand the request: check that SITELEDGER_AUTH_URL is right."],
  [
    "unauthorized_client",
    "The client may not log people in: check SITELEDGER_CLIENT_ID, or have it allowed in the service."
  ],
  ["unsupported_response_type", "The service doesn't offer logging in by an authorization code."],
  ["invalid_scope", "The service doesn't know a scope, or the client may not have it: check SITELEDGER_SCOPES."],
  ["server_error", "The service had an internal error: try again."],
  ["temporarily_unavailable", "The service can't log people in for now: try again later."]
])

const isSame = (actual: string, expected: string): boolean =>
  timingSafeEqual(hash("sha256", actual, "buffer"), hash("sha256", expected, "buffer"))

export const hasState = (query: URLSearchParams, state: string): boolean => isSame(query.get("state") ?? "", state)

/** The code from a redirect with this login's state, or a sentence, which repeats nothing of the redirect. */
export const readRedirect = ({ issuer }: Authorization, query: URLSearchParams): Result.Result<string, string> => {
  const repeated = ["state", "code", "error", "iss"].some((name) => query.getAll(name).length > 1)
  if (repeated) return Result.fail("The redirect has a parameter twice: it isn't for this login.")
  const iss = query.get("iss")
  if (iss !== null && iss.replace(/\/$/, "") !== issuer) {
    return Result.fail("By its iss, the redirect comes from a server other than SITELEDGER_AUTH_URL.")
  }
  const error = query.get("error")
  if (error !== null) return Result.fail(sentences.get(error) ?? "The service refused for an unknown reason.")
  const code = query.get("code")
  return code === null || code === "" ? Result.fail("The redirect has no code.") : Result.succeed(code)
}
