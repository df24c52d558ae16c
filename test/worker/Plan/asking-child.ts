/** A worker's way to the service, with more demand than the plan allows. Started by Many.test.ts. */
import { ConfigProvider, Effect, Layer, Logger } from "effect"
import * as Settings from "../../../config/Settings.ts"
import { ConstructionClient } from "../../../connectors/construction/ConstructionClient.ts"
import { service } from "../../../pipelines/service.ts"
import * as stores from "../../../pipelines/stores.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"

const demand = Effect.gen(function* () {
  const client = yield* ConstructionClient
  const call = client.call(
    "backfill",
    (api) => api.projects.list({ query: { page: 1 }, responseMode: "response-only" }),
    () => Effect.void
  )
  yield* Effect.all(
    Array.from({ length: 16 }, () => Effect.forever(call)),
    { concurrency: "unbounded", discard: true }
  )
})

const layer = service.pipe(
  Layer.provideMerge(stores.store),
  Layer.provideMerge(Reasons.layer),
  Layer.provideMerge(Settings.layerAll),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv()))
)

await Effect.runPromise(Effect.provide(demand, [layer, Logger.layer([])]))
