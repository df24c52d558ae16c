/**
 * The sandbox's HTTP side: the handlers of ConstructionApi behind the guard, once for each served version, and the
 * authorization server (outside of the versions).
 */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConstructionApi } from "../connectors/construction/ConstructionApi.ts"
import type { Catalogue } from "./Catalogue.ts"
import * as CatalogueRoutes from "./Catalogue/Routes.ts"
import * as Cors from "./Cors.ts"
import * as Description from "./Description.ts"
import type { Guard } from "./Guard.ts"
import * as Lists from "./Lists.ts"
import type { OAuth } from "./OAuth.ts"
import { pagePaths } from "./OAuth/Routes.ts"
import { refusal } from "./Refusal.ts"
import { complaint } from "./Subscriptions.ts"
import * as Unmatched from "./Unmatched.ts"
import * as Versions from "./Versions.ts"

export interface Service extends Omit<Lists.Parts, "version"> {
  readonly oauth: Pick<OAuth, "layer">
  readonly guard: Pick<Guard, "layer">
  /** What `openapi: "full"` adds. */
  readonly catalogue: Catalogue | undefined
}

const resources = (service: Service, version: Versions.Version) => {
  const api = ConstructionApi.prefix(version.path)
  return HttpApiBuilder.layer(api).pipe(
    Layer.provide([
      HttpApiBuilder.group(api, "projects", (handlers) =>
        handlers.handle("list", ({ query }) => Lists.projectPage({ ...service, version }, query))
      ),
      HttpApiBuilder.group(api, "webhooks", (handlers) =>
        handlers.handle("create", ({ payload }) => {
          const wrong = complaint(payload.url, payload.events)
          return wrong === undefined
            ? service.simulation.subscribe(payload.url, payload.events, version)
            : Effect.succeed(refusal(400, "invalid_request", wrong))
        })
      )
    ])
  )
}

const served = (service: Service, version: Versions.Version) => {
  const { catalogue, guard } = service
  return Layer.mergeAll(
    resources(service, version),
    Lists.layerWith({ ...service, version }),
    catalogue === undefined ? Layer.empty : CatalogueRoutes.layerWith(version, catalogue)
  ).pipe(Layer.provide(guard.layer))
}

/** `others`: the routes that are served beside these. */
export const layerWith = (service: Service, others: ReadonlyArray<Unmatched.Route>) => {
  const { options } = service
  const versions = Versions.served(options)
  const login = pagePaths.flatMap((path) => ["GET", "POST"].map((method) => [method, path] as const))
  const descriptions = versions.map((version) => Description.make(version, options, service.catalogue))
  return Layer.mergeAll(
    Unmatched.layerWith([...descriptions.flatMap(({ routes }) => routes), ...login, ...others], versions),
    Cors.layerWith(options),
    service.oauth.layer,
    ...descriptions.map(({ layer }) => layer),
    ...versions.map((version) => served(service, version))
  )
}
