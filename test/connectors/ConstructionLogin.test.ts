/**
 * Logging in, with the test as the browser: the redirect is followed, forged, repeated, or never comes.
 */
import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, type Fiber } from "effect"
import { TestClock } from "effect/testing"
import { logIn } from "../../connectors/construction/ConstructionLogin.ts"
import { type AuthServer, mark } from "./ConstructionAuth/AuthServer.ts"
import type { AuthSettings } from "./ConstructionAuth/AuthSettings.ts"
import { get, loggedIn, passing, type Parts, storedLogin } from "./ConstructionAuth/Tokens.ts"
import { within } from "./ConstructionAuth/Within.ts"
import { consented, statusFrom, visit } from "./ConstructionLogin/Browser.ts"

interface Begun {
  readonly server: AuthServer
  readonly dataDir: string
  /** Where the person consents. */
  readonly url: URL
  readonly callback: URL
  readonly fiber: Fiber.Fiber<Effect.Success<ReturnType<typeof logIn>>, { readonly message: string }>
}

/** A login whose address has been shown. */
const begun = <A, E>(body: (begun: Begun) => Effect.Effect<A, E, Parts>, given: Partial<AuthSettings> = {}) =>
  within(given, (server, dataDir) =>
    Effect.gen(function* () {
      const shown = yield* Deferred.make<string>()
      const fiber = yield* Effect.forkChild(logIn((url) => Deferred.succeed(shown, url)))
      const url = new URL(yield* Deferred.await(shown))
      const callback = new URL(url.searchParams.get("redirect_uri") ?? "")
      return yield* body({ server, dataDir, url, callback, fiber })
    })
  )

const redirectOf = ({ callback, url }: Begun, query: Readonly<Record<string, string>>): URL => {
  const redirect = new URL(callback)
  redirect.search = new URLSearchParams({ state: url.searchParams.get("state") ?? "", ...query }).toString()
  return redirect
}

describe("a login", () => {
  it.effect("is bound to a loopback address, a state and an S256 challenge that are never the same", () =>
    begun(({ server, url }) =>
      Effect.gen(function* () {
        assert.strictEqual(url.origin + url.pathname, `${server.authUrl}/oauth/authorize`)
        const { code_challenge, redirect_uri, state, ...rest } = Object.fromEntries(url.searchParams)
        assert.deepStrictEqual(rest, {
          response_type: "code",
          client_id: "desk-app",
          scope: "projects.read",
          code_challenge_method: "S256"
        })
        assert.match(redirect_uri ?? "", /^http:\/\/127\.0\.0\.1:\d+\/callback$/)
        for (const random of [code_challenge, state]) assert.match(random ?? "", /^[\w-]{43}$/)
        yield* begun(({ url: other }) =>
          Effect.sync(() => {
            assert.notStrictEqual(other.searchParams.get("state"), state)
            assert.notStrictEqual(other.searchParams.get("code_challenge"), code_challenge)
          })
        )
      })
    )
  )

  it.effect("ends with sealed tokens, readable by their owner only, that the worker uses", () =>
    begun(({ dataDir, fiber, server, url }) =>
      Effect.gen(function* () {
        const page = yield* visit(yield* consented(url))
        assert.strictEqual(page.status, 200)
        assert.include(page.text, "You can close this window")
        assert.notInclude(page.text, mark)
        assert.include(page.headers.get("content-security-policy") ?? "", "default-src 'none'")
        const { login, missing } = yield* passing(fiber)
        assert.deepStrictEqual([login.scopes, missing], [["projects.read"], []])
        assert.strictEqual(statSync(join(dataDir, "login")).mode & 0o777, 0o600)
        assert.notInclude(readFileSync(join(dataDir, "login"), "utf8"), mark)
        assert.isTrue(server.isGood(yield* get))
        const form = server.grants[0]
        assert.match(form?.get("code_verifier") ?? "", /^[\w-]{43}$/)
        assert.isFalse(form?.has("client_secret"))
        assert.strictEqual(server.grants.length, 1)
      })
    )
  )

  it.effect("names the scopes that were not granted", () =>
    begun(
      ({ fiber, url }) =>
        Effect.gen(function* () {
          yield* visit(yield* consented(url))
          const { login, missing } = yield* passing(fiber)
          assert.deepStrictEqual([login.scopes, missing], [["ipcs.read"], ["projects.read"]])
        }),
      { grants: "ipcs.read" }
    )
  )

  it.effect("takes one redirect: a forged second one, another path, host or method change nothing", () =>
    begun((login) =>
      Effect.gen(function* () {
        const { callback, fiber, server, url } = login
        const answered = Promise.withResolvers<void>()
        server.settings.hold = () => answered.promise
        for (const path of ["/", "/favicon.ico", "/callback/", "/oauth/callback"]) {
          assert.strictEqual((yield* visit(new URL(path, callback))).status, 404, path)
        }
        const good = yield* consented(url)
        assert.strictEqual(yield* statusFrom(good, { host: `rebound.example.com:${callback.port}` }), 404)
        assert.strictEqual(yield* statusFrom(good, { host: `localhost:${callback.port}` }), 404)
        assert.strictEqual(yield* statusFrom(good, {}, "POST"), 404)
        const first = yield* Effect.forkChild(visit(good), { startImmediately: true })
        while (server.grants.length === 0) yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
        const second = yield* visit(redirectOf(login, { code: "forged" }))
        assert.strictEqual(second.status, 410)
        answered.resolve()
        assert.strictEqual((yield* passing(first)).status, 200)
        yield* passing(fiber)
        assert.strictEqual(server.grants.length, 1)
        const { _tag } = yield* storedLogin
        assert.strictEqual(_tag, "Active")
      })
    )
  )

  it.effect("that isn't finished within 10 minutes ends, and its listener closes", () =>
    begun(({ callback, fiber }) =>
      Effect.gen(function* () {
        yield* TestClock.adjust("9 minutes")
        assert.isUndefined(fiber.pollUnsafe())
        yield* TestClock.adjust("1 minute")
        const { message } = yield* Effect.flip(passing(fiber))
        assert.match(message, /within 10m/)
        const refused = yield* Effect.promise(() => fetch(callback).catch(() => "refused"))
        assert.strictEqual(refused, "refused")
      })
    )
  )
})

