/**
 * A login on a device (RFC 8628) as the device and the person go through it: the code, the page, the polling, and what keeps
 * others out.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { AuthorizationServer, DeviceAnswer, deviceGrant } from "../../../connectors/construction/ConstructionApi.ts"
import { administrator, errorOf, isGood, type Parameters, start, type Started } from "./Login.ts"

const app = { client_id: "sandbox-app" }

const begin = ({ post }: Started, form: Parameters = { ...app, scope: "projects.read" }) =>
  post("/oauth/device_authorization", form).pipe(
    Effect.flatMap((response) => response.json),
    Effect.flatMap(Schema.decodeUnknownEffect(DeviceAnswer))
  )

const poll = ({ askToken }: Started, code: string, form: Parameters = app) =>
  askToken({ ...form, grant_type: deviceGrant, device_code: code })

const refusal = (started: Started, code: string, form?: Parameters) =>
  Effect.flatMap(poll(started, code, form), errorOf)

/** The page of a code, as a browser shows it. */
const show = Effect.fnUntraced(function* ({ http }: Started, url: string) {
  const response = yield* http.get(url)
  const html = yield* response.text
  const consent = /name="consent" value="([^"]*)"/.exec(html)?.[1] ?? ""
  return { status: response.status, html, consent, cookie: (response.headers["set-cookie"] ?? "").split(";")[0] ?? "" }
})

const decide = Effect.fnUntraced(function* (started: Started, url: string, form: Parameters) {
  const { consent, cookie } = yield* show(started, url)
  const response = yield* started.post("/oauth/device", { consent, ...form }, { headers: { cookie } })
  return { status: response.status, html: yield* response.text }
})
const allow = { ...administrator, decision: "allow" }

describe("A login on a device", () => {
  it.effect("ends with tokens for what the page asked, after the person has compared the code", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const { device_code, user_code, ...shown } = yield* begin(started)
      const { authUrl } = started.sandbox
      assert.match(user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
      assert.deepStrictEqual(shown, {
        verification_uri: `${authUrl}/oauth/device`,
        verification_uri_complete: `${authUrl}/oauth/device?user_code=${user_code}`,
        expires_in: 600,
        interval: 5
      })
      assert.strictEqual(yield* refusal(started, device_code), "400 authorization_pending")
      const empty = yield* show(started, shown.verification_uri)
      assert.include(empty.html, `<input id="user_code" name="user_code"`)
      const typed = `${shown.verification_uri}?user_code=${user_code.toLowerCase().replace("-", "+")}`
      const { html } = yield* show(started, typed)
      for (const text of ["Desktop application", user_code, "<code>projects.read</code>"]) assert.include(html, text)
      assert.notInclude(html, device_code)
      const answered = yield* decide(started, typed, allow)
      assert.include(answered.html, "The device has access")
      yield* TestClock.adjust("5 seconds")
      const tokens = yield* started.tokens({ ...app, grant_type: deviceGrant, device_code })
      assert.strictEqual(tokens.scope, "projects.read")
      assert.notStrictEqual(tokens.refresh_token, "")
      assert.isTrue(yield* isGood(started, tokens.access_token))
      assert.strictEqual(started.sandbox.oauth.counts().devices, 1)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* refusal(started, device_code), "400 invalid_grant")
    })
  )

  it.effect("that is denied says so to the device, once", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const { device_code, verification_uri_complete: url = "" } = yield* begin(started)
      assert.include((yield* decide(started, url, { decision: "deny" })).html, "The device has no access")
      assert.strictEqual(yield* refusal(started, device_code), "400 access_denied")
      assert.strictEqual((yield* show(started, url)).status, 404)
    })
  )

  it.effect("that asks too often must wait 5 seconds more, each time", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const { device_code } = yield* begin(started)
      assert.strictEqual(yield* refusal(started, device_code), "400 authorization_pending")
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* refusal(started, device_code), "400 slow_down")
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(yield* refusal(started, device_code), "400 slow_down")
      yield* TestClock.adjust("15 seconds")
      assert.strictEqual(yield* refusal(started, device_code), "400 authorization_pending")
    })
  )

  it.effect("ends after ten minutes, on the page and for the device", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const { device_code, verification_uri_complete: url = "" } = yield* begin(started)
      const { consent, cookie } = yield* show(started, url)
      yield* TestClock.adjust("599 seconds")
      assert.strictEqual(yield* refusal(started, device_code), "400 authorization_pending")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* refusal(started, device_code), "400 expired_token")
      assert.strictEqual((yield* show(started, url)).status, 404)
      const late = yield* started.post("/oauth/device", { consent, ...allow }, { headers: { cookie } })
      assert.strictEqual(late.status, 400)
    })
  )

  it.effect("with a wrong password asks again, and from another browser it can't be answered", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const { verification_uri_complete: url = "" } = yield* begin(started)
      const wrong = yield* decide(started, url, { ...allow, password: "guess" })
      assert.strictEqual(wrong.status, 403)
      assert.include(wrong.html, "The user name or the password is wrong")
      const { consent } = yield* show(started, url)
      assert.strictEqual((yield* started.post("/oauth/device", { consent, ...allow })).status, 400)
    })
  )

  it.effect("can only be redeemed by the client that began it", () =>
    Effect.gen(function* () {
      const started = yield* start()
      const { device_code } = yield* begin(started)
      const other = { client_id: "sandbox", client_secret: "sandbox-secret" }
      assert.strictEqual(yield* refusal(started, device_code, other), "400 invalid_grant")
      assert.strictEqual(yield* refusal(started, "guess"), "400 invalid_grant")
      assert.strictEqual(yield* refusal(started, ""), "400 invalid_request")
    })
  )

  it.effect("isn't begun by a stranger, for an unknown scope, or with a repeated parameter", () =>
    Effect.gen(function* () {
      const { post } = yield* start()
      const refused = (form: Parameters, also: ReadonlyArray<readonly [string, string]> = []) =>
        Effect.flatMap(post("/oauth/device_authorization", form, { also }), errorOf)
      assert.strictEqual(yield* refused({ client_id: "another" }), "401 invalid_client")
      assert.strictEqual(yield* refused({ client_id: "sandbox" }), "401 invalid_client")
      assert.strictEqual(yield* refused({ ...app, scope: "everything" }), "400 invalid_scope")
      assert.strictEqual(
        yield* refused(app, [
          ["scope", "a"],
          ["scope", "b"]
        ]),
        "400 invalid_request"
      )
    })
  )

  it.effect("is in the server's metadata", () =>
    Effect.gen(function* () {
      const { http, sandbox } = yield* start()
      const response = yield* http.get(`${sandbox.authUrl}/.well-known/oauth-authorization-server`)
      const metadata = yield* Effect.flatMap(response.json, Schema.decodeUnknownEffect(AuthorizationServer))
      assert.strictEqual(metadata.device_authorization_endpoint, `${sandbox.authUrl}/oauth/device_authorization`)
      assert.include(metadata.grant_types_supported ?? [], deviceGrant)
    })
  )
})
