/** The token endpoint against its table of refusals, and the requests that it must accept. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import {
  credentialsRequest,
  errorOf,
  exchangeRequest,
  type Parameters,
  refreshRequest,
  start,
  type Started
} from "./Login.ts"
import { basic, noClient, type TokenRefusal, tokenRefusals } from "./TokenRefusals.ts"

const asDefaultClient = { client_id: "sandbox", client_secret: "sandbox-secret" }

/** A valid request, except for what happened before it. */
const requestOf = Effect.fnUntraced(function* (started: Started, { before, grant }: TokenRefusal) {
  if (grant === "credentials") return credentialsRequest
  const { askToken, login, post, tokens } = started
  const exchange = exchangeRequest(yield* login())
  const request = grant === "code" ? exchange : refreshRequest((yield* tokens(exchange)).refresh_token)
  if (before === "used") yield* tokens(request)
  if (before === "expired") yield* TestClock.adjust(grant === "code" ? "60 seconds" : "30 days")
  if (before === "revoked") yield* post("/oauth/revoke", { ...request, token: request["refresh_token"] })
  if (before !== "issued to another client") return request
  assert.strictEqual((yield* askToken({ ...exchange, ...asDefaultClient })).status, 400)
  return { ...request, ...asDefaultClient }
})

describe("A token request is refused:", () => {
  it.effect.each(tokenRefusals)("$grant, $wrong", (refused) =>
    Effect.gen(function* () {
      const started = yield* start()
      const { also = [], answer, authorization, change } = refused
      const request = yield* requestOf(started, refused)
      const headers = authorization === undefined ? {} : { authorization }
      const response = yield* started.askToken({ ...request, ...change }, { also, headers })
      assert.strictEqual(yield* errorOf(response), answer)
      assert.strictEqual(response.headers["content-type"], "application/json")
      assert.strictEqual(response.headers["cache-control"], "no-store")
      assert.strictEqual(response.headers["pragma"], "no-cache")
      const challenge = response.headers["www-authenticate"] ?? ""
      assert.strictEqual(challenge.startsWith("Basic realm="), response.status === 401)
    })
  )

  it.effect("whose body is JSON", () =>
    Effect.gen(function* () {
      const { http, sandbox } = yield* start()
      const request = HttpClientRequest.post(`${sandbox.authUrl}/oauth/token`).pipe(
        HttpClientRequest.bodyJsonUnsafe(credentialsRequest)
      )
      assert.strictEqual(yield* Effect.flatMap(http.execute(request), errorOf), "400 invalid_request")
    })
  )

  it.effect("whose form is labelled as text", () =>
    Effect.gen(function* () {
      const { askToken } = yield* start()
      const response = yield* askToken(credentialsRequest, { headers: { "content-type": "text/plain" } })
      assert.strictEqual(yield* errorOf(response), "400 invalid_request")
    })
  )

  it.effect("that is too large", () =>
    Effect.gen(function* () {
      const { askToken } = yield* start()
      const response = yield* askToken({ ...credentialsRequest, padding: "x".repeat(65_536) })
      assert.strictEqual(yield* errorOf(response), "400 invalid_request")
    })
  )

  it.effect("that comes by GET, with its secrets in the address", () =>
    Effect.gen(function* () {
      const { http, sandbox } = yield* start()
      const query = new URLSearchParams({ grant_type: "client_credentials", ...asDefaultClient })
      const response = yield* http.get(`${sandbox.authUrl}/oauth/token?${query.toString()}`)
      assert.strictEqual(yield* errorOf(response), "405 invalid_request")
      assert.strictEqual(response.headers["allow"], "POST, OPTIONS")
    })
  )
})

describe("A server that takes only HTTP Basic", () => {
  it.effect("refuses a secret in the form, and says so in its metadata; a public client needs neither", () =>
    Effect.gen(function* () {
      const { askToken, http, login, post, sandbox, tokens } = yield* start({ basicOnly: true })
      const inForm = yield* askToken(credentialsRequest)
      assert.match(inForm.headers["www-authenticate"] ?? "", /^Basic /)
      assert.strictEqual(yield* errorOf(inForm), "401 invalid_client")
      const headers = { authorization: basic("sandbox", "sandbox-secret") }
      const { access_token: token } = yield* tokens({ ...credentialsRequest, ...noClient }, { headers })
      assert.strictEqual((yield* post("/oauth/revoke", { ...asDefaultClient, token })).status, 401)
      assert.strictEqual((yield* post("/oauth/revoke", { token }, { headers })).status, 200)
      assert.strictEqual((yield* askToken(exchangeRequest(yield* login()))).status, 200)
      const response = yield* http.get(`${sandbox.authUrl}/.well-known/oauth-authorization-server`)
      assert.include(yield* response.text, '"token_endpoint_auth_methods_supported":["client_secret_basic","none"]')
    })
  )
})

const accepted: ReadonlyArray<{ readonly what: string; readonly change: Parameters; readonly authorization?: string }> =
  [
    { what: "with its secret in the form", change: {} },
    { what: "with HTTP Basic", change: noClient, authorization: basic("sandbox", "sandbox-secret") },
    {
      what: "with HTTP Basic, form-encoded first",
      change: noClient,
      authorization: basic("sand%62ox", "sandbox%2Dsecret")
    },
    {
      what: "with HTTP Basic and its id",
      change: { client_secret: undefined },
      authorization: basic("sandbox", "sandbox-secret")
    },
    { what: "with empty parameters, which count as absent", change: { scope: "", code: "" } },
    { what: "with an unknown parameter", change: { audience: "construction" } },
    { what: "of the Premium client", change: { client_id: "sandbox-premium" } }
  ]

describe("A token request is accepted", () => {
  it.effect.each(accepted)("$what", ({ authorization, change }) =>
    Effect.gen(function* () {
      const { askToken } = yield* start()
      const headers = authorization === undefined ? {} : { authorization }
      assert.strictEqual((yield* askToken({ ...credentialsRequest, ...change }, { headers })).status, 200)
    })
  )
})
