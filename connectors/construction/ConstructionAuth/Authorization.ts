/**
 * One authorization request (RFC 6749 §4.1, with PKCE S256 after RFC 7636) and what its redirect says. The interface
 * document names the flow and shows no more (§5.2): `{auth_url}/oauth/authorize` is assumed.
 *
 * The state binds the redirect to this login: nothing else is read in what doesn't have it. Verifier and state are 256
 * random bits each, made for this request only.
 */
import { hash, randomBytes, timingSafeEqual } from "node:crypto"
import { Result } from "effect"
import type { ClientSettings } from "../../../config/Settings.ts"

export interface Authorization {
  /** Where the person consents. */
  readonly url: URL
  readonly redirectUri: string
  /** Goes to the token endpoint only. */
  readonly verifier: string
  /** Of the service's authorization server; `iss` must be this when it is there (RFC 9207). */
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

/** RFC 6749 §4.1.2.1, in words for the person who sits before it. */
const sentences: ReadonlyMap<string, string> = new Map([
  ["access_denied", "Access was denied: nobody consented."],
  ["invalid_request", "The service doesn't understand the request: check that SITELEDGER_AUTH_URL is right."],
  ["unauthorized_client", "The client may not log people in: check SITELEDGER_CLIENT_ID, or have it allowed there."],
  ["unsupported_response_type", "The service doesn't offer logging in by an authorization code."],
  ["invalid_scope", "The service doesn't know a scope, or the client may not have it: check SITELEDGER_SCOPES."],
  ["server_error", "The service met with an error of its own: try again."],
  ["temporarily_unavailable", "The service can't log anybody in for now: try again later."]
])

const isSame = (given: string, expected: string): boolean =>
  timingSafeEqual(hash("sha256", given, "buffer"), hash("sha256", expected, "buffer"))

export const hasState = (given: URLSearchParams, state: string): boolean => isSame(given.get("state") ?? "", state)

/** What a redirect with this login's state brings: the code, or a sentence. Nothing of what came is repeated in it. */
export const readRedirect = ({ issuer }: Authorization, given: URLSearchParams): Result.Result<string, string> => {
  const repeated = ["state", "code", "error", "iss"].some((name) => given.getAll(name).length > 1)
  if (repeated) return Result.fail("The redirect names something twice: it isn't this login's.")
  const iss = given.get("iss")
  if (iss !== null && iss.replace(/\/$/, "") !== issuer) {
    return Result.fail("The redirect comes from another server than SITELEDGER_AUTH_URL (its iss says so).")
  }
  const error = given.get("error")
  if (error !== null) return Result.fail(sentences.get(error) ?? "The service refused, for no reason that we know.")
  const code = given.get("code")
  return code === null || code === "" ? Result.fail("The redirect brings no code.") : Result.succeed(code)
}
