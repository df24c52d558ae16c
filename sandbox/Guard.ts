/**
 * The checks before every resource, in this order: the bearer token (RFC 6750), the client's plan (interface document
 * §8), and the scope that the operation needs. A request without a valid token counts against no plan; one that only
 * lacks the scope does count. After these checks, requests that don't fit the description are refused with 400, 413 or
 * 415.
 *
 * The scope is looked up by the matched route, not by the path as written, which can be spelt in many ways.
 */
import { ByteSize, Clock, Effect } from "effect"
import { HttpIncomingMessage, HttpRouter, HttpServerError, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import type { OAuth } from "./OAuth.ts"
import { refusal } from "./Refusal.ts"
import * as RequestWindow from "./RequestWindow.ts"

export interface Guard {
  readonly layer: ReturnType<typeof makeLayer>
  readonly requests: () => { readonly answered: number; readonly unauthorized: number; readonly overLimit: number }
  /** Requests of all clients that counted against their plans in the 60 seconds up to this instant. */
  readonly used: (nowMillis: number) => number
}

const challenge = (...attributes: ReadonlyArray<string>) => ({
  "www-authenticate": ['Bearer realm="construction"', ...attributes].join(", ")
})

const noToken = refusal(401, "unauthorized", "a bearer token is required", challenge())
const badToken = refusal(
  401,
  "unauthorized",
  "the token is unknown, expired or revoked",
  challenge('error="invalid_token"')
)
const malformed = refusal(
  400,
  "invalid_request",
  "Authorization: Bearer must carry exactly one token",
  challenge('error="invalid_request"')
)

export const insufficientScope = (scope: string) =>
  refusal(
    403,
    "insufficient_scope",
    `the token lacks the scope ${scope}`,
    challenge('error="insufficient_scope"', `scope="${scope}"`)
  )

const overLimit = (waitMillis: number) =>
  refusal(429, "rate_limited", "too many requests in 60 seconds", {
    "retry-after": String(Math.ceil(waitMillis / 1000))
  })

const isBearer = /^Bearer( |$)/i
/** RFC 6750 §2.1. */
const bearerToken = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

interface State {
  readonly oauth: Pick<OAuth, "access" | "clients">
  /** By client id. */
  readonly windows: ReadonlyMap<string, RequestWindow.RequestWindow>
  readonly requests: { answered: number; unauthorized: number; overLimit: number }
  readonly hasHeaders: boolean
  readonly scopeOf: ScopeOf
}

/** The scope that the operation at this route needs, by its path without the version. */
export type ScopeOf = (method: string, path: string) => string | undefined

type Answer = HttpServerResponse.HttpServerResponse

/**
 * How much of the plan is left, as in draft-ietf-httpapi-ratelimit-headers, which states what its numbers mean. The
 * common `X-RateLimit-Reset` is seconds for one client and an instant for another.
 */
const rateLimit = (plan: number, window: RequestWindow.RequestWindow, nowMillis: number) => {
  const left = Math.max(0, plan - window.used(nowMillis))
  return {
    "ratelimit-policy": `"plan";q=${plan};w=60`,
    ratelimit: `"plan";r=${left};t=${Math.ceil(window.untilFewer(nowMillis) / 1000)}`
  }
}

interface Checked {
  /** Undefined: the request may pass. */
  readonly refused: Answer | undefined
  /** Set on every answer. */
  readonly headers: Readonly<Record<string, string>>
}

const check = (
  { hasHeaders, oauth, requests, scopeOf, windows }: State,
  method: string,
  path: string,
  authorization: string | undefined,
  nowMillis: number
): Checked => {
  const token = bearerToken.exec(authorization ?? "")?.[1]
  const access = token === undefined ? undefined : oauth.access(token, nowMillis)
  if (access === undefined) {
    requests.unauthorized++
    const refused = isBearer.test(authorization ?? "") ? malformed : noToken
    return { refused: token === undefined ? refused : badToken, headers: {} }
  }
  const { id, plan } = access.grant.client
  const window = windows.get(id)
  const waitMillis = window?.admit(nowMillis) ?? 0
  const isLimited = hasHeaders && window !== undefined && Number.isFinite(plan)
  const headers = isLimited ? rateLimit(plan, window, nowMillis) : {}
  if (waitMillis > 0) {
    requests.overLimit++
    return { refused: overLimit(waitMillis), headers }
  }
  requests.answered++
  const scope = scopeOf(method, path.replace(/^\/v\d+/, ""))
  const mayPass = scope === undefined || access.scopes.includes(scope)
  return { refused: mayPass ? undefined : insufficientScope(scope), headers }
}

const largestBody = ByteSize.mebibytes(1)
const tooLarge = refusal(413, "too_large", "the body has more than 1 MiB")
const unreadable = refusal(400, "invalid_request", "the body can't be read")
const notJson = refusal(415, "unsupported_media_type", "the body must be application/json")

/** The refusal for a decoding error; undefined: the defect is something else. */
const misfit = (defect: unknown): Answer | undefined => {
  if (HttpApiError.HttpApiSchemaError.is(defect) && (defect.kind === "Query" || defect.kind === "Payload")) {
    const what = defect.kind === "Query" ? "query" : "body"
    const reason = defect.cause.message.replaceAll(/\s*\n\s*/g, " ")
    return refusal(400, "invalid_request", `the ${what} doesn't match the documentation: ${reason}`)
  }
  if (!HttpServerError.isHttpServerError(defect) || defect.reason._tag !== "RequestParseError") return undefined
  const { cause } = defect.reason
  return cause instanceof Error && cause.message === "maxBytes exceeded" ? tooLarge : unreadable
}

const makeLayer = (state: State) =>
  HttpRouter.middleware((handled) =>
    Effect.gen(function* () {
      const { headers, method } = yield* HttpServerRequest.HttpServerRequest
      const { route } = yield* HttpRouter.RouteContext
      const checked = check(state, method, route.path, headers.authorization, yield* Clock.currentTimeMillis)
      const answer = checked.refused ?? (yield* answered(handled))
      const isOwn = answer.status === 415 && answer.headers["content-type"] !== "application/json"
      return HttpServerResponse.setHeaders(isOwn ? notJson : answer, checked.headers)
    })
  ).layer

const answered = <E, R>(handled: Effect.Effect<Answer, E, R>) =>
  handled.pipe(
    Effect.provideService(HttpIncomingMessage.MaxBodySize, largestBody),
    Effect.catchDefect((defect) => {
      const answer = misfit(defect)
      return answer === undefined ? Effect.die(defect) : Effect.succeed(answer)
    })
  )

/** `hasHeaders`: answers state how much of the plan is left. */
export const make = (oauth: State["oauth"], hasHeaders: boolean, scopeOf: ScopeOf): Guard => {
  const windows = new Map([...oauth.clients].map(([id, { plan }]) => [id, RequestWindow.make(plan)]))
  const requests = { answered: 0, unauthorized: 0, overLimit: 0 }
  return {
    layer: makeLayer({ oauth, windows, requests, hasHeaders, scopeOf }),
    requests: () => ({ ...requests }),
    used: (nowMillis) => [...windows.values()].reduce((sum, window) => sum + window.used(nowMillis), 0)
  }
}
