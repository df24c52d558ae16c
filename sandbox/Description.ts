/**
 * The API's description of itself (interface document §1, §9): its OpenAPI document and the same as a web page, both
 * readable without a token. It also describes the catalogue, if there is one.
 */
import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { DescriptionApi } from "./AssumedApi.ts"
import type { Catalogue } from "./Catalogue.ts"
import * as Catalogued from "./Catalogue/Document.ts"
import * as Sharing from "./Catalogue/Sharing.ts"
import * as OpenApi from "./Description/OpenApi.ts"
import * as Reference from "./Description/Reference.ts"
import { headers } from "./Description/Style.ts"
import type { ResolvedOptions } from "./Options.ts"
import type { Version } from "./Versions.ts"

const withCatalogue = (document: OpenApi.Document, catalogue: Catalogue) => {
  const extended = Catalogued.extended(document, catalogue)
  return { document: extended, written: Sharing.shared(extended, catalogue) }
}

const layerWith = (version: Version, document: OpenApi.Document, written: object) => {
  const api = DescriptionApi.prefix(version.path)
  const json = HttpServerResponse.text(JSON.stringify(written), { contentType: "application/json" })
  // With the catalogue the page is large, and it is rarely requested.
  const page = Effect.runSync(
    Effect.cached(
      Effect.sync(() =>
        HttpServerResponse.text(Reference.render(document), { contentType: "text/html; charset=utf-8", headers })
      )
    )
  )
  return HttpApiBuilder.layer(api).pipe(
    Layer.provide(
      HttpApiBuilder.group(api, "description", (handlers) =>
        handlers.handle("openapi", () => Effect.succeed(json)).handle("docs", () => page)
      )
    )
  )
}

/** Every operation that the document describes: method and path. */
const routesOf = ({ paths, servers }: OpenApi.Document): ReadonlyArray<readonly [string, string]> =>
  Object.entries(paths).flatMap(([path, item]) => {
    const base = (item.servers ?? servers)[0]?.url.replace(/\/$/, "") ?? ""
    return OpenApi.methods.flatMap((method) =>
      item[method] === undefined ? [] : [[method.toUpperCase(), `${base}${path}`] as const]
    )
  })

export const make = (version: Version, options: ResolvedOptions, catalogue: Catalogue | undefined) => {
  const own = OpenApi.make(options, version)
  const { document, written } =
    catalogue === undefined ? { document: own, written: own } : withCatalogue(own, catalogue)
  return { layer: layerWith(version, document, written), routes: routesOf(document) }
}
