/**
 * What an answer says before its body is read: whether the service accepted the request, and if not, what helps: time
 * (Unavailable), the pace or the token (Again, TokenRefused), or a decision by the walk or a person (SourceError).
 */
import { Clock, Effect, Schema } from "effect"
import type { HttpClientResponse } from "effect/http"
import type { Pace } from "../../src/Walk/Pace.ts"
import { resetMs, retryAfterMs } from "../../src/Runtime/RetryAfter.ts"
import { SourceError } from "../../src/Walk/Source.ts"
import type { ApiEndpoint } from "./ConstructionEndpoints.ts"

/** Transient. */
export class Unavailable extends Schema.TaggedError<Unavailable>()("Unavailable", {
  message: Schema.String,
  /** It answered, but not as promised. */
  isMisread: Schema.optionalKey(Schema.Boolean)
}) {}

/**
 * No further pause is needed: after a 429 the pace makes all calls wait, and a refused token is replaced by a new one.
 */
export class Again extends Schema.TaggedError<Again>()("Again", {}) {}

export class TokenRefused extends Schema.TaggedError<TokenRefused>()("TokenRefused", {
  token: Schema.String,
  /** The service accepted it before, so it has expired since. */
  wasGood: Schema.Boolean
}) {}

export type Failure = SourceError | Unavailable | Again | TokenRefused

export const isFailure = (error: unknown): error is Failure =>
  [SourceError, Unavailable, Again, TokenRefused].some((failure) => error instanceof failure)

/** For a list that was asked for changes through a header. */
const notModified = new SourceError({ reason: "OtherPage", message: "The service says that nothing changed (304)." })

export const isUnchanged = (error: SourceError): boolean => error === notModified

export const inspect = Effect.fnUntraced(function* (
  endpoint: ApiEndpoint["Service"],
  pace: Pace["Service"],
  response: HttpClientResponse.HttpClientResponse,
  unauthorized: TokenRefused
) {
  const { status, headers } = response
  const { names } = endpoint
  yield* pauses(pace, response)
  if (status === 429) return yield* new Again()
  if (status >= 200 && status < 300) return yield* pace.accepted
  if (status === 401) return yield* unauthorized
  if (status === 408 || status === 425 || status >= 500) {
    return yield* new Unavailable({ message: `It answered ${status}.` })
  }
  if (status === 304) {
    yield* pace.accepted
    return yield* notModified
  }
  if (status >= 300 && status < 400) {
    return yield* new SourceError({
      reason: "Refused",
      message: `The service redirects (${status}), which isn't followed: check ${names.baseUrl}.`
    })
  }
  if (status === 403) {
    return yield* new SourceError({ reason: "Refused", message: forbidden(endpoint, headers["www-authenticate"]) })
  }
  if (status === 404) {
    return yield* new SourceError({
      reason: "Refused",
      isAbsent: true,
      message: `The service has no such address (404): check ${names.baseUrl}, which must hold the version (/v1).`
    })
  }
  return yield* new SourceError({ reason: "PageSizeRefused", message: `The service refused the request (${status}).` })
})

/** Dates in the answer are by the service's clock, so they are compared with its own Date. */
const pauses = Effect.fnUntraced(function* (pace: Pace["Service"], response: HttpClientResponse.HttpClientResponse) {
  const { headers, status } = response
  const now = yield* Clock.currentTimeMillis
  const serviceNow = serviceTime(response) ?? now
  if (status === 429) return yield* pace.rejected(retryAfterMs(headers["retry-after"], serviceNow))
  if (headers["x-ratelimit-remaining"] === "0" || headers["ratelimit-remaining"] === "0") {
    const reset = resetMs(headers["ratelimit-reset"] ?? headers["x-ratelimit-reset"], serviceNow)
    if (reset !== undefined) yield* pace.pauseUntil(reset - serviceNow + now)
  }
})

/**
 * According to RFC 6750 §3, the answer names the scopes that a request needs. Only names valid by RFC 6749 §3.3 are
 * repeated.
 */
const forbidden = ({ names, takesLogins }: ApiEndpoint["Service"], challenge = ""): string => {
  const [, quoted, bare = ""] = /\bscope=(?:"([^"]*)"|([^\s,"]+))/i.exec(challenge) ?? []
  const scopes = (quoted ?? bare).split(" ").filter((scope) => /^[!#-[\]-~]{1,100}$/.test(scope))
  if (scopes.length === 0) return `The service forbids this request (403): a scope is missing, check ${names.scopes}.`
  const again = takesLogins ? " (with a login, run `siteledger login` again too)" : ""
  return (
    `The service forbids this request (403): it needs the scope ${scopes.slice(0, 10).join(" ")}. Add that to ` +
    `${names.scopes}${again}, or have it allowed for the client.`
  )
}

/** The Date of an answer, in ms. */
export const serviceTime = (response: HttpClientResponse.HttpClientResponse): number | undefined => {
  const date = Date.parse(response.headers["date"] ?? "")
  return Number.isNaN(date) ? undefined : date
}
