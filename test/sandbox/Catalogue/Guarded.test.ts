/**
 * The catalogue's operations have the same checks in front of them as the others: token, plan, scope; malformed
 * requests are refused; and the faults on demand apply there too.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { areas } from "../../../sandbox/Catalogue/Areas.ts"
import * as Table from "../../../sandbox/Catalogue/Table.ts"
import { Sandbox } from "../../../sandbox/Sandbox.ts"
import { seed } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"
import { filled, type Given, started } from "./Started.ts"

const errorOf = ({ text }: { readonly text: string }): string => {
  const body = JSON.parse(text) as Readonly<Record<string, unknown>>
  assert.deepStrictEqual(Object.keys(body), ["error", "message"])
  return String(body["error"])
}

/** Is a body for every operation that takes JSON; no field is missing. */
const anything: Given = { json: {} }

describe("Every operation of the catalogue", () => {
  it.effect("needs a token with the scope that the document names, and no other", () =>
    Effect.gen(function* () {
      const { ask, catalogue, document, operations, sandbox, tokenFor } = yield* started()
      const scopes = Object.keys(document.components.securitySchemes.oauth2.flows.clientCredentials.scopes)
      const tokens = new Map<string, { readonly with: string; readonly without: string }>()
      const own = operations.filter(({ path }) => catalogue.operations.some((each) => each.path === path))
      assert.strictEqual(own.length, 833)
      for (const { base, method, operation, path } of seeded(seed).shuffle(own)) {
        if (method === "DELETE") continue
        const [scope = assert.fail(path)] = operation.security.flatMap(({ oauth2 = [] }) => oauth2)
        const known = tokens.get(scope) ?? {
          with: yield* tokenFor([scope]),
          without: yield* tokenFor(scopes.filter((other) => other !== scope))
        }
        tokens.set(scope, known)
        const url = `${base}${filled(catalogue, path)}`
        const anonymous = yield* ask(method, url, anything)
        assert.deepStrictEqual([anonymous.status, errorOf(anonymous)], [401, "unauthorized"], path)
        const refused = yield* ask(method, url, { ...anything, token: known.without })
        assert.deepStrictEqual([refused.status, errorOf(refused)], [403, "insufficient_scope"], `${method} ${path}`)
        assert.include(refused.headers["www-authenticate"] ?? "", `scope="${scope}"`)
        const { status } = yield* ask(method, url, { ...anything, token: known.with })
        // A form is wanted, or a field is missing.
        assert.include([200, 201, 202, 204, 400, 415], status, `${method} ${path}`)
      }
      assert.isAbove(tokens.size, 100)
      assert.isAbove((yield* sandbox.stats).requests.unauthorized, 500)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("answers 404 for an id that isn't there, and below a parent that isn't", () =>
    Effect.gen(function* () {
      const { ask, operations, token } = yield* started()
      let asked = 0
      for (const { base, method, path } of operations) {
        if (!path.includes("{") || path === "/projects/{id}") continue
        const { status, text } = yield* ask(method, `${base}${path.replaceAll(/\{\w+\}/g, "0")}`, {
          ...anything,
          token
        })
        assert.deepStrictEqual([status, errorOf({ text })], [404, "not_found"], `${method} ${path}`)
        asked++
      }
      assert.isAbove(asked, 600)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("answers 404 for a record below a parent that isn't its own", () =>
    Effect.gen(function* () {
      const { catalogue, get } = yield* started({ records: 12 })
      let asked = 0
      for (const resource of Table.read(areas)) {
        if (resource.isFlat || !resource.does.includes("get")) continue
        const truth = catalogue.truth(resource.name)
        const [own] = truth
        const other = truth.find(({ list }) => list !== own?.list)
        if (own === undefined || other === undefined) continue
        const id = own.item.slice(own.list.length)
        const isThereToo = truth.some(({ item }) => item === `${other.list}${id}`)
        assert.strictEqual((yield* get(own.item)).status, 200, own.item)
        assert.strictEqual((yield* get(`${other.list}${id}`)).status, isThereToo ? 200 : 404, resource.name)
        asked++
      }
      assert.isAbove(asked, 40)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("answers HEAD like GET, with the same scope, below each version", () =>
    Effect.gen(function* () {
      const { ask, sandbox, token, tokenFor } = yield* started({ v2: true })
      for (const version of ["v1", "v2"]) {
        const url = `${sandbox.authUrl}/${version}/companies`
        const head = (token: string) => Effect.map(ask("HEAD", url, { token }), ({ status }) => status)
        assert.deepStrictEqual([yield* head(token), yield* head(yield* tokenFor(["projects.read"]))], [200, 403])
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("may be used by web pages of the given origins, with its methods and Link", () =>
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const origin = "http://localhost:3000"
      const preflight = Effect.fnUntraced(function* (openapi: "small" | "full") {
        const { baseUrl } = yield* Sandbox.start({ openapi, cors: [origin], eventsPerSecond: 0 })
        const headers = { origin, "access-control-request-method": "PATCH" }
        const request = HttpClientRequest.setHeaders(HttpClientRequest.options(`${baseUrl}/rfis/1001`), headers)
        const { headers: answered } = yield* http.execute(request)
        return answered["access-control-allow-methods"]?.split(/, ?/).includes("PATCH")
      })
      assert.deepStrictEqual([yield* preflight("full"), yield* preflight("small")], [true, false])
      const { baseUrl } = yield* Sandbox.start({ openapi: "full", cors: [origin], eventsPerSecond: 0 })
      const request = HttpClientRequest.setHeaders(HttpClientRequest.get(`${baseUrl}/companies`), { origin })
      const { headers } = yield* http.execute(request)
      assert.include(headers["access-control-expose-headers"] ?? "", "Link")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("answers 405 for a method that the document doesn't have there", () =>
    Effect.gen(function* () {
      const { ask, sandbox, token } = yield* started()
      const { headers, status } = yield* ask("PUT", `${sandbox.baseUrl}/rfis/1001`, { ...anything, token })
      assert.deepStrictEqual([status, headers["allow"]], [405, "GET, HEAD, PATCH, DELETE, OPTIONS"])
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("What doesn't fit", () => {
  it.effect("is refused: pages, cursors, bodies", () =>
    Effect.gen(function* () {
      const { ask, get, sandbox, token } = yield* started()
      const refused = ["/companies?page=0", "/companies?per_page=x", "/teams?offset=-1", "/teams?limit=1.5"]
      for (const path of [...refused, "/rfis?cursor=abc", "/rfis?limit=0"]) {
        const answer = yield* get(path)
        assert.deepStrictEqual([answer.status, errorOf(answer)], [400, "invalid_request"], path)
      }
      const post = (given: Given) => ask("POST", `${sandbox.baseUrl}/companies`, { ...given, token })
      assert.strictEqual((yield* post({ json: {} })).status, 400)
      assert.strictEqual((yield* post({ json: [] })).status, 400)
      assert.strictEqual((yield* post({ form: new URLSearchParams({ name: "x" }) })).status, 415)
      assert.strictEqual((yield* post({ json: { name: "x".repeat(2_000_000) } })).status, 413)
      const file = yield* ask("POST", `${sandbox.baseUrl}/rfis/1001/attachments`, { json: {}, token })
      assert.deepStrictEqual([file.status, errorOf(file)], [415, "unsupported_media_type"])
      assert.include(file.text, "multipart/form-data")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("The plan", () => {
  it.effect("counts the catalogue's requests with all others", () =>
    Effect.gen(function* () {
      const { get, sandbox } = yield* started({ plan: 20 })
      const { requests } = yield* sandbox.stats
      assert.strictEqual(requests.answered, 0)
      for (let n = 0; n < 10; n++) {
        assert.strictEqual((yield* get("/companies")).status, 200)
        assert.strictEqual((yield* get("/projects")).status, 200)
      }
      for (const path of ["/companies", "/projects", "/me", "/rfis/1001"]) {
        const { headers, status } = yield* get(path)
        assert.strictEqual(status, 429, path)
        assert.isAtLeast(Number(headers["retry-after"]), 1)
      }
      assert.strictEqual((yield* sandbox.stats).requests.overLimit, 4)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("Faults of the API", () => {
  it.effect("hit the catalogue's operations", () =>
    Effect.gen(function* () {
      const { get, sandbox } = yield* started()
      const { faults } = sandbox
      for (const [name, status] of [
        ["error-500", 500],
        ["error-502", 502],
        ["error-503", 503],
        ["rate-limit", 429]
      ] as const) {
        faults.set(name, 1)
        assert.strictEqual((yield* get("/companies")).status, status)
        faults.set(name, 0)
        assert.strictEqual((yield* get("/companies")).status, 200)
      }
      faults.set("cut-json", 1)
      const { text } = yield* get("/companies")
      assert.throws(() => JSON.parse(text))
      assert.strictEqual((yield* Effect.exit(get("/companies")))._tag, "Failure", "cut off in the middle")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
