/**
 * The authorization code flow with PKCE as a client and its user go through it, and what keeps others out of it: the
 * form's secret, the browser's cookie, the page's headers.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { AuthorizationServer } from "../../../connectors/construction/ConstructionApi.ts"
import { allScopes } from "../../../sandbox/Scopes.ts"
import {
  administrator,
  exchangeRequest,
  type Form,
  isGood,
  locationOf,
  redirectUri,
  type Shown,
  start,
  type Started,
  verifier
} from "./Login.ts"

const allow: Form = { ...administrator, decision: "allow" }

const reports = Effect.fnUntraced(function* ({ answer }: Started, shown: Shown, form: Form = allow) {
  const response = yield* answer(shown, form)
  const html = yield* response.text
  return { status: response.status, alert: /<p role="alert"[^>]*>([^<]*)<\/p>/.exec(html)?.[1] ?? "" }
})

describe("A login", () => {
  it.effect("ends with tokens for the scopes that the page named", () =>
    Effect.gen(function* () {
      const started = yield* start({ tokenSeconds: 120 })
      const shown = yield* started.show()
      assert.include(shown.html, "Desktop application")
      assert.include(shown.html, "<code>sandbox-app</code>")
      assert.deepStrictEqual(
        [...shown.html.matchAll(/<li><code>([^<]*)<\/code><\/li>/g)].map(([, scope]) => scope),
        ["projects.read", "ipcs.read"]
      )
      const response = yield* started.answer(shown, allow)
      const location = locationOf(response)
      const { code = "", ...said } = Object.fromEntries(location.searchParams)
      assert.strictEqual(response.status, 303)
      assert.strictEqual(response.headers["cache-control"], "no-store")
      assert.strictEqual(response.headers["referrer-policy"], "no-referrer")
      assert.strictEqual(`${location.origin}${location.pathname}`, redirectUri)
      assert.deepStrictEqual(said, { state: "a state of the client", iss: started.sandbox.authUrl })
      const { access_token, refresh_token, ...answer } = yield* started.tokens(exchangeRequest(code))
      assert.deepStrictEqual(answer, { token_type: "Bearer", expires_in: 120, scope: "projects.read ipcs.read" })
      assert.isTrue(yield* isGood(started, access_token))
      assert.notStrictEqual(refresh_token, "")
    })
  )

  it.effect("without a scope asks for all of them", () =>
    Effect.gen(function* () {
      const { login, tokens } = yield* start()
      const { scope } = yield* tokens(exchangeRequest(yield* login({ scope: undefined })))
      assert.strictEqual(scope, allScopes.join(" "))
    })
  )

  it.effect("gets its state back unchanged, and none if it sent none", () =>
    Effect.gen(function* () {
      const { answer, show } = yield* start()
      const state = `a+b &=?#/%41 "'<é>${"x".repeat(500)}`
      assert.strictEqual(locationOf(yield* answer(yield* show({ state }), allow)).searchParams.get("state"), state)
      const without = locationOf(yield* answer(yield* show({ state: undefined }), allow))
      assert.isFalse(without.searchParams.has("state"))
    })
  )

  it.effect("that is denied gets no code, and needs no password", () =>
    Effect.gen(function* () {
      const { answer, show } = yield* start()
      const response = yield* answer(yield* show(), { decision: "deny" })
      const { searchParams } = locationOf(response)
      assert.strictEqual(response.status, 303)
      assert.strictEqual(searchParams.get("error"), "access_denied")
      assert.strictEqual(searchParams.get("state"), "a state of the client")
      assert.isFalse(searchParams.has("code"))
    })
  )

  it.effect("with a wrong password shows the form again, and can then succeed", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const shown = yield* started.show()
      for (const wrong of [{ password: "guess" }, { username: "root@example.com" }, { password: "" }]) {
        const { alert, status } = yield* reports(started, shown, { ...allow, ...wrong })
        assert.strictEqual(status, 403)
        assert.match(alert, /user name or the password is wrong/)
      }
      assert.isTrue(locationOf(yield* started.answer(shown, allow)).searchParams.has("code"))
    })
  )
})

describe("The form of a login", () => {
  const unknownForm = /already answered, is too old, or came from another site/

  const forged: ReadonlyArray<{ readonly what: string; readonly forge: (shown: Shown) => Shown }> = [
    { what: "without the cookie of the browser that it was shown to", forge: (shown) => ({ ...shown, cookie: "" }) },
    {
      what: "with another browser's cookie",
      forge: (shown) => ({ ...shown, cookie: shown.cookie.replace(/=.*/, `=${verifier}`) })
    },
    { what: "without its secret", forge: (shown) => ({ ...shown, hidden: {} }) },
    { what: "with a secret that was guessed", forge: (shown) => ({ ...shown, hidden: { consent: verifier } }) }
  ]
  it.effect.each(forged)("is refused $what; the real one is still accepted", ({ forge }) =>
    Effect.gen(function* () {
      const started = yield* start()
      const shown = yield* started.show()
      const { alert, status } = yield* reports(started, forge(shown))
      assert.strictEqual(status, 400)
      assert.match(alert, unknownForm)
      assert.isTrue(locationOf(yield* started.answer(shown, allow)).searchParams.has("code"))
    })
  )

  it.effect("is accepted once", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const shown = yield* started.show()
      yield* started.answer(shown, allow)
      assert.match((yield* reports(started, shown)).alert, unknownForm)
    })
  )

  it.effect("is accepted for ten minutes", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const [early, late] = [yield* started.show(), yield* started.show()]
      yield* TestClock.adjust("599 seconds")
      assert.isTrue(locationOf(yield* started.answer(early, allow)).searchParams.has("code"))
      yield* TestClock.adjust("1 second")
      assert.match((yield* reports(started, late)).alert, unknownForm)
    })
  )

  it.effect("is accepted in two tabs of one browser", () =>
    Effect.gen(function* () {
      const { answer, show } = yield* start()
      const first = yield* show()
      const second = yield* show({}, { cookie: first.cookie })
      assert.strictEqual(second.cookie, first.cookie)
      for (const shown of [first, second]) {
        assert.isTrue(locationOf(yield* answer(shown, allow)).searchParams.has("code"))
      }
    })
  )

  it.effect("can't be framed, cached, leaked by a referrer, or sent by another site", () =>
    Effect.gen(function* () {
      const { show } = yield* start()
      const { html, response } = yield* show()
      const policy = response.headers["content-security-policy"] ?? ""
      assert.include(policy, "default-src 'none'")
      assert.include(policy, "frame-ancestors 'none'")
      assert.include(policy, "form-action 'self' http://127.0.0.1:49152;")
      assert.strictEqual(response.headers["x-frame-options"], "DENY")
      assert.strictEqual(response.headers["referrer-policy"], "no-referrer")
      assert.strictEqual(response.headers["cache-control"], "no-store")
      assert.match(response.headers["set-cookie"] ?? "", /; HttpOnly; SameSite=Lax$/)
      assert.notMatch(html, /<script|<link|<img|\b(src|srcset|href)=/)
    })
  )
})

describe("The server's metadata", () => {
  it.effect("names its endpoints", () =>
    Effect.gen(function* () {
      const { http, sandbox } = yield* start()
      const response = yield* http.get(`${sandbox.authUrl}/.well-known/oauth-authorization-server`)
      const metadata = yield* Effect.flatMap(response.json, Schema.decodeUnknownEffect(AuthorizationServer))
      assert.strictEqual(metadata.issuer, sandbox.authUrl)
      assert.strictEqual(metadata.authorization_endpoint, `${sandbox.authUrl}/oauth/authorize`)
      assert.strictEqual(metadata.token_endpoint, `${sandbox.authUrl}/oauth/token`)
      assert.strictEqual(metadata.revocation_endpoint, `${sandbox.authUrl}/oauth/revoke`)
      assert.deepStrictEqual(metadata.scopes_supported, allScopes)
      assert.deepStrictEqual(metadata.code_challenge_methods_supported, ["S256"])
      assert.isTrue(metadata.authorization_response_iss_parameter_supported)
    })
  )
})
