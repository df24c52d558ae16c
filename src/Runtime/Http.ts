/**
 * HTTP clients whose requests leave this network through a proxy, if one is configured (`config/Proxies`): Effect's on undici, and
 * Node's own, which the AWS SDK uses.
 */
import { Agent as HttpAgent } from "node:http"
import { Agent as HttpsAgent } from "node:https"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import type { buildConnector, Dispatcher } from "@effect/platform-node/Undici"
import { Effect, Layer, type Scope } from "effect"
import { proxies } from "../../config/Proxies.ts"

/** For connections without a proxy. */
export interface DispatcherOptions {
  readonly connect?: buildConnector.connector
}

/** A client's connections, which end with the scope. */
export const dispatcher = Effect.fnUntraced(function* (
  optionsOf: (undici: typeof import("@effect/platform-node/Undici")) => DispatcherOptions
): Effect.fn.Return<Dispatcher, never, Scope.Scope> {
  // Loaded lazily, so that verbs that send nothing don't wait for it.
  const undici = yield* Effect.promise(() => import("@effect/platform-node/Undici"))
  const through = proxies()
  const options = optionsOf(undici)
  const make = (): Dispatcher =>
    through === undefined
      ? new undici.Agent(options)
      : new undici.EnvHttpProxyAgent({
          ...options,
          httpProxy: through.HTTP_PROXY,
          httpsProxy: through.HTTPS_PROXY,
          noProxy: through.NO_PROXY
        })
  return yield* Effect.acquireRelease(Effect.sync(make), (each) => Effect.promise(() => each.destroy()))
})

/** A client that follows no redirect. */
export const layerHttp = NodeHttpClient.layerUndiciNoDispatcher.pipe(
  Layer.provide(
    Layer.effect(
      NodeHttpClient.Dispatcher,
      dispatcher(() => ({}))
    )
  )
)

/** Waits for an answer as long as it takes; undici's default doesn't. */
export const layerPatient = Layer.suspend(() => {
  const proxyEnv = proxies()
  return NodeHttpClient.layerNodeHttpOptions(proxyEnv === undefined ? {} : { proxyEnv })
})

/** For Node's own client; empty without a proxy. The pools are configured as in the AWS SDK. */
export const proxiedAgents = () => {
  const proxyEnv = proxies()
  if (proxyEnv === undefined) return {}
  const pool = { keepAlive: true, maxSockets: 50, proxyEnv }
  return { httpAgent: new HttpAgent(pool), httpsAgent: new HttpsAgent(pool) }
}
