/** The worker's configuration in a benchmark, as an operator would set it. */
import { ConfigProvider, Layer } from "effect"
import * as Settings from "../config/Settings.ts"

type Environment = Readonly<Record<string, string>>

/** Provides the environment to everything that reads it. */
export const configured = (environment: Environment) =>
  ConfigProvider.layer(
    ConfigProvider.fromEnvRecord({
      SITELEDGER_BASE_URL: "http://127.0.0.1:1/v1",
      SITELEDGER_AUTH_URL: "http://127.0.0.1:1",
      SITELEDGER_CLIENT_ID: "bench",
      SITELEDGER_CLIENT_SECRET: "bench-secret",
      SITELEDGER_WEBHOOK_URL: "http://127.0.0.1:1/",
      ...environment
    })
  )

export const settings = (environment: Environment) => Settings.layerAll.pipe(Layer.provide(configured(environment)))
