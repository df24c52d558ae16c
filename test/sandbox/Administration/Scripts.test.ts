import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as CallbackReceiver from "../CallbackReceiver.ts"
import { deliveryId, type DeliveryView, type Excerpt, type Made, started } from "./Started.ts"

/** A day of retries in a fraction of a second. */
const hurried = { timeScale: 1_000_000 }

describe("For a script", () => {
  it.effect("subscriptions are listed without their secrets, with their counts", () =>
    Effect.gen(function* () {
      const receiver = yield* CallbackReceiver.make()
      const { ask, sandbox, subscribe } = yield* started()
      const { secret } = yield* subscribe(receiver.url, ["ipc.paid"])
      yield* subscribe("http://127.0.0.1:1/", ["vo.created"])
      yield* ask("subscriptions/2/delete", {})
      yield* sandbox.deliveries.until((counts) => counts.delivered === 1)
      const { body } = yield* ask<{ data: ReadonlyArray<object> }>("subscriptions")
      assert.notInclude(JSON.stringify(body), secret)
      assert.strictEqual(body.data.length, 1)
      assert.deepInclude(body.data[0], {
        id: 1,
        url: receiver.url,
        events: ["ipc.paid"],
        state: "active",
        deliveries: { delivered: 1, waiting: 0, failed: 0, dropped: 0 }
      })
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("failed deliveries are listed with all their attempts, and replayed, one or all", () =>
    Effect.gen(function* () {
      let status = 503
      const receiver = yield* CallbackReceiver.make(() => Effect.sync(() => status))
      const { ask, sandbox, subscribe } = yield* started(hurried)
      yield* subscribe(receiver.url)
      yield* sandbox.emit(2)
      yield* sandbox.deliveries.until((counts) => counts.failed === 3)
      const failed = yield* ask<Excerpt>("deliveries?state=failed")
      assert.deepStrictEqual(
        failed.body.data.map(({ id }) => id),
        [3, 2, 1].map(deliveryId)
      )
      const [latest, , ping] = failed.body.data
      assert.strictEqual(ping?.event_type, "webhook.ping")
      assert.strictEqual(latest?.event_id, sandbox.events.id(1))
      assert.deepStrictEqual(
        latest?.attempts.map(({ answer }) => answer),
        Array.from({ length: 7 }, () => 503)
      )
      assert.isNull(latest?.next_due)

      status = 200
      assert.strictEqual((yield* ask(`deliveries/${deliveryId(1)}/replay`, {})).status, 202)
      yield* sandbox.deliveries.until((counts) => counts.delivered === 1)
      const { body } = yield* ask<DeliveryView>(`deliveries/${deliveryId(1)}`)
      assert.deepStrictEqual(body.attempts.map(({ answer }) => answer).slice(-2), [503, 200])
      assert.strictEqual((yield* ask(`deliveries/${deliveryId(1)}/replay`, {})).status, 409)
      assert.strictEqual((yield* ask(`deliveries/${deliveryId(99)}/replay`, {})).status, 404)
      assert.deepStrictEqual(yield* ask("deliveries/replay", {}), { status: 202, body: { replayed: 2 } })
      yield* sandbox.deliveries.until((counts) => counts.delivered === 3)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("an unanswered attempt says why", () =>
    Effect.gen(function* () {
      const { ask, sandbox, subscribe } = yield* started()
      yield* subscribe("http://127.0.0.1:1/")
      yield* subscribe("http://no-such-host.invalid/")
      yield* sandbox.deliveries.until((counts) => counts.attempts === 2)
      const { body } = yield* ask<Excerpt>("deliveries?state=waiting")
      const answers = body.data.map(({ attempts }) => attempts.map(({ answer }) => answer))
      assert.deepStrictEqual(answers, [["unknown host"], ["connection refused"]])
      assert.match(body.data[0]?.next_due ?? "", /^\d{4}-.*Z$/)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("deliveries are filtered by subscription and type, and come in pages", () =>
    Effect.gen(function* () {
      const receiver = yield* CallbackReceiver.make()
      const { ask, sandbox, subscribe } = yield* started()
      yield* subscribe(receiver.url, ["ipc.created", "vo.created"])
      yield* subscribe(receiver.url, ["ipc.created"])
      yield* sandbox.emit(200)
      yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
      const total = sandbox.deliveries.counts().delivered

      const all: Array<DeliveryView> = []
      let before: number | null = total + 1
      while (before !== null) {
        const { body }: { body: Excerpt } = yield* ask<Excerpt>(`deliveries?limit=7&before=${before}`)
        assert.isAtMost(body.data.length, 7)
        all.push(...body.data)
        before = body.before
      }
      assert.strictEqual(all.length, total)
      assert.deepStrictEqual(
        all.map(({ id }) => id),
        Array.from({ length: total }, (_, at) => deliveryId(total - at))
      )

      const some = yield* ask<Excerpt>("deliveries?state=delivered&subscription=1&type=vo.created&limit=500")
      const expected = all.filter((each) => each.subscription === 1 && each.event_type === "vo.created")
      assert.isAbove(expected.length, 3)
      assert.deepStrictEqual(some.body, { data: expected, before: null })
      const paged = yield* ask<Excerpt>("deliveries?subscription=1&type=vo.created&limit=2")
      const rest = yield* ask<Excerpt>(
        `deliveries?subscription=1&type=vo.created&limit=500&before=${paged.body.before}`
      )
      assert.deepStrictEqual([...paged.body.data, ...rest.body.data], expected)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("a fault is set in its own unit, returned as it was taken, and shown in the list", () =>
    Effect.gen(function* () {
      const { ask } = yield* started()
      assert.deepStrictEqual(yield* ask("faults/html", { value: 0.5 }), {
        status: 200,
        body: { name: "html", value: 0.5 }
      })
      assert.deepStrictEqual((yield* ask("faults/cut-json", { value: 7 })).body, { name: "cut-json", value: 1 })
      const { body } = yield* ask<{ data: ReadonlyArray<{ name: string; value: number }> }>("faults")
      assert.deepStrictEqual(
        body.data.filter(({ value }) => value > 0).map(({ name }) => name),
        ["html", "cut-json"]
      )
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("the OAuth clients are listed with their secrets, as on their page, and the redirect URIs work", () =>
    Effect.gen(function* () {
      const { ask, get } = yield* started({ redirectUris: ["https://mine.example/back"] })
      const { body } = yield* ask<{ data: ReadonlyArray<Readonly<Record<string, unknown>>> }>("clients")
      assert.deepStrictEqual(
        body.data.map((client) => [client["client_id"], client["client_secret"], client["requests_per_minute"]]),
        [
          ["sandbox", "sandbox-secret", 600],
          ["sandbox-premium", "sandbox-secret", 3000],
          ["sandbox-app", null, 600]
        ]
      )
      const { text } = yield* get("clients")
      for (const { client_id, redirect_uris } of body.data) {
        assert.include(text, String(client_id))
        assert.include(redirect_uris as ReadonlyArray<string>, "https://mine.example/back")
        const query = new URLSearchParams({
          client_id: String(client_id),
          redirect_uri: "https://mine.example/back",
          response_type: "code",
          code_challenge: "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
          code_challenge_method: "S256"
        })
        assert.strictEqual((yield* get(`/oauth/authorize?${query.toString()}`)).status, 200)
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("malformed requests are refused", () =>
    Effect.gen(function* () {
      const { ask } = yield* started()
      const asked: ReadonlyArray<readonly [string, unknown, number]> = [
        ["deliveries?state=lost", undefined, 400],
        ["deliveries?before=yesterday", undefined, 400],
        ["deliveries?subscription=-1", undefined, 400],
        ["deliveries?limit=0", undefined, 400],
        ["deliveries?limit=501", undefined, 400],
        ["deliveries/x", undefined, 404],
        ["deliveries/1", undefined, 404],
        ["deliveries/000000-1", undefined, 404],
        ["subscriptions", [], 400],
        ["subscriptions", "http://127.0.0.1/", 400],
        ["subscriptions", { url: "http://127.0.0.1/", events: [1] }, 400],
        ["subscriptions/0/pause", {}, 404],
        ["subscriptions/1e0/pause", {}, 404],
        ["faults/html", {}, 400],
        ["faults/html", { value: "half" }, 400],
        ["faults/toString", { value: 1 }, 404]
      ]
      for (const [path, body, status] of asked) {
        const answer = yield* ask<{ error: string; message: string }>(path, body)
        assert.strictEqual(answer.status, status, path)
        assert.deepStrictEqual(Object.keys(answer.body), ["error", "message"])
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("every action returns the subscription's state after it", () =>
    Effect.gen(function* () {
      const { ask, subscribe } = yield* started()
      yield* subscribe("http://127.0.0.1:1/")
      const states: Array<string> = []
      for (const action of ["pause", "test", "resume", "delete"]) {
        states.push((yield* ask<Made>(`subscriptions/1/${action}`, {})).body.state)
      }
      assert.deepStrictEqual(states, ["paused", "paused", "active", "deleted"])
      assert.strictEqual((yield* ask("subscriptions/1/resume", {})).status, 404)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
