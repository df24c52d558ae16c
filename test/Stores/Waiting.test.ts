/** The inbox doesn't wait for the warehouse: its files are opened while that is opened, or can't be. */
import { existsSync, mkdirSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as Settings from "../../config/Settings.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import * as Stores from "../../src/Stores/Stores.ts"
import { until } from "./Postgres/World.ts"
import { folder } from "./WarehouseEngines.ts"

const settings = (dataDir: string) =>
  Settings.layerAll.pipe(
    Layer.provide(
      ConfigProvider.layer(
        ConfigProvider.fromEnvRecord({
          SITELEDGER_BASE_URL: "http://127.0.0.1:1/v1",
          SITELEDGER_AUTH_URL: "http://127.0.0.1:1",
          SITELEDGER_CLIENT_ID: "test",
          SITELEDGER_CLIENT_SECRET: "test",
          SITELEDGER_WEBHOOK_URL: "http://127.0.0.1:1/",
          SITELEDGER_DATA_DIR: dataDir
        })
      )
    )
  )

it.live("the inbox is opened although the warehouse can't be", () =>
  Effect.gen(function* () {
    const path = yield* folder
    mkdirSync(join(path, "warehouse.duckdb"))
    const opened = Effect.gen(function* () {
      yield* until(Effect.sync(() => existsSync(join(path, "inbox"))))
      const { all } = yield* Reasons
      yield* until(Effect.map(all, (reasons) => reasons.length > 0))
      return yield* all
    })
    const layer = Layer.provideMerge(Stores.layerWaiting, Layer.merge(Reasons.layer, settings(path)))
    const [reason] = yield* Effect.provide(opened, layer)
    assert.match(reason?.sentence ?? "", /^The warehouse .* can't be opened/)
  }).pipe(Effect.scoped)
)
