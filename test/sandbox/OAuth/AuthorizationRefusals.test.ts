/**
 * Every authorization request that must be refused, as data: what is wrong, and whether the error goes to a page or to
 * the client. Each differs from a valid request in this one thing; the valid ones are tested as well.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { locationOf, type Pairs, type Parameters, redirectUri, start, verifier } from "./Login.ts"

interface Refused {
  readonly wrong: string
  readonly change?: Parameters
  /** In addition to what is there already. */
  readonly also?: Pairs
}

const shownAsPage: ReadonlyArray<Refused> = [
  { wrong: "no client_id", change: { client_id: undefined } },
  { wrong: "an empty client_id", change: { client_id: "" } },
  { wrong: "an unknown client", change: { client_id: "another" } },
  { wrong: "a client id that is markup", change: { client_id: "<script>alert(1)</script>" } },
  { wrong: "client_id twice", also: [["client_id", "sandbox-app"]] },
  { wrong: "no redirect_uri", change: { redirect_uri: undefined } },
  { wrong: "redirect_uri twice", also: [["redirect_uri", redirectUri]] },
  { wrong: "another path on the loopback address", change: { redirect_uri: "http://127.0.0.1:49152/other" } },
  { wrong: "a trailing slash", change: { redirect_uri: "http://127.0.0.1:49152/callback/" } },
  { wrong: "a query", change: { redirect_uri: "http://127.0.0.1:49152/callback?next=/" } },
  { wrong: "a fragment", change: { redirect_uri: "http://127.0.0.1:49152/callback#part" } },
  { wrong: "a path that climbs", change: { redirect_uri: "http://127.0.0.1:49152/callback/../callback" } },
  { wrong: "localhost by name", change: { redirect_uri: "http://localhost:49152/callback" } },
  { wrong: "another loopback address", change: { redirect_uri: "http://127.0.0.2:49152/callback" } },
  { wrong: "another host", change: { redirect_uri: "http://attacker.example/callback" } },
  { wrong: "a host behind a user", change: { redirect_uri: "http://127.0.0.1:49152@attacker.example/callback" } },
  { wrong: "TLS on the loopback address", change: { redirect_uri: "https://127.0.0.1:49152/callback" } },
  { wrong: "a custom scheme", change: { redirect_uri: "siteledger:/callback" } },
  { wrong: "a script", change: { redirect_uri: "javascript:alert(1)" } },
  { wrong: "an impossible port", change: { redirect_uri: "http://127.0.0.1:65536/callback" } },
  {
    wrong: "a web address of another client",
    change: { redirect_uri: "https://app.example.com/oauth/callback" }
  },
  {
    wrong: "the registered web address with more behind it",
    change: { client_id: "sandbox", redirect_uri: "https://app.example.com/oauth/callback/more" }
  }
]

const redirected: ReadonlyArray<Refused & { readonly error: string }> = [
  { wrong: "no response_type", change: { response_type: undefined }, error: "invalid_request" },
  { wrong: "response_type token", change: { response_type: "token" }, error: "unsupported_response_type" },
  { wrong: "response_type code token", change: { response_type: "code token" }, error: "unsupported_response_type" },
  { wrong: "response_type twice", also: [["response_type", "code"]], error: "invalid_request" },
  { wrong: "scope twice", also: [["scope", "ipcs.read"]], error: "invalid_request" },
  {
    wrong: "an unregistered parameter twice",
    also: [
      ["nonce", "1"],
      ["nonce", "2"]
    ],
    error: "invalid_request"
  },
  { wrong: "no code_challenge", change: { code_challenge: undefined }, error: "invalid_request" },
  { wrong: "an empty code_challenge", change: { code_challenge: "" }, error: "invalid_request" },
  { wrong: "a short code_challenge", change: { code_challenge: verifier.slice(1) }, error: "invalid_request" },
  { wrong: "a long code_challenge", change: { code_challenge: `${verifier}A` }, error: "invalid_request" },
  { wrong: "a padded code_challenge", change: { code_challenge: `${verifier.slice(1)}=` }, error: "invalid_request" },
  {
    wrong: "a code_challenge in base64",
    change: { code_challenge: `${verifier.slice(1)}+` },
    error: "invalid_request"
  },
  { wrong: "method plain", change: { code_challenge_method: "plain" }, error: "invalid_request" },
  { wrong: "no method, which means plain", change: { code_challenge_method: undefined }, error: "invalid_request" },
  { wrong: "method s256 in small letters", change: { code_challenge_method: "s256" }, error: "invalid_request" },
  { wrong: "an unknown scope", change: { scope: "projects.read everything" }, error: "invalid_scope" },
  { wrong: "two spaces between scopes", change: { scope: "projects.read  ipcs.read" }, error: "invalid_scope" },
  { wrong: "a scope with a quotation mark", change: { scope: 'projects.read"' }, error: "invalid_scope" }
]

