/**
 * This program as its package.json describes it, and the HTTP client that identifies it to every server, unless a
 * request identifies itself.
 */
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import * as Instant from "../Domain/Instant.ts"
import * as Http from "./Http.ts"
import packageJson from "../../package.json" with { type: "json" }
import { identified, userAgentOf } from "./UserAgent.ts"

export const { version } = packageJson

/** When this process started. */
export const startedAt: Instant.Instant = Instant.fromMillis(Math.floor(performance.timeOrigin))

const userAgent = userAgentOf(packageJson)

/** The client, with this program's name. */
export const named = (http: Layer.Layer<HttpClient.HttpClient>): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) => identified(client, (own = userAgent) => own))
  ).pipe(Layer.provide(http))

/** Follows no redirect. */
export const layerHttp = named(Http.layerHttp)
