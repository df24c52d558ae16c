/**
 * The answers besides success that an operation may give, for the OpenAPI document: the guard's refusals, refusals of
 * malformed requests, and errors of the service. (A 502 is a proxy's, in HTML, and no part of the API.) The API's
 * errors have one form; those of the authorization server follow RFC 6749.
 */
import type { OpenApi } from "effect/http-api"

type Answers = OpenApi.OpenAPISpecResponses
type Answer = OpenApi.OpenApiSpecResponse
type Headers = NonNullable<Answer["headers"]>

/** JSON Schemas that the served definitions lack, or that replace one which a client reads more leniently. */
export const schemas = {
  TokenAnswer: {
    type: "object",
    description: "RFC 6749 §5.1.",
    required: ["access_token", "token_type", "expires_in", "scope"],
    properties: {
      access_token: { type: "string" },
      token_type: { type: "string", const: "Bearer" },
      expires_in: { type: "integer", description: "Seconds." },
      refresh_token: { type: "string", description: "Unless the token is for client credentials. It is valid once." },
      scope: { type: "string", description: "The granted scopes, separated by spaces." }
    },
    examples: [{ access_token: "b2hOq8Yx", token_type: "Bearer", expires_in: 3600, scope: "projects.read" }]
  },
  OAuthError: {
    type: "object",
    description: "RFC 6749 §5.2; for a device's code RFC 8628 §3.5.",
    required: ["error"],
    properties: {
      error: {
        type: "string",
        enum: [
          "invalid_request",
          "invalid_client",
          "invalid_grant",
          "invalid_scope",
          "unauthorized_client",
          "unsupported_grant_type",
          "authorization_pending",
          "slow_down",
          "access_denied",
          "expired_token"
        ]
      },
      error_description: { type: "string", description: "For the client's developer, never for its program." }
    },
    examples: [{ error: "invalid_client", error_description: "unknown client or wrong secret" }]
  }
} as const

export const errorExample = { error: "not_found", message: "there is no project 9" }

const header = (description: string, isSure = true, type: "string" | "integer" = "string"): Headers[string] => ({
  description,
  required: isSure,
  schema: { type }
})

const refused =
  (schema: "Refusal" | "OAuthError") =>
  (description: string, headers: Headers = {}): Answer => ({
    description,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: { "application/json": { schema: { $ref: `#/components/schemas/${schema}` } } }
  })
const byApi = refused("Refusal")
const byOAuth = refused("OAuthError")

const challenge = header("Why, as RFC 6750 §3 says it.")
const allow = header("The methods that this address takes.")
const retryAfter = header("Seconds after which a request is admitted again.", true, "integer")

/** For a list whose next page is in this header. */
export const link = header(
  'RFC 8288: the address of the next page has `rel="next"`; without one this page is the last.',
  false
)

/** Sent if the sandbox was started with `--rate-limit-headers`. */
export const rateLimitHeaders: Headers = {
  RateLimit: header('By option: requests left and seconds until one more is: `"plan";r=599;t=60`.', false),
  "RateLimit-Policy": header(
    'By option: requests and the seconds that they are counted in: `"plan";q=600;w=60`.',
    false
  )
}

const errors: Answers = {
  405: byApi("The address doesn't take this method.", { Allow: allow }),
  500: byApi("An error of the service. Try again later."),
  503: byApi("The service is interrupted. Try again later.")
}

const tooMany = (more: Headers) =>
  byApi("The plan's requests in 60 seconds are used up.", { "Retry-After": retryAfter, ...more })

const guarded: Answers = {
  400: byApi("A parameter or the body doesn't match the description; the message says which."),
  401: byApi("The token is missing, unknown, expired or revoked.", { "WWW-Authenticate": challenge }),
  403: byApi("The token lacks the scope.", { "WWW-Authenticate": challenge }),
  429: tooMany(rateLimitHeaders)
}

const body: Answers = {
  413: byApi("The body has more than 1 MiB."),
  415: byApi("The body isn't `application/json`.")
}

const oauth: Answers = {
  400: byOAuth("The request is refused; `error` says why."),
  401: byOAuth("The client is unknown or its secret wrong.", {
    "WWW-Authenticate": header("A scheme by which a client can identify itself.")
  }),
  ...errors,
  405: byOAuth("Only POST is allowed.", { Allow: allow })
}

/** Depends on the kind of operation. `isOne`: it is about one record. */
export const of = (operation: {
  readonly isOAuth: boolean
  readonly isGuarded: boolean
  readonly hasBody: boolean
  readonly isOne: boolean
}): Answers => {
  if (operation.isOAuth) return operation.hasBody ? oauth : errors
  return {
    ...(operation.isOne ? { 404: byApi("There is no such record.") } : {}),
    ...(operation.hasBody ? body : {}),
    ...(operation.isGuarded ? guarded : { 429: tooMany({}) }),
    ...errors
  }
}
