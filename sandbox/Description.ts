/**
 * The API's description of itself (interface document §1, §9): its OpenAPI document and the same as a web page, both
 * without a token.
 */
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { DescriptionApi } from "./AssumedApi.ts"
import * as OpenApi from "./Description/OpenApi.ts"
import * as Reference from "./Description/Reference.ts"
import { headers } from "./Description/Style.ts"
import type { ResolvedOptions } from "./Options.ts"
import type { Version } from "./Versions.ts"

export const layerWith = (version: Version, options: ResolvedOptions) => {
  const api = DescriptionApi.prefix(version.path)
  const document = OpenApi.make(options, version)
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

/** Every operation that the document describes: method and path. */
export const routes = (version: Version, options: ResolvedOptions): ReadonlyArray<readonly [string, string]> => {
  const { paths, servers } = OpenApi.make(options, version)
  return Object.entries(paths).flatMap(([path, item]) => {
    const base = (item.servers ?? servers)[0]?.url.replace(/\/$/, "") ?? ""
    return OpenApi.methods.flatMap((method) =>
      item[method] === undefined ? [] : [[method.toUpperCase(), `${base}${path}`] as const]
    )
  })
}
