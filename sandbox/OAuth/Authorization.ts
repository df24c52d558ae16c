/**
 * What GET /oauth/authorize decides before a person is asked (RFC 6749 §4.1.1 and §4.1.2.1, RFC 7636 §4.3; the
 * interface document doesn't show it, §5.2: assumed). While the client or the redirect URI is in doubt, it redirects
 * nowhere, because the page would be an open redirector. Pure.
 */
import { Result } from "effect"
import { type Client, type Clients, mayRedirectTo } from "./Clients.ts"
import type { Allowed } from "./Codes.ts"
import { type Parameters, scopes } from "./Parameters.ts"
import { isChallenge } from "./Pkce.ts"
import { type ErrorCode, refusal, refuse, type Refusal } from "./Refusal.ts"

/** Where an answer goes. `state` is unchanged (RFC 6749 §4.1.2). */
export interface Return {
  readonly redirectUri: string
  readonly state: string | undefined
}

/** A valid request, ready to be put to a person. */
export interface Request extends Allowed, Return {}

/** `to` undefined: the refusal is shown on a page, because no address can be trusted. */
export interface Refused extends Refusal {
  readonly to: Return | undefined
}

const show = (description: string): Result.Result<never, Refused> =>
  Result.fail({ ...refusal("invalid_request", description), to: undefined })

const trusted = (
  clients: Clients,
  { repeated, values }: Parameters
): Result.Result<{ readonly client: Client; readonly redirectUri: string }, Refused> => {
  const { client_id: id, redirect_uri: redirectUri } = values
  if (id === undefined || repeated.includes("client_id")) return show("client_id is required, exactly once")
  const client = clients.get(id)
  if (client === undefined) return show(`there is no client ${id}`)
  if (redirectUri === undefined || repeated.includes("redirect_uri"))
    return show("redirect_uri is required, exactly once")
  if (!mayRedirectTo(client, redirectUri)) return show(`redirect_uri isn't registered for ${id}: ${redirectUri}`)
  return Result.succeed({ client, redirectUri })
}

const wrong = ({ repeated, values }: Parameters): readonly [ErrorCode, string] | undefined => {
  const { code_challenge: challenge, code_challenge_method: method, response_type: type } = values
  if (repeated.length > 0) return ["invalid_request", `sent more than once: ${repeated.join(", ")}`]
  if (type === undefined) return ["invalid_request", "response_type is required"]
  if (type !== "code") return ["unsupported_response_type", `response_type ${type} isn't supported; it must be code`]
  if (challenge === undefined) return ["invalid_request", "code_challenge is required (RFC 7636)"]
  if (method !== "S256") return ["invalid_request", "code_challenge_method must be S256"]
  return isChallenge(challenge) ? undefined : ["invalid_request", "code_challenge is not 43 characters of base64url"]
}

export const read = (clients: Clients, parameters: Parameters): Result.Result<Request, Refused> =>
  Result.flatMap(trusted(clients, parameters), ({ client, redirectUri }) => {
    const { code_challenge: challenge = "", scope, state } = parameters.values
    // With two states, neither is known to be the client's.
    const to = { redirectUri, state: parameters.repeated.includes("state") ? undefined : state }
    const complaint = wrong(parameters)
    const granted = complaint === undefined ? scopes(scope, client.scopes) : refuse(...complaint)
    return granted.pipe(
      Result.map((granted) => ({ ...to, client, scopes: granted, challenge })),
      Result.mapError((refused) => ({ ...refused, to }))
    )
  })

/** The redirect URI with the answer. `iss` (RFC 9207) keeps a client of several servers from confusing them. */
export const locate = (
  { redirectUri, state }: Return,
  issuer: string,
  answer: { readonly code: string } | Refusal
): string => {
  const url = new URL(redirectUri)
  const result =
    "code" in answer ? { code: answer.code } : { error: answer.error, error_description: answer.description }
  for (const [name, value] of Object.entries({ ...result, ...(state === undefined ? {} : { state }), iss: issuer })) {
    url.searchParams.append(name, value)
  }
  return url.href
}