describe("A request to authorize without a trusted address is answered by a page:", () => {
  it.effect.each(shownAsPage)("$wrong", ({ also = [], change }) =>
    Effect.gen(function* () {
      const { authorize } = yield* start()
      const response = yield* authorize(change, { also })
      const html = yield* response.text
      assert.strictEqual(response.status, 400)
      assert.isUndefined(response.headers["location"])
      assert.match(html, /<p role="alert">[^<]+<\/p>/)
      assert.notInclude(html, "<script>")
      assert.notInclude(html, "<form")
    })
  )
})

describe("A request to authorize is refused at the client's address:", () => {
  it.effect.each(redirected)("$wrong", ({ also = [], change, error }) =>
    Effect.gen(function* () {
      const { authorize, sandbox } = yield* start()
      const response = yield* authorize(change, { also })
      const location = locationOf(response)
      const { error_description: description = "", ...said } = Object.fromEntries(location.searchParams)
      assert.strictEqual(response.status, 302)
      assert.strictEqual(`${location.origin}${location.pathname}`, redirectUri)
      assert.deepStrictEqual(said, { error, state: "a state of the client", iss: sandbox.authUrl })
      assert.match(description, /^[\x20\x21\x23-\x5B\x5D-\x7E]+$/)
    })
  )

  it.effect("one with two states gets neither back", () =>
    Effect.gen(function* () {
      const { authorize } = yield* start()
      const { searchParams } = locationOf(yield* authorize({}, { also: [["state", "another"]] }))
      assert.strictEqual(searchParams.get("error"), "invalid_request")
      assert.isFalse(searchParams.has("state"))
    })
  )

  it.effect("an unknown scope is named", () =>
    Effect.gen(function* () {
      const { authorize } = yield* start()
      const { searchParams } = locationOf(yield* authorize({ scope: "projects.read everything" }))
      assert.match(searchParams.get("error_description") ?? "", /: everything$/)
    })
  )
})

const accepted: ReadonlyArray<{ readonly what: string; readonly change: Parameters }> = [
  { what: "without a state", change: { state: undefined } },
  { what: "without a scope", change: { scope: undefined } },
  { what: "with an unknown parameter", change: { prompt: "login" } },
  { what: "to any loopback port", change: { redirect_uri: "http://127.0.0.1:1/callback" } },
  { what: "to a loopback address without a port", change: { redirect_uri: "http://127.0.0.1/callback" } },
  { what: "to IPv6's loopback address", change: { redirect_uri: "http://[::1]:49152/callback" } },
  { what: "of the default client", change: { client_id: "sandbox" } },
  {
    what: "to a registered web address",
    change: { client_id: "sandbox", redirect_uri: "https://app.example.com/oauth/callback" }
  }
]

describe("A request to authorize is accepted", () => {
  it.effect.each(accepted)("$what", ({ change }) =>
    Effect.gen(function* () {
      const { login } = yield* start()
      assert.match(yield* login(change), /^[\w-]{43}$/)
    })
  )
})
