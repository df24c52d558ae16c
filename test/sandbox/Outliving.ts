/** What the tests of a sandbox that outlives its process share: a path for its state, its lives, a request to it. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { ConstructionApi, ConstructionTokenApi } from "../../connectors/construction/ConstructionApi.ts"
import { eventTypes } from "../../sandbox/Lifecycles.ts"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"

/** In a folder that doesn't exist yet; gone when the scope closes. */
export const temporaryStatePath = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "sandbox-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
).pipe(Effect.map((folder) => join(folder, "kept", "state.json")))

/** To all event types. */
export const subscribeAt = Effect.fnUntraced(function* (authUrl: string, url: string) {
  const oauth = yield* HttpApiClient.make(ConstructionTokenApi, { baseUrl: authUrl })
  const { access_token } = yield* oauth.oauth.token({
    payload: { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" }
  })
  const construction = yield* HttpApiClient.make(ConstructionApi, {
    baseUrl: `${authUrl}/v1`,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(access_token))
  })
  return yield* construction.webhooks.create({ payload: { url, events: eventTypes } })
})

export const startAt = Date.UTC(2026, 0, 5, 8)
export const calm: SandboxOptions = { eventsPerSecond: 0, duplicates: 0, disorder: 0, startAt }

/** One life: runs `use` and leaves the state as it was at its end, as if killed. */
export const killedAfter = <A, E, R>(options: SandboxOptions, use: (sandbox: Sandbox) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const path = options.statePath ?? ""
    const result = yield* Effect.scoped(
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.start({ ...calm, ...options })
        const result = yield* use(sandbox)
        copyFileSync(path, `${path}.killed`)
        return result
      })
    )
    copyFileSync(`${path}.killed`, path)
    return result
  })
