/**
 * Calls whose token is refused or lacks a scope (RFC 6750 §3), over real HTTP.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ConstructionClient } from "../../connectors/construction/ConstructionClient.ts"
import type { AuthServer } from "./ConstructionAuth/AuthServer.ts"
import type { AuthSettings } from "./ConstructionAuth/AuthSettings.ts"
import { type Called, parts } from "./Called.ts"
import { environment, loggedIn, passing, reasons } from "./ConstructionAuth/Tokens.ts"
import { authServer, folder } from "./ConstructionAuth/Within.ts"

const confidential = { clientId: "server-app", clientSecret: "hush+/ &=%" }

const within = <A, E>(given: Partial<AuthSettings>, body: (server: AuthServer) => Effect.Effect<A, E, Called>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const server = yield* authServer({ ...confidential, ...given })
      const own = environment(server, yield* folder)
      const rest = { SITELEDGER_BASE_URL: server.baseUrl, SITELEDGER_WEBHOOK_URL: "http://127.0.0.1:9/hooks" }
      return yield* Effect.provide(body(server), parts({ ...own, ...rest }))
    })
  )

const call = Effect.flatMap(ConstructionClient, (client) =>
  client.call(
    "backfill",
    (api) => api.projects.list({ query: { page: 1 }, responseMode: "response-only" }),
    () => Effect.void
  )
)

describe("a call", () => {
  for (const way of ["a login", "client credentials"]) {
    it.effect(`on an expired token of ${way} refreshes once for all 1,000 that are under way`, () =>
      within({}, (server) =>
        Effect.gen(function* () {
          if (way === "a login") yield* loggedIn(server)
          yield* call
          const before = server.grants.length
          server.expire()
          yield* Effect.all(
            Array.from({ length: 1000 }, () => call),
            { concurrency: "unbounded", discard: true }
          )
          assert.strictEqual(server.grants.length - before, 1)
          assert.strictEqual(server.calls.filter(({ status }) => status === 200).length, 1001)
          const bearers = server.calls.filter(({ status }) => status === 401).map(({ bearer }) => bearer)
          assert.strictEqual(new Set(bearers).size, 1)
        })
      )
    )
  }

  it.effect("succeeds even if each token ends after a single request", () =>
    within({ uses: 1 }, (server) =>
      Effect.gen(function* () {
        yield* loggedIn(server)
        const calls = Effect.all(
          Array.from({ length: 20 }, () => call),
          { concurrency: "unbounded", discard: true }
        )
        yield* passing(yield* Effect.forkChild(calls))
        assert.strictEqual(server.calls.filter(({ status }) => status === 200).length, 20)
        assert.deepStrictEqual(yield* reasons, [])
      })
    )
  )

  it.effect("whose new token is refused too, without ever being accepted, is left to a person", () =>
    within({ uses: 0 }, (server) =>
      Effect.gen(function* () {
        yield* loggedIn(server)
        const { message, reason } = yield* Effect.flip(call)
        assert.strictEqual(reason, "Refused")
        assert.include(message, "401")
        assert.strictEqual(server.calls.length, 2)
        assert.strictEqual(server.refreshes, 1)
      })
    )
  )

  it.effect("that lacks a scope names it and where to add it; the next one succeeds when it is granted", () =>
    within({ requiredScope: "projects.everything" }, (server) =>
      Effect.gen(function* () {
        yield* loggedIn(server)
        const { message, reason } = yield* Effect.flip(call)
        assert.strictEqual(reason, "Refused")
        assert.match(message, /needs the scope projects\.everything\..*SITELEDGER_SCOPES.*siteledger login/)
        assert.strictEqual(server.refreshes, 0)
        yield* loggedIn(server, "projects.everything")
        yield* call
      })
    )
  )

  it.effect.each([
    { challenge: undefined, named: undefined },
    { challenge: 'Bearer realm="x"', named: undefined },
    { challenge: 'Bearer scope="a.read b.read", error="insufficient_scope"', named: "a.read b.read" },
    { challenge: "Bearer error=insufficient_scope, scope=a.read, realm=x", named: "a.read" },
    { challenge: 'Bearer error="insufficient_scope", scope="a.read é\t"', named: "a.read" }
  ])("forbidden by $challenge names $named", ({ challenge, named }) =>
    within({ challenge }, (server) =>
      Effect.gen(function* () {
        yield* loggedIn(server)
        const { message } = yield* Effect.flip(call)
        assert.include(message, named === undefined ? "a scope is missing" : `the scope ${named}.`)
      })
    )
  )
})
