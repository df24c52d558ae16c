/**
 * The token's life as the worker composes it, over real HTTP, for one data directory: settings from an environment, the
 * sealed file, no pace. Also helpers to put a login there and to look at it.
 */
import { Clock, ConfigProvider, Effect, Fiber, Layer } from "effect"
import type { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as Settings from "../../../config/Settings.ts"
import { Token } from "../../../connectors/construction/ConstructionAuth.ts"
import { LoginFile, stored } from "../../../connectors/construction/ConstructionAuth/LoginFile.ts"
import * as StoredLogin from "../../../connectors/construction/ConstructionAuth/StoredLogin.ts"
import * as ConstructionHttp from "../../../connectors/construction/ConstructionHttp.ts"
import { TokenEndpoint } from "../../../connectors/construction/ConstructionAuth/TokenEndpoint.ts"
import { Pace } from "../../../src/Walk/Pace.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Seal } from "../../../src/Runtime/Seal.ts"
import type { AuthServer } from "./AuthServer.ts"

export const unpaced = Layer.succeed(Pace, {
  take: () => Effect.void,
  rejected: () => Effect.void,
  accepted: Effect.void,
  pauseUntil: () => Effect.void,
  sent: Effect.succeed(0),
  usage: Effect.succeed({ limitPerMinute: 0, usedLastMinute: 0 })
})

export const environment = (server: AuthServer, dataDir: string): Record<string, string> => ({
  SITELEDGER_AUTH_URL: server.authUrl,
  SITELEDGER_CLIENT_ID: server.settings.clientId,
  ...(server.settings.clientSecret === null ? {} : { SITELEDGER_CLIENT_SECRET: server.settings.clientSecret }),
  SITELEDGER_SCOPES: "projects.read",
  SITELEDGER_DATA_DIR: dataDir
})

const settings = (given: Record<string, string>) =>
  Settings.layerClient.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(given))))

/** Everything below the API client. */
export const tokens = (
  given: Record<string, string>,
  pace: Layer.Layer<Pace> = unpaced,
  http: Layer.Layer<HttpClient.HttpClient> = ConstructionHttp.layer
) =>
  StoredLogin.layerNoDeps.pipe(
    Layer.provideMerge(Layer.merge(LoginFile.layer, TokenEndpoint.layer)),
    Layer.provideMerge(Layer.mergeAll(pace, Reasons.layer, Seal.layer, http)),
    Layer.provideMerge(settings(given)),
    Layer.fresh
  )

export type Parts = Layer.Success<ReturnType<typeof tokens>>

/** Lets virtual seconds pass until a fiber is done, each with a turn of the event loop for the network. */
export const passing = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) yield* second
    return yield* Fiber.join(fiber)
  })

export const second = Effect.andThen(
  TestClock.adjust("1 second"),
  Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
)

/** As if a person had just consented. */
export const loggedIn = Effect.fnUntraced(function* (server: AuthServer, scope = "projects.read") {
  const file = yield* LoginFile
  const granted = server.login(scope)
  const now = yield* Clock.currentTimeMillis
  const answer = {
    access: String(granted["access_token"]),
    refresh: granted["refresh_token"] === undefined ? undefined : String(granted["refresh_token"]),
    lifeMs: Number(granted["expires_in"]) * 1000,
    scopes: undefined
  }
  const { authUrl } = server
  yield* file.locked(
    file.write({
      _tag: "Active",
      authUrl,
      clientId: server.settings.clientId,
      by: "somebody",
      loggedInAtMs: now,
      scopes: [scope],
      tokens: stored(answer, null, now)
    })
  )
  return answer
})

export const get = Effect.flatMap(Token, (token) => token.get)
export const drop = (bearer: string) => Effect.flatMap(Token, (token) => token.drop(bearer))
export const reasons = Effect.flatMap(Reasons, (service) => service.wrong)
export const storedLogin = Effect.flatMap(LoginFile, (file) => file.read)

/** Asks for a token and waits until Status has a reason. */
export const waiting = Effect.gen(function* () {
  const fiber = yield* Effect.forkChild(get)
  while ((yield* reasons).length === 0) yield* second
  return { fiber, sentence: (yield* reasons).join() }
})
