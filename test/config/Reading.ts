/** Settings as they are read from an environment that a test provides; the process's is never read. */
import { ConfigProvider, Effect, Layer } from "effect"
import { ClientSettings, layer, layerAll, layerClient, ServiceSettings, Settings } from "../../config/Settings.ts"

export type Env = Readonly<Record<string, string>>

const within = (env: Env) => Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(env)))

export const settings = (env: Env) => Effect.provide(Settings, within(env)(layer))

export const serviceSettings = (env: Env) => Effect.provide(ServiceSettings, within(env)(layerAll))

export const clientSettings = (env: Env) => Effect.provide(ClientSettings, within(env)(layerClient))
