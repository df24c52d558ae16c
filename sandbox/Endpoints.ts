/**
 * The sandbox's HTTP side: the handlers of ConstructionApi (under /v1) and ConstructionTokenApi (not under
 * it), and in front of the former the bearer check (401) and the plan's limit (429 with Retry-After).
 *
 * The bodies of errors are not shown in the interface document; here they are {"error", "message"}. A
 * request without a good token doesn't count against the plan.
 */
import { Clock, Effect, Layer, Result } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse, UrlParams } from "effect/http"
import { HttpApiBuilder, HttpApiError } from "effect/http-api"
import { ConstructionApi, ConstructionTokenApi } from "../connectors/construction/ConstructionApi.ts"
import type { ResolvedOptions } from "./Options.ts"
import type { Projects } from "./Projects.ts"
import type { RequestWindow } from "./RequestWindow.ts"
import type { Simulation } from "./Simulation.ts"
import { complaint } from "./Subscriptions.ts"
import type { Tokens } from "./Tokens.ts"

export const versionPath = "/v1"
const VersionedApi = ConstructionApi.prefix(versionPath)

export interface Service {
  readonly options: ResolvedOptions
  readonly projects: Projects
  readonly simulation: Simulation
  readonly tokens: Tokens
  readonly window: RequestWindow
  /** Counts what was asked. */
  readonly requests: { answered: number; unauthorized: number; overLimit: number }
}

const refusal = (status: number, error: string, message: string, headers: Readonly<Record<string, string>> = {}) =>
  HttpServerResponse.jsonUnsafe({ error, message }, { status, headers })

const unauthorized = (reason: "missing" | "bad") =>
  refusal(401, "unauthorized", reason === "missing" ? "a bearer token is needed" : "the token is unknown or expired", {
    "www-authenticate": `Bearer realm="construction"${reason === "bad" ? ', error="invalid_token"' : ""}`
  })

const guard = ({ requests, tokens, window }: Service) =>
  HttpRouter.middleware((handled) =>
    Effect.gen(function* () {
      const request = yield* HttpServerRequest.HttpServerRequest
      const now = yield* Clock.currentTimeMillis
      const token = tokens.check(request.headers.authorization, now)
      if (token !== "good") {
        requests.unauthorized++
        return unauthorized(token)
      }
      const waitMillis = window.admit(now)
      if (waitMillis > 0) {
        requests.overLimit++
        const retryAfter = String(Math.ceil(waitMillis / 1000))
        return refusal(429, "rate_limited", "too many requests in 60 seconds", { "retry-after": retryAfter })
      }
      requests.answered++
      return yield* handled
    }).pipe(
      Effect.catchDefect((defect) =>
        HttpApiError.HttpApiSchemaError.is(defect)
          ? Effect.succeed(refusal(400, "invalid_request", `the ${defect.kind.toLowerCase()} is not as documented`))
          : Effect.die(defect)
      )
    )
  ).layer

interface Asked {
  readonly page?: number | undefined
  readonly per_page?: number | undefined
}

const page = ({ options, projects, simulation }: Service, asked: Asked) => {
  const step = simulation.steps()
  const total = projects.total(step)
  const number = Math.max(1, asked.page ?? 1)
  const size = Math.min(Math.max(1, asked.per_page ?? options.pageSize), options.pageSizeMax)
  const from = Math.min((number - 1) * size, total)
  const data = projects.render(step, from, Math.min(from + size, total))
  const pagination = `{"total":${total},"page":${number},"per_page":${size}}`
  return HttpServerResponse.text(`{"data":[${data}],"pagination":${pagination}}`, { contentType: "application/json" })
}

const resources = (service: Service) =>
  HttpApiBuilder.layer(VersionedApi).pipe(
    Layer.provide([
      HttpApiBuilder.group(VersionedApi, "projects", (handlers) =>
        handlers.handle("list", ({ query }) => Effect.sync(() => page(service, query)))
      ),
      HttpApiBuilder.group(VersionedApi, "webhooks", (handlers) =>
        handlers.handle("create", ({ payload }) => {
          const wrong = complaint(payload.url, payload.events)
          return wrong === undefined
            ? service.simulation.subscribe(payload.url, payload.events)
            : Effect.succeed(refusal(400, "invalid_request", wrong))
        })
      )
    ]),
    Layer.provide(guard(service))
  )

/** Raw, since a request that doesn't decode has an answer of its own in RFC 6749. */
const token = (tokens: Tokens) =>
  HttpApiBuilder.layer(ConstructionTokenApi).pipe(
    Layer.provide(
      HttpApiBuilder.group(ConstructionTokenApi, "oauth", (handlers) =>
        handlers.handleRaw("token", ({ request }) =>
          Effect.gen(function* () {
            const form = yield* Effect.result(request.urlParamsBody)
            const issued = tokens.issue(
              Result.isSuccess(form) ? UrlParams.toRecord(form.success) : undefined,
              yield* Clock.currentTimeMillis
            )
            const headers = { "cache-control": "no-store" }
            return HttpServerResponse.jsonUnsafe(issued.body, { status: issued.status, headers })
          })
        )
      )
    )
  )

export const layer = (service: Service) => Layer.mergeAll(resources(service), token(service.tokens))
