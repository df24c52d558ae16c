/**
 * The checks in front of every resource, in this order: the bearer token (RFC 6750), the client's plan (interface
 * document §8), and the scope that the operation needs. A request without a valid token counts against no plan; one
 * that only lacks the scope counts. The interface document shows no error bodies (§7); here they are {"error",
 * "message"}.
 *
 * The scope is looked up by the matched route, not by the path as written, which can be spelt in many ways.
 */
import { Clock, Effect } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import type { OAuth } from "./OAuth.ts"
import * as RequestWindow from "./RequestWindow.ts"
import { neededScope } from "./Scopes.ts"

export interface Guard {
  readonly layer: ReturnType<typeof makeLayer>
  readonly requests: () => { readonly answered: number; readonly unauthorized: number; readonly overLimit: number }
  /** Requests of all clients that counted against their plans in the 60 seconds up to this instant. */
  readonly used: (nowMillis: number) => number
}

export const refusal = (
  status: number,
  error: string,
  message: string,
  headers: Readonly<Record<string, string>> = {}
) => HttpServerResponse.jsonUnsafe({ error, message }, { status, headers })

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

const insufficientScope = (scope: string) =>
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
  readonly versionPath: string
}

/** Undefined: may pass. */
const stop = (state: State, method: string, path: string, authorization: string | undefined, nowMillis: number) => {
  const { oauth, requests, versionPath, windows } = state
  const token = bearerToken.exec(authorization ?? "")?.[1]
  const access = token === undefined ? undefined : oauth.access(token, nowMillis)
  if (access === undefined) {
    requests.unauthorized++
    if (token !== undefined) return badToken
    return isBearer.test(authorization ?? "") ? malformed : noToken
  }
  const waitMillis = windows.get(access.grant.client.id)?.admit(nowMillis) ?? 0
  if (waitMillis > 0) {
    requests.overLimit++
    return overLimit(waitMillis)
  }
  requests.answered++
  const scope = neededScope(method, path.slice(versionPath.length))
  return scope === undefined || access.scopes.includes(scope) ? undefined : insufficientScope(scope)
}

const makeLayer = (state: State) =>
  HttpRouter.middleware((handled) =>
    Effect.gen(function* () {
      const { headers, method } = yield* HttpServerRequest.HttpServerRequest
      const { route } = yield* HttpRouter.RouteContext
      return stop(state, method, route.path, headers.authorization, yield* Clock.currentTimeMillis) ?? (yield* handled)
    }).pipe(
      Effect.catchDefect((defect) =>
        HttpApiError.HttpApiSchemaError.is(defect)
          ? Effect.succeed(
              refusal(400, "invalid_request", `the ${defect.kind.toLowerCase()} doesn't match the documentation`)
            )
          : Effect.die(defect)
      )
    )
  ).layer

/** `versionPath`: the prefix of the routes' paths. */
export const make = (oauth: State["oauth"], versionPath: string): Guard => {
  const windows = new Map([...oauth.clients].map(([id, { plan }]) => [id, RequestWindow.make(plan)]))
  const requests = { answered: 0, unauthorized: 0, overLimit: 0 }
  return {
    layer: makeLayer({ oauth, windows, requests, versionPath }),
    requests: () => ({ ...requests }),
    used: (nowMillis) => [...windows.values()].reduce((sum, window) => sum + window.used(nowMillis), 0)
  }
}
