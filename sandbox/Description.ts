/**
 * The API's description of itself (interface document §1, §9): its OpenAPI document and the same as a web page, both
 * without a token. Also the answer to requests for unknown addresses.
 */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerError, type HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { DescriptionApi } from "./AssumedApi.ts"
import * as OpenApi from "./Description/OpenApi.ts"
import * as Reference from "./Description/Reference.ts"
import { headers } from "./Description/Style.ts"
import { refusal } from "./Guard.ts"
import type { ResolvedOptions } from "./Options.ts"

const describe = (versionPath: `/${string}`, options: ResolvedOptions) => {
  const api = DescriptionApi.prefix(versionPath)
  const document = OpenApi.make(options, versionPath)
  const json = HttpServerResponse.text(JSON.stringify(document), { contentType: "application/json" })
  const page = HttpServerResponse.text(Reference.render(document), { contentType: "text/html; charset=utf-8", headers })
  return HttpApiBuilder.layer(api).pipe(
    Layer.provide(
      HttpApiBuilder.group(api, "description", (handlers) =>
        handlers.handle("openapi", () => Effect.succeed(json)).handle("docs", () => Effect.succeed(page))
      )
    )
  )
}

const notFound = (versionPath: string, { method, url }: HttpServerRequest.HttpServerRequest) => {
  const [, version] = /^\/(v\d+)(?=[/?#]|$)/.exec(url) ?? []
  return version === undefined || `/${version}` === versionPath
    ? refusal(
        404,
        "not_found",
        `there is no ${method} ${url.replace(/[?#].*/s, "")}; ${versionPath}/docs lists all endpoints`
      )
    : refusal(404, "unknown_version", `there is no version /${version}; the served version is ${versionPath}`)
}

/** In front of all routes. */
const unknown = (versionPath: string) =>
  HttpRouter.middleware(
    Effect.catch((error) =>
      HttpServerError.isHttpServerError(error) && error.reason._tag === "RouteNotFound"
        ? Effect.succeed(notFound(versionPath, error.reason.request))
        : Effect.fail(error)
    ),
    { global: true }
  )

export const layerWith = (versionPath: `/${string}`, options: ResolvedOptions) =>
  Layer.merge(describe(versionPath, options), unknown(versionPath))
