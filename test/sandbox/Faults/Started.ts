/**
 * A quiet sandbox with the given faults, a client with a token, and receivers that subscribe; over real HTTP. The token
 * is fetched before the faults begin.
 */
import { Effect, Queue } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { ConstructionApi, ConstructionTokenApi } from "../../../connectors/construction/ConstructionApi.ts"
import type { FaultName } from "../../../sandbox/Faults.ts"
import { eventTypes } from "../../../sandbox/Lifecycles.ts"
import { Sandbox, type SandboxOptions } from "../../../sandbox/Sandbox.ts"
import * as CallbackReceiver from "../CallbackReceiver.ts"

const credentials = { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" }

const quiet: SandboxOptions = {
  eventsPerSecond: 0,
  duplicates: 0,
  disorder: 0,
  concurrency: 1,
  startAt: "2026-01-05T08:00:00Z"
}

export type FaultValues = Partial<Record<FaultName, number>>

export const start = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* Sandbox.start({ ...quiet, ...options })
  const oauth = yield* HttpApiClient.make(ConstructionTokenApi, { baseUrl: sandbox.authUrl })
  const token = oauth.oauth.token({ payload: credentials })
  const { access_token } = yield* token
  const authorized = HttpClient.mapRequest(yield* HttpClient.HttpClient, HttpClientRequest.bearerToken(access_token))
  const get = (path: string) => authorized.execute(HttpClientRequest.get(`${sandbox.baseUrl}${path}`))
  const construction = yield* HttpApiClient.makeWith(ConstructionApi, {
    httpClient: authorized,
    baseUrl: sandbox.baseUrl
  })

  /** A receiver that has its ping. */
  const subscribe = Effect.fnUntraced(function* (
    answer?: Parameters<typeof CallbackReceiver.make>[0],
    events: ReadonlyArray<string> = eventTypes
  ) {
    const receiver = yield* CallbackReceiver.make(answer)
    const { secret } = yield* construction.webhooks.create({ payload: { url: receiver.url, events } })
    yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
    yield* Queue.take(receiver.inbox)
    return { ...receiver, secret }
  })
  const set = (values: FaultValues) =>
    Effect.sync(() => {
      for (const [name, value] of Object.entries(values)) sandbox.faults.set(name as FaultName, value)
    })
  return { sandbox, get, token, construction, subscribe, set }
})

/** Emits, waits until no delivery waits, and returns what has arrived by then, in order. */
export const emitted = Effect.fnUntraced(function* (
  sandbox: Sandbox,
  receiver: { readonly inbox: Queue.Dequeue<CallbackReceiver.Received> },
  count: number
) {
  yield* sandbox.emit(count)
  yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
  return yield* Queue.takeAll(receiver.inbox)
})
