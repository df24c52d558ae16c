/**
 * How the client authenticates to the authorization server (RFC 6749 §2.3.1): with its secret in the form, as the
 * interface document shows (§5.1), or with HTTP Basic.
 *
 * Unless Basic is configured, the form comes first. If the answer asks for Basic, the next request uses that, once. It
 * goes to the same address, which has just been sent the secret, and no redirect is followed, so no one else learns it.
 * The method that succeeded is kept for as long as the process runs.
 */
import { Option, Redacted, Schema } from "effect"
import { HttpClientRequest, type HttpClientResponse } from "effect/http"
import type { AuthEndpoint } from "../ConstructionEndpoints.ts"
import type { GrantRefused } from "./Grant.ts"

/** The next request is sent with Basic, so it is worth asking again at once. */
export class BasicWanted extends Schema.TaggedError<BasicWanted>()("BasicWanted", {}) {}

export interface ClientSecret {
  /** The client's part of a form. */
  readonly form: () => Readonly<Record<string, string>>
  readonly sign: (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest
  /** What a refusal means: that Basic is worth trying, or, after that, the refusal that says what to check. */
  readonly judge: (response: HttpClientResponse.HttpClientResponse, refusal: GrantRefused) => GrantRefused | BasicWanted
  readonly hasWorked: () => void
}

type Client = Pick<AuthEndpoint["Service"], "clientId" | "clientSecret" | "tokenAuth">

export const make = ({ clientId, clientSecret, tokenAuth }: Client): ClientSecret => {
  const secret = Option.getOrUndefined(Option.map(clientSecret, Redacted.value))
  let isBasic = tokenAuth === "basic"
  let isSure = isBasic
  let first: GrantRefused | undefined
  return {
    form: () => {
      if (secret === undefined) return { client_id: clientId }
      return isBasic ? {} : { client_id: clientId, client_secret: secret }
    },
    sign: (request) =>
      isBasic && secret !== undefined
        ? HttpClientRequest.basicAuth(request, formEncoded(clientId), formEncoded(secret))
        : request,
    judge: ({ headers, status }, refusal) => {
      if (isSure || secret === undefined) return refusal
      if (isBasic) {
        isBasic = false
        return ofTheGrant.has(refusal.code) ? refusal : (first ?? refusal)
      }
      isBasic = refusal.code === "invalid_client" || (status === 401 && namesBasic(headers["www-authenticate"] ?? ""))
      first = refusal
      return isBasic ? new BasicWanted() : refusal
    },
    hasWorked: () => {
      isSure = true
    }
  }
}

/**
 * With these, the client itself was accepted. Any other error may only mean that the endpoint doesn't support Basic.
 */
const ofTheGrant: ReadonlySet<string> = new Set([
  "invalid_grant",
  "invalid_scope",
  "unauthorized_client",
  "unsupported_grant_type"
])

/** RFC 6749 appendix B. */
const formEncoded = (text: string): string => new URLSearchParams([["", text]]).toString().slice(1)

/** A header may hold several challenges (RFC 9110 §11.6.1). */
const namesBasic = (challenges: string): boolean => /(?:^|,)\s*basic(?:\s|,|$)/i.test(challenges)
