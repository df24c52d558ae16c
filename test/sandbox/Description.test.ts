/**
 * The API's description is true: everything that it names is served, and nothing else, and each operation needs the
 * scope that it names. Also the answers to unknown addresses.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest, type HttpMethod } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { ConstructionTokenApi } from "../../connectors/construction/ConstructionApi.ts"
import { assumed } from "../../sandbox/AssumedApi.ts"
import { methods } from "../../sandbox/Description/OpenApi.ts"
import type { Sandbox } from "../../sandbox/Sandbox.ts"
import { allScopes } from "../../sandbox/Scopes.ts"
import { type Described, operations, started } from "./Described.ts"

const tokenFor = Effect.fnUntraced(function* (sandbox: Sandbox, scopes: ReadonlyArray<string>) {
  const oauth = yield* HttpApiClient.make(ConstructionTokenApi, { baseUrl: sandbox.authUrl })
  const client = { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" }
  const { access_token } = yield* oauth.oauth.token({ payload: { ...client, scope: scopes.join(" ") } })
  return access_token
})

/** An existing id of each resource. */
const ids: Readonly<Record<string, string>> = {
  projects: "1001",
  ipcs: "IPC-2026-000001",
  vos: "VO-2026-000001",
  ncrs: "NCR-2026-000001",
  "hse-incidents": "HSE-2026-000001",
  permits: "PTW-2026-000001",
  transmittals: "TR-2026-000001"
}
const filled = (path: string) => path.replace("{id}", ids[path.split("/")[1] ?? ""] ?? "")

const ask = Effect.fnUntraced(function* (sandbox: Sandbox, { base, method, path }: Described, token?: string) {
  const http = yield* HttpClient.HttpClient
  const url = new URL(`${base.replace(/\/$/, "")}${filled(path)}`, sandbox.authUrl)
  const request = HttpClientRequest.make(method as HttpMethod.HttpMethod)(url)
  return yield* http.execute(token === undefined ? request : HttpClientRequest.bearerToken(request, token))
})

/** Every value under this key, anywhere in a JSON value. */
const valuesOf = (value: unknown, key: string): ReadonlyArray<unknown> => {
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => [...(name === key ? [inner] : []), ...valuesOf(inner, key)])
}

describe("The OpenAPI document", () => {
  it.effect("is consistent in its ids, references, parameters, tags and scopes", () =>
    Effect.gen(function* () {
      const { document } = yield* started()
      assert.strictEqual(document.openapi, "3.1.0")
      const all = operations(document)
      const operationIds = all.map(({ operation }) => operation.operationId)
      assert.strictEqual(new Set(operationIds).size, all.length)
      const references = valuesOf(document, "$ref")
      assert.isNotEmpty(references)
      for (const reference of references) {
        const name = String(reference).replace("#/components/schemas/", "")
        assert.property(document.components.schemas, name, String(reference))
      }
      const tags = document.tags.map(({ name }) => name)
      assert.strictEqual(new Set(tags).size, tags.length)
      const { clientCredentials, authorizationCode } = document.components.securitySchemes.oauth2.flows
      assert.deepStrictEqual(Object.keys(clientCredentials.scopes), [...allScopes])
      assert.deepStrictEqual(authorizationCode.scopes, clientCredentials.scopes)
      for (const { operation, path } of all) {
        const inPath = operation.parameters.filter((parameter) => parameter.in === "path")
        assert.deepStrictEqual(
          inPath.map(({ name, required }) => [`{${name}}`, required]),
          (path.match(/\{\w+\}/g) ?? []).map((name) => [name, true])
        )
        for (const tag of operation.tags) assert.include(tags, tag)
        for (const { description } of Object.values(operation.responses)) assert.isNotEmpty(description)
        for (const scope of operation.security.flatMap(({ oauth2 = [] }) => oauth2)) assert.include(allScopes, scope)
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("names what is served and nothing else", () =>
    Effect.gen(function* () {
      const { document, http, sandbox } = yield* started()
      const token = yield* tokenFor(sandbox, allScopes)
      const all = operations(document)
      const addresses = new Map(all.map((described) => [`${described.base} ${described.path}`, described]))
      for (const described of addresses.values()) {
        const served: Array<string> = []
        for (const method of methods.map((method) => method.toUpperCase())) {
          const { status } = yield* ask(sandbox, { ...described, method }, token)
          if (status !== 404 && status !== 405) served.push(method)
        }
        const named = all.filter(({ base, path }) => base === described.base && path === described.path)
        assert.deepStrictEqual(
          served,
          named.map(({ method }) => method),
          described.path
        )
      }
      // The login page is no operation; its address is in the flow.
      const { authorizationUrl } = document.components.securitySchemes.oauth2.flows.authorizationCode
      const { status } = yield* http.get(new URL(authorizationUrl ?? "", sandbox.authUrl))
      assert.strictEqual(status, 400)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("names the scope that each operation needs", () =>
    Effect.gen(function* () {
      const { document, sandbox } = yield* started()
      for (const described of operations(document)) {
        const [scope] = described.operation.security.flatMap(({ oauth2 = [] }) => oauth2)
        if (scope === undefined) {
          if (described.method === "GET")
            assert.strictEqual((yield* ask(sandbox, described)).status, 200, described.path)
          continue
        }
        assert.strictEqual((yield* ask(sandbox, described)).status, 401, described.path)
        const others = allScopes.filter((other) => other !== scope)
        const refused = yield* ask(sandbox, described, yield* tokenFor(sandbox, others))
        assert.strictEqual(refused.status, 403, described.path)
        const answered = yield* ask(sandbox, described, yield* tokenFor(sandbox, [scope]))
        // The creation of a subscription is requested without a body.
        assert.strictEqual(answered.status, described.method === "GET" ? 200 : 400, described.path)
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("marks each operation as assumed, except the three that the interface document shows", () =>
    Effect.gen(function* () {
      const { document } = yield* started()
      const shown = operations(document).filter(({ operation }) => !operation.description?.startsWith(assumed))
      assert.deepStrictEqual(shown.map(({ method, path }) => `${method} ${path}`).toSorted(), [
        "GET /projects",
        "POST /oauth/token",
        "POST /webhooks"
      ])
      for (const { operation } of shown) assert.match(operation.description ?? "", /^Interface document §4\.[123]/)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("states the page sizes in use", () =>
    Effect.gen(function* () {
      const { document } = yield* started({ pageSize: 7, pageSizeMax: 9 })
      const perPage = document.paths["/ipcs"]?.get?.parameters.find(({ name }) => name === "per_page")
      assert.deepInclude(perPage?.schema, { type: "integer", default: 7 })
      assert.include(perPage?.description, "More than 9 ")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("An unknown address", () => {
  it.effect("of another version is answered 404 with the served version", () =>
    Effect.gen(function* () {
      const { http, sandbox } = yield* started()
      const get = (path: string) => http.get(`${sandbox.authUrl}${path}`)
      for (const path of ["/v2/projects", "/v2", "/v10/ipcs?page=1", "/v0/"]) {
        const answer = yield* get(path)
        assert.strictEqual(answer.status, 404)
        const { error, message } = (yield* answer.json) as { readonly error: string; readonly message: string }
        assert.strictEqual(error, "unknown_version", path)
        assert.match(message, /the served version is \/v1$/)
      }
      for (const path of ["/v1/nothing", "/v1", "/version/2", "/"]) {
        const answer = yield* get(path)
        assert.strictEqual(answer.status, 404)
        assert.include(yield* answer.json, { error: "not_found" }, path)
      }
      assert.strictEqual((yield* http.head(`${sandbox.baseUrl}/docs`)).status, 200)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
