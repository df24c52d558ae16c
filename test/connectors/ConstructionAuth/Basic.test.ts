/**
 * A token endpoint that accepts the client's secret only by HTTP Basic: this is noticed once, costs one request of the
 * plan, and is never tried at another address.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Pace } from "../../../src/Walk/Pace.ts"
import { forget } from "../../../connectors/construction/ConstructionLogin.ts"
import { environment, get, loggedIn, storedLogin, tokens, unpaced } from "./Tokens.ts"
import { authServer, within } from "./Within.ts"

const confidential = { clientId: "server app", clientSecret: "hush+/ &=%:é" }
const challenge = 'Bearer realm="a, b", Basic realm="construction"'

/** Which of the requests had the secret in their form. */
const inForm = (server: { readonly grants: ReadonlyArray<URLSearchParams> }) =>
  server.grants.map((form) => form.has("client_secret"))

describe("a token endpoint that insists on Basic", () => {
  it.effect.each([{ challenge }, { error: "invalid_client" }, { challenge, error: "unauthorized" }])(
    "and says so by %o is asked with it once, and at once from then on",
    (basic) =>
      within({ ...confidential, basic }, (server) =>
        Effect.gen(function* () {
          assert.isTrue(server.isGood(yield* get))
          assert.deepStrictEqual(inForm(server), [true, false])
          yield* TestClock.adjust("1 hour")
          assert.isTrue(server.isGood(yield* get))
          yield* loggedIn(server)
          yield* TestClock.adjust("1 hour")
          assert.isTrue(server.isGood(yield* get))
          assert.deepStrictEqual(inForm(server), [true, false, false, false])
          assert.strictEqual(server.grants.at(-1)?.get("grant_type"), "refresh_token")
        })
      )
  )

  it.effect("gets no secret in a form under SITELEDGER_TOKEN_AUTH=basic", () =>
    within({ ...confidential, basic: { challenge } }, (server, dataDir) =>
      Effect.gen(function* () {
        assert.isTrue(server.isGood(yield* get))
        assert.deepStrictEqual(inForm(server), [false])
      }).pipe(Effect.provide(tokens({ ...environment(server, dataDir), SITELEDGER_TOKEN_AUTH: "basic" })))
    )
  )

  it.effect("has each of its requests counted by the plan", () =>
    within({ ...confidential, basic: { challenge } }, (server, dataDir) =>
      Effect.gen(function* () {
        let turns = 0
        const counting = Layer.effect(
          Pace,
          Effect.map(Pace, (pace) => Pace.of({ ...pace, take: () => Effect.sync(() => void turns++) }))
        ).pipe(Layer.provide(unpaced))
        yield* Effect.provide(get, tokens(environment(server, dataDir), counting))
        yield* loggedIn(server)
        yield* TestClock.adjust("1 hour")
        yield* Effect.provide(get, tokens(environment(server, dataDir), counting))
        assert.strictEqual(server.grants.length, 4)
        assert.strictEqual(turns, 4)
      })
    )
  )

  it.effect("revokes a login, too", () =>
    within({ ...confidential, basic: { challenge } }, (server) =>
      Effect.gen(function* () {
        const { refresh } = yield* loggedIn(server)
        assert.match(yield* forget, /revoked/)
        assert.deepStrictEqual(server.revoked, [refresh ?? ""])
        assert.strictEqual((yield* storedLogin)._tag, "None")
      })
    )
  )
})

describe("Basic", () => {
  it.effect("that is refused too is one refusal, and the form is tried again", () =>
    within(confidential, (server) =>
      Effect.gen(function* () {
        server.settings.clientSecret = "changed"
        assert.match((yield* Effect.flip(get)).message, /401 invalid_client.*SITELEDGER_CLIENT_SECRET/)
        assert.deepStrictEqual(inForm(server), [true, false])
        server.settings.clientSecret = confidential.clientSecret
        assert.isTrue(server.isGood(yield* get))
        assert.deepStrictEqual(inForm(server), [true, false, true])
      })
    )
  )

  it.effect("that an endpoint doesn't know hides no earlier refusal, but one of the grant counts", () =>
    within(confidential, (server) =>
      Effect.gen(function* () {
        for (const [error, expected] of [
          ["invalid_request", /401 invalid_client/],
          ["invalid_scope", /400 invalid_scope/]
        ] as const) {
          server.settings.refusal = { status: 401, error: "invalid_client" }
          let requests = 0
          server.settings.hold = async () => {
            requests += 1
            if (requests === 2) server.settings.refusal = { status: 400, error }
          }
          assert.match((yield* Effect.flip(get)).message, expected)
        }
        assert.deepStrictEqual(inForm(server), [true, false, true, false])
      })
    )
  )

  it.effect("isn't tried by a client whose secret in the form has worked, or that has none", () =>
    Effect.gen(function* () {
      yield* within(confidential, (server) =>
        Effect.gen(function* () {
          yield* get
          yield* TestClock.adjust("1 hour")
          server.settings.refusal = { status: 401, error: "invalid_client", headers: { "www-authenticate": challenge } }
          yield* Effect.flip(get)
          assert.strictEqual(server.grants.length, 2)
        })
      )
      yield* within({}, (server) =>
        Effect.gen(function* () {
          yield* loggedIn(server)
          yield* TestClock.adjust("1 hour")
          server.settings.refusal = { status: 401, headers: { "www-authenticate": challenge } }
          yield* Effect.flip(get)
          assert.strictEqual(server.grants.length, 1)
        })
      )
    })
  )

  it.effect("isn't tried where a redirect leads, nor after one", () =>
    within(confidential, (server) =>
      Effect.gen(function* () {
        const elsewhere = yield* authServer({ ...confidential, basic: { challenge } })
        for (const status of [302, 307, 308]) {
          const location = `${elsewhere.authUrl}/oauth/token`
          server.settings.refusal = { status, headers: { location, "www-authenticate": challenge } }
          assert.match((yield* Effect.flip(get)).message, /redirects aren't followed/)
        }
        assert.deepStrictEqual(inForm(server), [true, true, true])
        assert.deepStrictEqual(elsewhere.grants, [])
      })
    )
  )
})
