import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { TestClock } from "effect/testing"
import { ConstructionApi, ConstructionTokenApi, TokenAnswer } from "../../connectors/construction/ConstructionApi.ts"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"

const credentials = { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" }

const quiet: SandboxOptions = { eventsPerSecond: 0, startAt: "2026-01-05T08:00:00Z" }

const started = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* Sandbox.start({ ...quiet, ...options })
  const http = yield* HttpClient.HttpClient
  const oauth = yield* HttpApiClient.make(ConstructionTokenApi, { baseUrl: sandbox.authUrl })
  const { access_token } = yield* oauth.oauth.token({ payload: credentials })
  const get = (path: string, token: string = access_token) =>
    http.execute(HttpClientRequest.get(`${sandbox.baseUrl}${path}`).pipe(HttpClientRequest.bearerToken(token)))
  const construction = yield* HttpApiClient.make(ConstructionApi, {
    baseUrl: sandbox.baseUrl,
    transformClient: HttpClient.mapRequest(HttpClientRequest.bearerToken(access_token))
  })
  const askToken = (form: Record<string, string>) =>
    http.execute(HttpClientRequest.post(`${sandbox.authUrl}/oauth/token`).pipe(HttpClientRequest.bodyUrlParams(form)))
  return { sandbox, get, construction, http, askToken }
})

const errorOf = Effect.fnUntraced(function* (response: HttpClientResponse.HttpClientResponse) {
  const body = yield* Effect.flatMap(response.json, Schema.decodeUnknownEffect(Schema.Struct({ error: Schema.String })))
  return `${response.status} ${body.error}`
})

describe("The token endpoint", () => {
  it.effect("answers client credentials with a bearer token and echoes the scope", () =>
    Effect.gen(function* () {
      const { askToken } = yield* started({ tokenSeconds: 120 })
      const response = yield* askToken({ ...credentials, scope: "projects.read ipcs.read" })
      const answer = yield* Effect.flatMap(response.json, Schema.decodeUnknownEffect(TokenAnswer))
      assert.strictEqual(response.headers["cache-control"], "no-store")
      assert.strictEqual(answer.token_type, "Bearer")
      assert.strictEqual(answer.expires_in, 120)
      assert.strictEqual(answer.scope, "projects.read ipcs.read")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("refuses with the error names of RFC 6749", () =>
    Effect.gen(function* () {
      const { askToken, http, sandbox } = yield* started()
      const refused = (form: Record<string, string>) => Effect.flatMap(askToken(form), errorOf)
      assert.strictEqual(yield* refused({ ...credentials, client_secret: "guess" }), "401 invalid_client")
      assert.strictEqual(yield* refused({ ...credentials, grant_type: "password" }), "400 unsupported_grant_type")
      assert.strictEqual(yield* refused({ client_id: "sandbox" }), "400 invalid_request")
      assert.strictEqual(yield* refused({ grant_type: "client_credentials" }), "400 invalid_request")
      const json = HttpClientRequest.post(`${sandbox.authUrl}/oauth/token`).pipe(
        HttpClientRequest.bodyJsonUnsafe(credentials)
      )
      assert.strictEqual(yield* Effect.flatMap(http.execute(json), errorOf), "400 invalid_request")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("issues tokens that expire", () =>
    Effect.gen(function* () {
      const { get } = yield* started({ tokenSeconds: 10 })
      assert.strictEqual((yield* get("/projects")).status, 200)
      assert.strictEqual(yield* Effect.flatMap(get("/projects", "unknown"), errorOf), "401 unauthorized")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Effect.flatMap(get("/projects"), errorOf), "401 unauthorized")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("The list of projects", () => {
  it.effect("comes in pages of 50, or as many as asked for, up to the largest", () =>
    Effect.gen(function* () {
      const { construction } = yield* started({ projects: 700, pageSizeMax: 300 })
      const sizes = (query: { page?: number; per_page?: number }) =>
        Effect.map(construction.projects.list({ query }), ({ data, pagination }) => [
          data.length,
          ...Object.values(pagination)
        ])
      assert.deepStrictEqual(yield* sizes({}), [50, 700, 1, 50])
      assert.deepStrictEqual(yield* sizes({ page: 3, per_page: 1000 }), [100, 700, 3, 300])
      assert.deepStrictEqual(yield* sizes({ page: 4, per_page: 300 }), [0, 700, 4, 300])
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("shows every project once, as the truth says, even of a million", () =>
    Effect.gen(function* () {
      const { construction, sandbox } = yield* started({ projects: 1_000_000 })
      yield* sandbox.emit(5000)
      const truth = sandbox.truth()
      const { data, pagination } = yield* construction.projects.list({ query: { page: 1000, per_page: 1000 } })
      assert.strictEqual(pagination.total, 1_000_005)
      assert.strictEqual(truth.projectCount, 1_000_005)
      const expected = Array.from({ length: 1000 }, (_, offset) => truth.project(999_000 + offset))
      assert.deepStrictEqual<ReadonlyArray<{ id: number; name: string; status: string }>>(data, expected)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("is refused with 400 if a parameter isn't a number", () =>
    Effect.gen(function* () {
      const { get } = yield* started()
      assert.strictEqual(yield* Effect.flatMap(get("/projects?page=two"), errorOf), "400 invalid_request")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("The plan's limit", () => {
  it.effect("answers 429 with Retry-After once the plan is used up, and admits again after that", () =>
    Effect.gen(function* () {
      const { get, sandbox } = yield* started({ plan: 5 })
      yield* get("/projects")
      yield* TestClock.adjust("20 seconds")
      for (let request = 0; request < 4; request++) assert.strictEqual((yield* get("/projects")).status, 200)
      yield* TestClock.adjust("500 millis")
      const refused = yield* get("/projects")
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers["retry-after"], "40")
      yield* TestClock.adjust("40 seconds")
      assert.strictEqual((yield* get("/projects")).status, 200)
      assert.strictEqual((yield* get("/projects")).status, 429)
      assert.deepStrictEqual((yield* sandbox.stats).requests, { answered: 6, unauthorized: 0, overLimit: 2 })
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("is not spent by requests without a valid token", () =>
    Effect.gen(function* () {
      const { get } = yield* started({ plan: 1 })
      for (let request = 0; request < 3; request++) {
        assert.strictEqual((yield* get("/projects", "unknown")).status, 401)
      }
      assert.strictEqual((yield* get("/projects")).status, 200)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
