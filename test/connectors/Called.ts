/**
 * The worker's own client of the service, over real sockets: its HTTP, its token and its retries, without a pace. Also
 * a service that answers as a test wants.
 */
import { ConfigProvider, Effect, Layer } from "effect"
import * as Settings from "../../config/Settings.ts"
import { ConstructionClient } from "../../connectors/construction/ConstructionClient.ts"
import { readPage } from "../../connectors/construction/ConstructionPages.ts"
import type { SourceError } from "../../src/Walk/Source.ts"
import type { Certificate } from "../Certificates.ts"
import { Front, type Take } from "../Front.ts"
import { tokens } from "./ConstructionAuth/Tokens.ts"
import { folder } from "./ConstructionAuth/Within.ts"

export const parts = (given: Record<string, string>) =>
  ConstructionClient.layer.pipe(
    Layer.provideMerge(tokens(given)),
    Layer.provide(Settings.layerAll),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(given))),
    Layer.fresh
  )

export type Called = Layer.Success<ReturnType<typeof parts>>

export const json = { "content-type": "application/json" }
export const accessToken = "at-7f3c9d2b51e8"
export const clientSecret = "cs-0123456789abcdef"

/** Answers requests for a token, and leaves the others to the test. */
export const withTokens =
  (take: Take): Take =>
  (response, what) =>
    what === "POST /oauth/token"
      ? response.writeHead(200, json).end(JSON.stringify({ access_token: accessToken, expires_in: 3600 }))
      : take(response, what)

export const front = (certificate?: Certificate) =>
  Effect.acquireRelease(
    Effect.promise(() => Front.start("", certificate)),
    (each) => Effect.promise(() => each[Symbol.asyncDispose]())
  )

export interface Given {
  readonly tls?: Certificate
  readonly variables?: Readonly<Record<string, string>>
}

/** A client of a service that answers everything by `take`. */
export const calling = <A, E>(
  take: Take,
  body: (service: Front) => Effect.Effect<A, E, Called>,
  { tls, variables }: Given = {}
) =>
  Effect.scoped(
    Effect.gen(function* () {
      const service = yield* front(tls)
      service.take = take
      const given = {
        SITELEDGER_BASE_URL: `${service.origin}/v1`,
        SITELEDGER_AUTH_URL: service.origin,
        SITELEDGER_CLIENT_ID: "client",
        SITELEDGER_CLIENT_SECRET: clientSecret,
        SITELEDGER_WEBHOOK_URL: "http://127.0.0.1:9/hooks",
        SITELEDGER_DATA_DIR: yield* folder,
        ...variables
      }
      return yield* Effect.provide(body(service), parts(given))
    })
  )

/** One page of the list. */
export const listed = Effect.flatMap(ConstructionClient, (client) =>
  client.call(
    "backfill",
    (api) => api.projects.list({ query: { page: 1 }, responseMode: "response-only" }),
    (answer) => readPage(answer)
  )
)

/** A new subscription; any answer is taken. */
export const subscribed = Effect.flatMap(ConstructionClient, (client) =>
  client.call(
    "event",
    (api) => api.webhooks.create({ payload: { url: "https://hooks.test", events: [] }, responseMode: "response-only" }),
    Effect.succeed
  )
)

/** Any of them. */
export type Call = Effect.Effect<unknown, SourceError, Called>