const forgeries: Record<string, { readonly given: Record<string, string>; readonly sentence: RegExp }> = {
  "without a code": { given: {}, sentence: /no code/ },
  "with a forged code": { given: { code: `${mark}-code` }, sentence: /invalid_grant.*log in again/ },
  "from another issuer": { given: { code: `${mark}-code`, iss: "https://evil.example.com" }, sentence: /iss/ },
  "that denies": { given: { error: "access_denied" }, sentence: /denied/ },
  "with an unknown error": { given: { error: `<script>${mark}` }, sentence: /unknown reason/ }
}
const errors = {
  invalid_request: /SITELEDGER_AUTH_URL/,
  unauthorized_client: /SITELEDGER_CLIENT_ID/,
  unsupported_response_type: /authorization code/,
  invalid_scope: /SITELEDGER_SCOPES/,
  server_error: /try again/,
  temporarily_unavailable: /later/
}
for (const [error, sentence] of Object.entries(errors)) forgeries[`with ${error}`] = { given: { error }, sentence }

describe("a redirect", () => {
  for (const [name, { given, sentence }] of Object.entries(forgeries)) {
    it.effect(`${name} fails the login with one sentence, also on the page, and keeps the earlier login`, () =>
      begun((login) =>
        Effect.gen(function* () {
          const { access } = yield* loggedIn(login.server)
          const page = yield* visit(redirectOf(login, given))
          assert.strictEqual(page.status, 400)
          const { message } = yield* Effect.flip(passing(login.fiber))
          assert.match(message, sentence)
          assert.match(page.text, sentence)
          for (const text of [page.text, message]) assert.notInclude(text, mark)
          assert.strictEqual(yield* get, access)
        })
      )
    )
  }

  it.effect("without this login's state is answered 400, and the login keeps waiting for its own", () =>
    begun((login) =>
      Effect.gen(function* () {
        for (const state of ["another", ""]) {
          const page = yield* visit(redirectOf(login, { error: "access_denied", state }))
          assert.strictEqual(page.status, 400)
          assert.match(page.text, /another login.*state/)
        }
        assert.strictEqual((yield* visit(login.callback)).status, 400)
        assert.isUndefined(login.fiber.pollUnsafe())
        assert.strictEqual((yield* visit(yield* consented(login.url))).status, 200)
        yield* passing(login.fiber)
        assert.strictEqual(login.server.grants.length, 1)
      })
    )
  )

  it.effect("that names its state twice is refused", () =>
    begun((login) =>
      Effect.gen(function* () {
        const redirect = redirectOf(login, { code: "x" })
        redirect.searchParams.append("state", "another")
        assert.strictEqual((yield* visit(redirect)).status, 400)
        assert.match((yield* Effect.flip(passing(login.fiber))).message, /twice/)
        assert.strictEqual(login.server.grants.length, 0)
      })
    )
  )
})
