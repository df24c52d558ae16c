/**
 * Requests that don't match the description, and the optional headers: over real HTTP, as a foreign client sees them.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"

const quiet: SandboxOptions = { eventsPerSecond: 0, startAt: "2026-01-05T08:00:00Z", projects: 5, v2: true }

const started = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* Sandbox.start({ ...quiet, ...options })
  const send = (method: string, path: string, init: RequestInit = {}) =>
    Effect.promise(() => fetch(`${sandbox.authUrl}${path}`, { method, redirect: "manual", ...init }))
  const body = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: "sandbox",
    client_secret: "sandbox-secret"
  })
  const token = yield* Effect.flatMap(send("POST", "/oauth/token", { body }), (answer) =>
    Effect.promise(() => answer.json() as Promise<{ readonly access_token: string }>)
  )
  const authorization = `Bearer ${token.access_token}`
  const ask = (method: string, path: string, init: RequestInit = {}) =>
    send(method, path, { ...init, headers: { authorization, ...(init.headers as Record<string, string>) } })
  return { sandbox, send, ask }
})

/** `404 not_found`, for an error in the one form. */
const errorOf = Effect.fnUntraced(function* (answer: Response) {
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  const body = (yield* Effect.promise(() => answer.json())) as Readonly<Record<string, string>>
  assert.deepStrictEqual(Object.keys(body), ["error", "message"])
  return `${answer.status} ${body["error"]}: ${body["message"]}`
})

describe("An address that takes other methods", () => {
  const cases: ReadonlyArray<readonly [method: string, path: string, allow: string]> = [
    ["DELETE", "/v1/projects", "GET, HEAD, OPTIONS"],
    ["POST", "/v1/projects/1001", "GET, HEAD, OPTIONS"],
    ["GET", "/v1/webhooks", "POST, OPTIONS"],
    ["HEAD", "/v1/webhooks", "POST, OPTIONS"],
    ["PATCH", "/v2/ipcs?page=1", "GET, HEAD, OPTIONS"],
    ["PUT", "/v1/openapi.json", "GET, HEAD, OPTIONS"],
    ["POST", "/.well-known/oauth-authorization-server", "GET, HEAD, OPTIONS"],
    ["DELETE", "/admin/api/subscriptions", "GET, HEAD, POST, OPTIONS"],
    ["PUT", "/v1/projects/", "GET, HEAD, OPTIONS"],
    ["PUT", "/admin", "GET, HEAD, OPTIONS"]
  ]
  it.effect("answers 405 with Allow, in the one form of errors", () =>
    Effect.gen(function* () {
      const { send } = yield* started()
      for (const [method, path, allow] of cases) {
        const answer = yield* send(method, path)
        assert.strictEqual(answer.headers.get("allow"), allow, path)
        if (method === "HEAD") assert.strictEqual(answer.status, 405)
        else assert.match(yield* errorOf(answer), /^405 method_not_allowed: \/[^?]* takes /, path)
      }
    })
  )

  it.effect("answers OPTIONS with Allow, and the token endpoint 405 in the form of RFC 6749", () =>
    Effect.gen(function* () {
      const { send } = yield* started()
      const options = yield* send("OPTIONS", "/v1/projects")
      assert.deepStrictEqual([options.status, options.headers.get("allow")], [204, "GET, HEAD, OPTIONS"])
      assert.isNull(options.headers.get("access-control-allow-origin"))
      for (const [method, path] of [
        ["GET", "/oauth/token"],
        ["PUT", "/oauth/revoke"]
      ] as const) {
        const answer = yield* send(method, path)
        assert.deepStrictEqual([answer.status, answer.headers.get("allow")], [405, "POST, OPTIONS"])
        const body = (yield* Effect.promise(() => answer.json())) as Readonly<Record<string, string>>
        assert.deepStrictEqual(Object.keys(body), ["error", "error_description"])
        assert.strictEqual(answer.headers.get("cache-control"), "no-store")
      }
    })
  )
})

describe("An address that doesn't exist", () => {
  it.effect("answers 404; one with a slash at its end is the same, and HEAD has no body", () =>
    Effect.gen(function* () {
      const { ask } = yield* started()
      const error = (path: string) => Effect.flatMap(ask("GET", path), errorOf)
      assert.strictEqual((yield* ask("GET", "/v1/projects/?page=1")).status, 200)
      assert.match(yield* error("/v1/nothing"), /^404 not_found: .*\/v1\/docs lists all endpoints$/)
      assert.match(yield* error("/v3/projects"), /^404 unknown_version: .* versions are \/v1 and \/v2$/)
      assert.match(yield* error("/v1/projects/9"), /^404 not_found: there is no project 9$/)
      const head = yield* ask("HEAD", "/v1/projects?per_page=2")
      assert.strictEqual(head.status, 200)
      assert.match(head.headers.get("content-type") ?? "", /^application\/json/)
      assert.strictEqual(yield* Effect.promise(() => head.text()), "")
    })
  )
})

