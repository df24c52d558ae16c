/** What the tests of a sandbox that outlives its process share: a path for its state, and one request to it. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { ConstructionApi, ConstructionTokenApi } from "../../connectors/construction/ConstructionApi.ts"
import { eventTypes } from "../../sandbox/Lifecycles.ts"

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
