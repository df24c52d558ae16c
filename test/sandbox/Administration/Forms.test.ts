import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import * as CallbackReceiver from "../CallbackReceiver.ts"
import { deliveryId, started } from "./Started.ts"

const hostile = `http://127.0.0.1:9/"><img src=x onerror=alert(1)>&'</bdi><script>alert(2)</script>`

describe("A form", () => {
  it.effect("creates a subscription, leads to its page and shows the secret there, once", () =>
    Effect.gen(function* () {
      const receiver = yield* CallbackReceiver.make()
      const { form, get, sandbox } = yield* started()
      const answer = yield* form("subscriptions", [
        ["url", receiver.url],
        ["events", "ipc.paid"],
        ["events", "ipc.created"]
      ])
      assert.strictEqual(answer.status, 303)
      const location = answer.headers["location"] ?? ""
      assert.match(location, /^\/admin\/subscriptions\/1\?notice=[\da-f-]{36}$/)
      const [subscription] = sandbox.subscriptions()
      assert.isDefined(subscription)
      assert.deepStrictEqual(subscription.events, ["ipc.paid", "ipc.created"])
      const first = yield* get(location)
      assert.include(first.text, subscription.secret)
      const again = yield* get(location)
      assert.strictEqual(again.status, 200)
      assert.notInclude(again.text, subscription.secret)
      const ping = yield* Queue.take(receiver.inbox)
      assert.isTrue(CallbackReceiver.signedWith(subscription.secret, ping))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("that is refused says why and keeps what was typed", () =>
    Effect.gen(function* () {
      const { form, sandbox } = yield* started()
      const answer = yield* form("subscriptions", { url: "ftp://example.com/ä", events: "ipc.paid" })
      assert.strictEqual(answer.status, 400)
      assert.include(answer.text, "url must be an absolute http or https address")
      assert.include(answer.text, `value="ftp://example.com/ä"`)
      assert.match(answer.text, /value="ipc\.paid"\s+checked/)
      assert.notMatch(answer.text, /value="ipc\.created"\s+checked/)
      const none = yield* form("subscriptions", { url: "http://127.0.0.1:9/" })
      assert.include(none.text, "events must name at least one event type")
      assert.strictEqual(sandbox.subscriptions().length, 0)
      assert.strictEqual((yield* form("subscriptions/1/pause")).status, 404)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("fires signed tests of a type that is about no record, each with its own id", () =>
    Effect.gen(function* () {
      const receiver = yield* CallbackReceiver.make()
      const { form, sandbox, subscribe } = yield* started()
      const { secret } = yield* subscribe(receiver.url, ["ipc.paid"])
      yield* Queue.take(receiver.inbox)
      yield* form("subscriptions/1/test")
      yield* form("subscriptions/1/test")
      const tests = [yield* Queue.take(receiver.inbox), yield* Queue.take(receiver.inbox)]
      for (const test of tests) {
        assert.strictEqual(CallbackReceiver.eventType(test), "webhook.test")
        assert.isTrue(CallbackReceiver.signedWith(secret, test))
        const body: Record<string, unknown> = JSON.parse(CallbackReceiver.text(test))
        assert.deepStrictEqual(Object.keys(body), ["event_type", "event_timestamp", "data"])
      }
      assert.strictEqual(new Set(tests.map(({ headers }) => headers["x-service-event-id"])).size, 2)
      assert.strictEqual(sandbox.truth().steps, 0)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("makes a new secret, which signs the next delivery", () =>
    Effect.gen(function* () {
      const receiver = yield* CallbackReceiver.make()
      const { form, get, sandbox, subscribe } = yield* started()
      const { secret } = yield* subscribe(receiver.url)
      yield* Queue.take(receiver.inbox)
      const { headers } = yield* form("subscriptions/1/secret")
      const now = sandbox.subscriptions()[0]?.secret ?? ""
      assert.notStrictEqual(now, secret)
      assert.include((yield* get(headers["location"] ?? "")).text, now)
      yield* form("subscriptions/1/test")
      assert.isTrue(CallbackReceiver.signedWith(now, yield* Queue.take(receiver.inbox)))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("pauses, resumes and deletes; then the page is gone", () =>
    Effect.gen(function* () {
      const receiver = yield* CallbackReceiver.make()
      const { form, get, sandbox, subscribe } = yield* started()
      yield* subscribe(receiver.url)
      yield* Queue.take(receiver.inbox)
      yield* form("subscriptions/1/pause")
      yield* form("subscriptions/1/test")
      assert.include((yield* get("subscriptions/1")).text, "when resumed")
      assert.strictEqual(yield* Queue.size(receiver.inbox), 0)
      yield* form("subscriptions/1/resume")
      assert.strictEqual(CallbackReceiver.eventType(yield* Queue.take(receiver.inbox)), "webhook.test")
      yield* form("subscriptions/1/pause")
      yield* form("subscriptions/1/test")
      const deleted = yield* form("subscriptions/1/delete")
      assert.match(deleted.headers["location"] ?? "", /^\/admin\/subscriptions\?notice=/)
      assert.include((yield* get(deleted.headers["location"] ?? "")).text, "1 delivery dropped")
      assert.strictEqual((yield* get("subscriptions/1")).status, 404)
      yield* sandbox.emit(10)
      assert.strictEqual(sandbox.deliveries.counts().waiting, 0)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("sets a fault in percent, and turns one or all off", () =>
    Effect.gen(function* () {
      const { form, get, sandbox } = yield* started()
      yield* form("faults/wrong-signature", { value: "12.5", unit: "percent" })
      yield* form("faults/rate-limit", { value: "3" })
      assert.strictEqual(sandbox.faults.value("wrong-signature"), 0.125)
      assert.strictEqual(sandbox.faults.value("rate-limit"), 3)
      assert.include((yield* get("faults")).text, "on: 12.5 %")
      yield* form("faults/rate-limit/off")
      assert.strictEqual(sandbox.faults.value("rate-limit"), 0)
      yield* form("faults/off")
      assert.isTrue(sandbox.faults.all().every(({ value }) => value === 0))
      assert.strictEqual((yield* form("faults/html", { value: "much" })).status, 400)
      assert.strictEqual((yield* form("faults/constructor", { value: "1" })).status, 404)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("Every page", () => {
  it.effect("shows a hostile address as text, and forbids foreign scripts", () =>
    Effect.gen(function* () {
      const { form, get, subscribe } = yield* started()
      yield* subscribe(hostile)
      const paths = [
        "",
        "subscriptions",
        "subscriptions/1",
        "deliveries",
        `deliveries/${deliveryId(1)}`,
        "records",
        "faults",
        "clients"
      ]
      for (const path of paths) {
        const { headers, status, text } = yield* get(path === "" ? "/admin" : path)
        assert.strictEqual(status, 200, path)
        assert.match(text, /^<!doctype html>/)
        assert.notInclude(text, "<img")
        assert.notInclude(text, "alert(2)</script>")
        assert.include(headers["content-security-policy"], "script-src 'self'")
      }
      assert.include((yield* get("subscriptions")).text, "&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;&#39;")
      const refused = yield* form("subscriptions", { url: `x"><img src=x onerror=alert(1)>` })
      assert.notInclude(refused.text, "<img")
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("A foreign request", () => {
  it.effect("changes nothing, with any foreign Origin or Sec-Fetch-Site", () =>
    Effect.gen(function* () {
      const { form, sandbox } = yield* started()
      const forged = [
        { origin: "https://evil.example" },
        { origin: "null" },
        { origin: "http://127.0.0.1:1" },
        { origin: "http://localhost.evil.example" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" }
      ]
      for (const headers of forged) {
        for (const path of ["subscriptions", "api/subscriptions", "faults/outage"]) {
          const { status } = yield* form(path, { url: "http://127.0.0.1:9/", events: "ipc.paid", value: "60" }, headers)
          assert.strictEqual(status, 403, `${path} ${JSON.stringify(headers)}`)
        }
      }
      assert.strictEqual(sandbox.subscriptions().length, 0)
      assert.strictEqual(sandbox.faults.value("outage"), 0)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("isn't even shown a page under a foreign host name, as in DNS rebinding", () =>
    Effect.gen(function* () {
      const { get, sandbox } = yield* started()
      const port = new URL(sandbox.adminUrl).port
      for (const host of [`evil.example:${port}`, "127.0.0.1.evil.example", "evil-localhost", "10.0.0.1", ""]) {
        for (const path of ["/admin", "api/deliveries", "administration.js"]) {
          assert.strictEqual((yield* get(path, { host })).status, 403, `${host} ${path}`)
        }
      }
      for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
        assert.strictEqual((yield* get("/admin", { host })).status, 200, host)
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