describe("A request that doesn't fit", () => {
  it.effect("is refused with 400, 413 or 415, saying what is wrong", () =>
    Effect.gen(function* () {
      const { ask, sandbox } = yield* started()
      const error = (path: string) => Effect.flatMap(ask("GET", path), errorOf)
      for (const query of ["page=0", "page=-1", "per_page=0", "page=abc", "page=1&page=2", "page="]) {
        const name = query.startsWith("per_page") ? "per_page" : "page"
        assert.match(yield* error(`/v1/projects?${query}`), new RegExp(`^400 invalid_request: .*"${name}"`), query)
      }
      const json = { "content-type": "application/json" }
      const post = (body: string, headers: Record<string, string> = json) =>
        Effect.flatMap(ask("POST", "/v1/webhooks", { body, headers }), errorOf)
      assert.match(yield* post("{"), /^400 invalid_request: the body doesn't match .*valid JSON/)
      assert.match(yield* post("{}"), /^400 invalid_request: .*"url"/)
      const form = { "content-type": "application/x-www-form-urlencoded" }
      assert.match(yield* post("url=x", form), /^415 unsupported_media_type: /)
      assert.match(yield* post(`{"url":"${"x".repeat(1_100_000)}"}`), /^413 too_large: /)
      assert.strictEqual(sandbox.subscriptions().length, 0)
    })
  )
})

describe("With rate-limit headers", () => {
  it.effect("each counted answer says what is left, and a refused one when there is more", () =>
    Effect.gen(function* () {
      const { ask, send } = yield* started({ rateLimitHeaders: true, plan: 2 })
      const shown = (answer: Response) =>
        ["ratelimit", "ratelimit-policy", "retry-after"].map((name) => answer.headers.get(name))
      assert.deepStrictEqual(shown(yield* ask("GET", "/v1/projects")), ['"plan";r=1;t=60', '"plan";q=2;w=60', null])
      assert.deepStrictEqual(shown(yield* ask("GET", "/v2/ipcs/x")), ['"plan";r=0;t=60', '"plan";q=2;w=60', null])
      const refused = yield* ask("GET", "/v1/projects")
      assert.deepStrictEqual(shown(refused), ['"plan";r=0;t=60', '"plan";q=2;w=60', "60"])
      assert.match(yield* errorOf(refused), /^429 rate_limited: /)
      assert.deepStrictEqual(shown(yield* send("GET", "/v1/projects")), [null, null, null])
    })
  )

  it.effect("are sent only where they are asked for", () =>
    Effect.gen(function* () {
      const { ask } = yield* started()
      assert.isNull((yield* ask("GET", "/v1/projects")).headers.get("ratelimit"))
    })
  )
})

describe("A web page of an allowed origin", () => {
  const origin = "http://localhost:3000"
  const preflight = {
    headers: { origin, "access-control-request-method": "GET", "access-control-request-headers": "authorization" }
  }
  it.effect("may use the API and the token endpoint, and reads its errors", () =>
    Effect.gen(function* () {
      const { ask, send } = yield* started({ cors: [origin] })
      const allowed = (answer: Response) => answer.headers.get("access-control-allow-origin")
      for (const path of ["/v1/projects", "/v2/webhooks", "/oauth/token", "/.well-known/oauth-authorization-server"]) {
        const answer = yield* send("OPTIONS", path, preflight)
        assert.deepStrictEqual([answer.status, allowed(answer)], [204, origin], path)
        assert.match(answer.headers.get("access-control-allow-headers") ?? "", /Authorization/)
        assert.match(answer.headers.get("access-control-allow-methods") ?? "", /POST/)
      }
      const own = { headers: { origin } }
      for (const path of ["/v1/projects", "/v1/projects?page=0", "/v1/nothing"]) {
        const answer = yield* ask("GET", path, own)
        assert.strictEqual(allowed(answer), origin, path)
        assert.include(answer.headers.get("vary"), "Origin")
        assert.match(answer.headers.get("access-control-expose-headers") ?? "", /Retry-After/)
      }
      assert.strictEqual(allowed(yield* send("GET", "/v1/projects", own)), origin)
      assert.isNull(allowed(yield* ask("GET", "/v1/projects", { headers: { origin: "http://evil.example" } })))
    })
  )

  it.effect("may use neither the login page nor the administration, and nothing unless it is allowed", () =>
    Effect.gen(function* () {
      const open = yield* started({ cors: ["*"] })
      const allowed = (answer: Response) => answer.headers.get("access-control-allow-origin")
      const own = { headers: { origin } }
      assert.strictEqual(allowed(yield* open.ask("GET", "/v1/projects", own)), "*")
      for (const path of [
        "/oauth/authorize",
        "/oauth/device",
        "/oauth/device/?user_code=x",
        "/admin",
        "/admin/api/subscriptions"
      ]) {
        assert.isNull(allowed(yield* open.send("GET", path, own)), path)
        assert.isNull(allowed(yield* open.send("OPTIONS", path, preflight)), path)
      }
      const closed = yield* started()
      assert.isNull(allowed(yield* closed.ask("GET", "/v1/projects", own)))
      assert.isNull(allowed(yield* closed.send("OPTIONS", "/v1/projects", preflight)))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
