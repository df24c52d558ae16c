/** The checks in front of the resources: only valid bearer tokens pass, each with its client's scopes and plan. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { allScopes } from "../../../sandbox/Scopes.ts"
import { credentialsRequest, exchangeRequest, start } from "./Login.ts"

const Refused = Schema.Struct({ error: Schema.String, message: Schema.String })

const readable = ["projects", "ipcs", "vos", "ncrs", "hse-incidents", "permits", "transmittals"]
const scopeOf = (resource: string) => `${resource.replace("-", "_")}.read`

describe("A scope", () => {
  it.effect("opens its resource and no other", () =>
    Effect.gen(function* () {
      const { get, tokens } = yield* start()
      for (const allowed of readable) {
        const { access_token } = yield* tokens({ ...credentialsRequest, scope: scopeOf(allowed) })
        for (const resource of readable) {
          const response = yield* get(`/${resource}`, access_token)
          assert.strictEqual(response.status, resource === allowed ? 200 : 403, `${resource} with ${scopeOf(allowed)}`)
          if (resource === allowed) continue
          const { error, message } = yield* Effect.flatMap(response.json, Schema.decodeUnknownEffect(Refused))
          assert.strictEqual(error, "insufficient_scope")
          assert.include(message, scopeOf(resource))
          assert.strictEqual(
            response.headers["www-authenticate"],
            `Bearer realm="construction", error="insufficient_scope", scope="${scopeOf(resource)}"`
          )
        }
      }
    })
  )

  it.effect("is required for every spelling of the path", () =>
    Effect.gen(function* () {
      const { get, tokens } = yield* start()
      const { access_token } = yield* tokens({ ...credentialsRequest, scope: "projects.read" })
      for (const path of ["/ipcs", "//ipcs", "/%69pcs", "/ipcs?per_page=1", "/ipcs/1"]) {
        assert.strictEqual((yield* get(path, access_token)).status, 403, path)
      }
    })
  )

  it.effect("to write differs from one to read", () =>
    Effect.gen(function* () {
      const { http, sandbox, tokens } = yield* start()
      const subscribe = Effect.fnUntraced(function* (scope: string) {
        const { access_token } = yield* tokens({ ...credentialsRequest, scope })
        const request = HttpClientRequest.post(`${sandbox.baseUrl}/webhooks`).pipe(
          HttpClientRequest.bodyJsonUnsafe({ url: "http://127.0.0.1:9/", events: ["ipc.paid"] }),
          HttpClientRequest.bearerToken(access_token)
        )
        return (yield* http.execute(request)).status
      })
      assert.strictEqual(yield* subscribe("projects.read"), 403)
      assert.lengthOf(sandbox.subscriptions(), 0)
      assert.strictEqual(yield* subscribe("webhooks.write"), 201)
    })
  )

  it.effect("isn't needed in the request: without one the token has all of the client's", () =>
    Effect.gen(function* () {
      const { get, tokens } = yield* start()
      const { access_token, scope } = yield* tokens(credentialsRequest)
      assert.strictEqual(scope, allScopes.join(" "))
      for (const resource of readable) assert.strictEqual((yield* get(`/${resource}`, access_token)).status, 200)
    })
  )
})

describe("A bearer token", () => {
  const presented = [
    { authorization: undefined, answer: 401, says: 'Bearer realm="construction"' },
    { authorization: "Basic c2FuZGJveDpzYW5kYm94LXNlY3JldA==", answer: 401, says: 'Bearer realm="construction"' },
    { authorization: "Bearer unknown", answer: 401, says: 'Bearer realm="construction", error="invalid_token"' },
    { authorization: "Bearer", answer: 400, says: 'Bearer realm="construction", error="invalid_request"' },
    { authorization: "Bearer one two", answer: 400, says: 'Bearer realm="construction", error="invalid_request"' },
    { authorization: "bearer unknown", answer: 401, says: 'Bearer realm="construction", error="invalid_token"' }
  ]
  it.effect.each(presented)("presented as $authorization is answered $answer", ({ answer, authorization, says }) =>
    Effect.gen(function* () {
      const { http, sandbox } = yield* start()
      const request = HttpClientRequest.get(`${sandbox.baseUrl}/projects`)
      const headers = authorization === undefined ? {} : { authorization }
      const response = yield* http.execute(HttpClientRequest.setHeaders(request, headers))
      assert.strictEqual(response.status, answer)
      assert.strictEqual(response.headers["www-authenticate"], says)
      assert.strictEqual((yield* sandbox.stats).requests.unauthorized, 1)
    })
  )

  it.effect("in the address doesn't count", () =>
    Effect.gen(function* () {
      const { http, sandbox, tokens } = yield* start()
      const { access_token } = yield* tokens(credentialsRequest)
      assert.strictEqual((yield* http.get(`${sandbox.baseUrl}/projects?access_token=${access_token}`)).status, 401)
    })
  )
})

describe("The plan", () => {
  it.effect("is counted per client, over all its tokens; a refused scope counts too", () =>
    Effect.gen(function* () {
      const { get, login, sandbox, tokens } = yield* start({ plan: 3 })
      const ofServer = [yield* tokens(credentialsRequest), yield* tokens({ ...credentialsRequest, scope: "vos.read" })]
      const ofApp = yield* tokens(exchangeRequest(yield* login()))
      const statuses = []
      for (const { access_token } of [...ofServer, ...ofServer]) {
        statuses.push((yield* get("/projects", access_token)).status)
      }
      assert.deepStrictEqual(statuses, [200, 403, 200, 429])
      assert.strictEqual((yield* get("/projects", ofApp.access_token)).status, 200)
      assert.strictEqual((yield* sandbox.stats).usedLastMinute, 4)
      assert.deepStrictEqual((yield* sandbox.stats).requests, { answered: 4, unauthorized: 0, overLimit: 1 })
    })
  )

  it.effect("of the Premium client is 3000 in any 60 seconds, regardless of the default", () =>
    Effect.gen(function* () {
      const { get, tokens } = yield* start({ plan: 1, projects: 1 })
      const premium = yield* tokens({ ...credentialsRequest, client_id: "sandbox-premium" })
      const statuses = (count: number) =>
        Effect.map(
          Effect.forEach(Array.from({ length: count }), () => get("/projects", premium.access_token), {
            concurrency: 16
          }),
          (responses) =>
            Object.entries(Object.groupBy(responses, ({ status }) => status)).map(([status, of]) => [
              status,
              of?.length
            ])
        )
      assert.deepStrictEqual(yield* statuses(3001), [
        ["200", 3000],
        ["429", 1]
      ])
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(yield* statuses(1), [["200", 1]])
    })
  )
})
