/**
 * The life of tokens: refresh tokens rotate, a second use of anything ends the grant behind it, scopes only shrink,
 * revocation ends everything that belongs together, and everything expires.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { credentialsRequest, errorOf, exchangeRequest, isGood, refreshRequest, start, type Started } from "./Login.ts"

const loggedIn = Effect.fnUntraced(function* ({ login, tokens }: Started) {
  const code = yield* login()
  return { code, ...(yield* tokens(exchangeRequest(code))) }
})

const refusal = ({ askToken }: Started, refreshToken: string) =>
  Effect.flatMap(askToken(refreshRequest(refreshToken)), errorOf)

describe("A refresh token", () => {
  it.effect("gives a new pair each time; earlier access tokens stay valid", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const first = yield* loggedIn(started)
      const second = yield* started.tokens(refreshRequest(first.refresh_token))
      const third = yield* started.tokens(refreshRequest(second.refresh_token))
      const pairs = [first, second, third]
      assert.strictEqual(new Set(pairs.flatMap((pair) => [pair.access_token, pair.refresh_token])).size, 6)
      for (const { access_token } of pairs) assert.isTrue(yield* isGood(started, access_token))
    })
  )

  it.effect("used a second time ends the grant, no matter who comes first", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const stolen = yield* loggedIn(started)
      const bystander = yield* loggedIn(started)
      const successor = yield* started.tokens(refreshRequest(stolen.refresh_token))
      assert.strictEqual(yield* refusal(started, stolen.refresh_token), "400 invalid_grant")
      assert.strictEqual(yield* refusal(started, successor.refresh_token), "400 invalid_grant")
      for (const { access_token } of [stolen, successor]) assert.isFalse(yield* isGood(started, access_token))
      assert.isTrue(yield* isGood(started, bystander.access_token))
      yield* started.tokens(refreshRequest(bystander.refresh_token))
    })
  )

  it.effect("of another client is refused, and still works for its owner", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const { refresh_token } = yield* loggedIn(started)
      const theirs = { ...refreshRequest(refresh_token), client_id: "sandbox", client_secret: "sandbox-secret" }
      assert.strictEqual(yield* Effect.flatMap(started.askToken(theirs), errorOf), "400 invalid_grant")
      yield* started.tokens(refreshRequest(refresh_token))
    })
  )

  it.effect("can ask for less, and for all again the next time; asking for more spends nothing", () =>
    Effect.gen(function* () {
      const { askToken, get, login, tokens } = yield* start()
      const whole = yield* tokens(exchangeRequest(yield* login()))
      const less = yield* tokens({ ...refreshRequest(whole.refresh_token), scope: "ipcs.read" })
      assert.strictEqual(less.scope, "ipcs.read")
      assert.strictEqual((yield* get("/ipcs", less.access_token)).status, 200)
      assert.strictEqual((yield* get("/projects", less.access_token)).status, 403)
      const more = { ...refreshRequest(less.refresh_token), scope: "ipcs.read webhooks.write" }
      assert.strictEqual(yield* Effect.flatMap(askToken(more), errorOf), "400 invalid_scope")
      const again = yield* tokens(refreshRequest(less.refresh_token))
      assert.strictEqual(again.scope, "projects.read ipcs.read")
    })
  )

  it.effect("lives for 30 days after it was issued", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const { refresh_token } = yield* loggedIn(started)
      yield* TestClock.adjust("2591999 seconds")
      const second = yield* started.tokens(refreshRequest(refresh_token))
      yield* TestClock.adjust("30 days")
      assert.strictEqual(yield* refusal(started, second.refresh_token), "400 invalid_grant")
    })
  )

  it.effect("is not given with client credentials", () =>
    Effect.gen(function* () {
      const { askToken } = yield* start()
      assert.notProperty(yield* (yield* askToken(credentialsRequest)).json, "refresh_token")
    })
  )
})

describe("An authorization code", () => {
  it.effect("used a second time ends the grant of the first, even after it has expired", () =>
    Effect.gen(function* () {
      const started = yield* start()
      for (const wait of ["0 seconds", "10 minutes"] as const) {
        const { access_token, code, refresh_token } = yield* loggedIn(started)
        yield* TestClock.adjust(wait)
        assert.isTrue(yield* isGood(started, access_token))
        const replayed = yield* started.askToken(exchangeRequest(code))
        assert.strictEqual(yield* errorOf(replayed), "400 invalid_grant")
        assert.isFalse(yield* isGood(started, access_token))
        assert.strictEqual(yield* refusal(started, refresh_token), "400 invalid_grant")
      }
    })
  )

  it.effect("is spent by a wrong verifier, so verifiers can't be tried one by one", () =>
    Effect.gen(function* () {
      const { askToken, login } = yield* start()
      const exchange = exchangeRequest(yield* login())
      const guess = { ...exchange, code_verifier: "a".repeat(43) }
      assert.strictEqual(yield* Effect.flatMap(askToken(guess), errorOf), "400 invalid_grant")
      assert.strictEqual(yield* Effect.flatMap(askToken(exchange), errorOf), "400 invalid_grant")
    })
  )

  it.effect("is not spent by another client", () =>
    Effect.gen(function* () {
      const { askToken, login, tokens } = yield* start()
      const exchange = exchangeRequest(yield* login())
      const theirs = { ...exchange, client_id: "sandbox", client_secret: "sandbox-secret" }
      assert.strictEqual(yield* Effect.flatMap(askToken(theirs), errorOf), "400 invalid_grant")
      yield* tokens(exchange)
    })
  )

  it.effect("lives as long as configured", () =>
    Effect.gen(function* () {
      const { askToken, login, tokens } = yield* start({ codeSeconds: 5 })
      const [early, late] = [exchangeRequest(yield* login()), exchangeRequest(yield* login())]
      yield* TestClock.adjust("4999 millis")
      yield* tokens(early)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Effect.flatMap(askToken(late), errorOf), "400 invalid_grant")
    })
  )
})

describe("Revocation", () => {
  const app = { client_id: "sandbox-app" }

  it.effect("of a refresh token ends its whole grant", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const { access_token, refresh_token } = yield* loggedIn(started)
      const { status } = yield* started.post("/oauth/revoke", { ...app, token: refresh_token })
      assert.strictEqual(status, 200)
      assert.isFalse(yield* isGood(started, access_token))
      assert.strictEqual(yield* refusal(started, refresh_token), "400 invalid_grant")
    })
  )

  it.effect("of an access token ends that one alone", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const { access_token, refresh_token } = yield* loggedIn(started)
      const hint = { token_type_hint: "refresh_token" }
      yield* started.post("/oauth/revoke", { ...app, ...hint, token: access_token })
      assert.isFalse(yield* isGood(started, access_token))
      const next = yield* started.tokens(refreshRequest(refresh_token))
      assert.isTrue(yield* isGood(started, next.access_token))
    })
  )

  it.effect("of an unknown token succeeds; of another client's it is refused", () =>
    Effect.gen(function* () {
      const started = yield* start()
      assert.strictEqual((yield* started.post("/oauth/revoke", { ...app, token: "unknown" })).status, 200)
      const { access_token } = yield* loggedIn(started)
      const other = { client_id: "sandbox", client_secret: "sandbox-secret" }
      const refused = yield* started.post("/oauth/revoke", { ...other, token: access_token })
      assert.strictEqual(yield* errorOf(refused), "400 invalid_grant")
      assert.isTrue(yield* isGood(started, access_token))
    })
  )

  it.effect("needs a token, once, and a client", () =>
    Effect.gen(function* () {
      const { post } = yield* start()
      const refused = (form: Record<string, string>) => Effect.flatMap(post("/oauth/revoke", form), errorOf)
      assert.strictEqual(yield* refused(app), "400 invalid_request")
      assert.strictEqual(yield* refused({ token: "unknown" }), "400 invalid_request")
      assert.strictEqual(yield* refused({ client_id: "sandbox", token: "unknown" }), "401 invalid_client")
      const twice = yield* post("/oauth/revoke", { ...app, token: "unknown" }, { also: [["token", "another"]] })
      assert.strictEqual(yield* errorOf(twice), "400 invalid_request")
    })
  )
})

describe("The sandbox's operator", () => {
  it.effect("can make all access tokens expire at once, and counts the refreshes that follow", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const { access_token, refresh_token } = yield* loggedIn(started)
      const server = yield* started.tokens(credentialsRequest)
      yield* started.sandbox.oauth.revokeAll
      for (const token of [access_token, server.access_token]) assert.isFalse(yield* isGood(started, token))
      assert.isTrue(yield* isGood(started, (yield* started.tokens(refreshRequest(refresh_token))).access_token))
      yield* started.askToken({ ...credentialsRequest, client_secret: "guess" })
      const counts = { tokens: 3, clientCredentials: 1, codes: 1, devices: 0, refreshes: 1, refused: 1 }
      assert.deepStrictEqual(started.sandbox.oauth.counts(), counts)
    })
  )

  it.effect("can end the grants too, so that only a login helps", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const { access_token, refresh_token } = yield* loggedIn(started)
      yield* started.sandbox.oauth.endGrants
      assert.isFalse(yield* isGood(started, access_token))
      assert.strictEqual(yield* refusal(started, refresh_token), "400 invalid_grant")
      assert.isTrue(yield* isGood(started, (yield* loggedIn(started)).access_token))
    })
  )
})
