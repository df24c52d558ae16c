/**
 * The sandbox's HTTP side: the handlers of ConstructionApi (under /v1, behind the guard) and the authorization server
 * (outside of it).
 */
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { ConstructionApi } from "../connectors/construction/ConstructionApi.ts"
import * as Description from "./Description.ts"
import { type Guard, refusal } from "./Guard.ts"
import * as Lists from "./Lists.ts"
import type { OAuth } from "./OAuth.ts"
import { complaint } from "./Subscriptions.ts"

export const versionPath = "/v1"
const VersionedApi = ConstructionApi.prefix(versionPath)

export interface Service extends Lists.Parts {
  readonly oauth: Pick<OAuth, "layer">
  readonly guard: Pick<Guard, "layer">
}

const resources = (service: Service) =>
  HttpApiBuilder.layer(VersionedApi).pipe(
    Layer.provide([
      HttpApiBuilder.group(VersionedApi, "projects", (handlers) =>
        handlers.handle("list", ({ query }) => Lists.projectPage(service, query))
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
    Layer.provide(service.guard.layer)
  )

export const layerWith = (service: Service) =>
  Layer.mergeAll(
    resources(service),
    Lists.layerWith(versionPath, service).pipe(Layer.provide(service.guard.layer)),
    Description.layerWith(versionPath, service.options),
    service.oauth.layer
  )
