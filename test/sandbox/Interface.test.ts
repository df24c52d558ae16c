/**
 * The interface document from its first section to its last: each point that a client can observe, over real HTTP. The
 * names of the tests are the document's sections. Where it says "not shown", the sandbox's own choice is marked as
 * assumed and tested elsewhere.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, it } from "@effect/vitest"
import { Effect, Queue, type Scope } from "effect"
import type { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { eventTypes } from "../../sandbox/Lifecycles.ts"
import * as CallbackReceiver from "./CallbackReceiver.ts"
import { contents } from "./Interface/Contents.ts"
import { envelope, listed, refusing, subscribe, token } from "./Interface/Client.ts"
import { credentialsRequest, exchangeRequest, isGood, refreshRequest, start } from "./OAuth/Login.ts"

const soon = () => new Promise((resolve) => setImmediate(resolve))

const calm = { duplicates: 0, disorder: 0, startAt: "2026-01-05T08:00:00Z" } as const

const section = (name: string, body: Effect.Effect<void, unknown, Scope.Scope | HttpClient.HttpClient>) =>
  it.effect(name, () => Effect.provide(body, NodeHttpClient.layerUndici))

section(
  "§1 the base address holds the version, the token endpoint is next to it, and OpenAPI 3.1 describes it",
  Effect.gen(function* () {
    const service = yield* start(calm)
    assert.strictEqual(service.sandbox.baseUrl, `${service.sandbox.authUrl}/v1`)
    const below = yield* Effect.promise(() => fetch(`${service.sandbox.baseUrl}/oauth/token`, { method: "POST" }))
    assert.strictEqual(below.status, 404)
    const openapi = yield* Effect.promise(() =>
      fetch(`${service.sandbox.baseUrl}/openapi.json`).then(
        (answer) => answer.json() as Promise<Readonly<Record<string, unknown>>>
      )
    )
    assert.match(String(openapi["openapi"]), /^3\.1\./)
  })
)

section(
  "§2.1, §2.2, §3.1, §4.1 projects are listed with id, name and status, 50 to a page unless asked otherwise",
  Effect.gen(function* () {
    const service = yield* start({ ...calm, projects: 120 })
    const first = yield* listed(service, "/projects")
    assert.deepStrictEqual(first.pagination, { total: 120, page: 1, per_page: 50 })
    assert.strictEqual(first.data.length, 50)
    for (const project of first.data) {
      assert.isTrue(Number.isSafeInteger(project["id"]))
      assert.isString(project["name"])
      assert.include(["in-progress", "awarded"], project["status"])
    }
    const last = yield* listed(service, "/projects?page=3&per_page=50")
    assert.deepStrictEqual([last.pagination["page"], last.data.length], [3, 20])
    const anonymous = yield* Effect.promise(() => fetch(`${service.sandbox.baseUrl}/projects`))
    assert.strictEqual(anonymous.status, 401)
  })
)

section(
  "§2.3, §4.2, §6.1 a new subscription is answered with its secret and pinged",
  Effect.gen(function* () {
    const service = yield* start(calm)
    const receiver = yield* CallbackReceiver.make()
    const made = yield* subscribe(service, receiver.url, ["ipc.paid", "permit.issued"])
    assert.deepStrictEqual([made.url, made.events], [receiver.url, ["ipc.paid", "permit.issued"]])
    assert.isAtLeast(made.secret.length, 16)
    const ping = yield* Queue.take(receiver.inbox)
    assert.strictEqual(CallbackReceiver.eventType(ping), "webhook.ping")
    assert.isTrue(CallbackReceiver.signedWith(made.secret, ping))
    assert.strictEqual(yield* refusing(service, { url: "/hooks", events: ["ipc.paid"] }), 400)
  })
)

section(
  "§2.4, §3.2, §7, §8 a delivery without a 2xx within 10 seconds is retried by the schedule, fails permanently after 24 hours and is replayed by hand",
  Effect.gen(function* () {
    const state = { answer: 503 }
    const receiver = yield* CallbackReceiver.make(() =>
      Effect.suspend(() => (state.answer === 0 ? Effect.never : Effect.succeed(state.answer)))
    )
    const service = yield* start(calm)
    const { deliveries, replayFailed } = service.sandbox
    yield* subscribe(service, receiver.url, ["ipc.paid"])
    yield* deliveries.until(({ attempts }) => attempts === 1)
    const pauses = ["1 minute", "4 minutes", "25 minutes", "90 minutes", "4 hours", "18 hours"] as const
    for (const [index, pause] of pauses.entries()) {
      // The second attempt gets no answer at all.
      state.answer = index === 0 ? 0 : 503
      assert.strictEqual(deliveries.counts().waiting, 1)
      yield* TestClock.adjust(pause)
      if (index === 0) yield* Effect.andThen(Queue.take(receiver.inbox), Queue.take(receiver.inbox))
      if (index === 0) yield* TestClock.adjust("10 seconds")
      yield* deliveries.until(({ attempts }) => attempts === index + 2)
    }
    assert.deepInclude(deliveries.counts(), { waiting: 0, failed: 1, delivered: 0 })
    state.answer = 204
    yield* TestClock.adjust("30 days")
    assert.strictEqual(yield* replayFailed, 1)
    yield* deliveries.until(({ delivered }) => delivered === 1)
    assert.deepInclude(deliveries.counts(), { waiting: 0, failed: 0 })
  })
)

section(
  "§2.5 the other resources are listed too",
  Effect.gen(function* () {
    const service = yield* start(calm)
    yield* service.sandbox.emit(service.sandbox.events.blockLength)
    for (const path of ["/ipcs", "/vos", "/ncrs", "/hse-incidents", "/permits", "/transmittals"]) {
      const { data, pagination } = yield* listed(service, path)
      assert.isAbove(data.length, 0, path)
      assert.strictEqual(pagination["page"], 1)
    }
  })
)

section(
  "§4.3, §5.1 a token is given for client credentials, form-encoded, and works for the API",
  Effect.gen(function* () {
    const service = yield* start(calm)
    const answer = yield* service.tokens({ ...credentialsRequest, scope: "projects.read ipcs.read" })
    assert.isTrue(yield* isGood(service, answer.access_token))
    const wrong = yield* service.askToken({ ...credentialsRequest, client_secret: "another" })
    assert.strictEqual(wrong.status, 401)
  })
)

section(
  "§4.4 what has no endpoint is done in the administration: list, delete, fire a test event",
  Effect.gen(function* () {
    const service = yield* start(calm)
    const receiver = yield* CallbackReceiver.make()
    yield* subscribe(service, receiver.url, ["ipc.paid"])
    yield* Queue.take(receiver.inbox)
    const admin = `${service.sandbox.adminUrl}/api`
    const list = yield* Effect.promise(() => fetch(`${admin}/subscriptions`).then((answer) => answer.text()))
    assert.include(list, receiver.url)
    const act = (name: string) =>
      Effect.promise(() => fetch(`${admin}/subscriptions/1/${name}`, { method: "POST" }).then((answer) => answer.ok))
    assert.isTrue(yield* act("test"))
    yield* Queue.take(receiver.inbox)
    assert.isTrue(yield* act("delete"))
    assert.isFalse(yield* act("test"))
    const page = yield* Effect.promise(() => fetch(service.sandbox.adminUrl))
    assert.strictEqual(page.status, 200)
    assert.include(page.headers.get("content-type"), "text/html")
  })
)

section(
  "§5 authorization code with PKCE, and refresh tokens",
  Effect.gen(function* () {
    const service = yield* start(calm)
    const first = yield* service.tokens(exchangeRequest(yield* service.login()))
    assert.isTrue(yield* isGood(service, first.access_token))
    const second = yield* service.tokens(refreshRequest(first.refresh_token))
    assert.isTrue(yield* isGood(service, second.access_token))
    assert.notStrictEqual(second.refresh_token, first.refresh_token)
  })
)

section(
  "§6.1 each subscription receives only its own types; deliveries repeat and come out of order, and event_timestamp tells the order",
  Effect.gen(function* () {
    const service = yield* start({ ...calm, duplicates: 0.3, disorder: 0.3, concurrency: 1 })
    const receiver = yield* CallbackReceiver.make()
    yield* subscribe(service, receiver.url, ["ipc.created", "ipc.paid"])
    yield* service.sandbox.emit(2 * service.sandbox.events.blockLength)
    const { counts } = service.sandbox.deliveries
    // Held-back deliveries come as time passes, and time passes only here.
    while (counts().waiting > 0) yield* Effect.andThen(TestClock.adjust("1 second"), Effect.promise(soon))
    const received = (yield* Queue.takeAll(receiver.inbox)).slice(1)
    assert.deepStrictEqual([...new Set(received.map(CallbackReceiver.eventType))].toSorted(), [
      "ipc.created",
      "ipc.paid"
    ])
    const ids = received.map(({ headers }) => headers["x-service-event-id"])
    assert.isBelow(new Set(ids).size, ids.length)
    const stamps = received.map((each) => envelope(each).event_timestamp)
    assert.notDeepEqual(stamps, stamps.toSorted())
  })
)

section(
  "§6.2 every delivery is signed over its raw bytes, with an id, a type and the time of issue",
  Effect.gen(function* () {
    const service = yield* start(calm)
    const receiver = yield* CallbackReceiver.make()
    const { secret } = yield* subscribe(service, receiver.url, eventTypes)
    yield* service.sandbox.emit(50)
    yield* service.sandbox.deliveries.until(({ waiting }) => waiting === 0)
    for (const delivery of yield* Queue.takeAll(receiver.inbox)) {
      assert.isTrue(CallbackReceiver.signedWith(secret, delivery))
      assert.match(delivery.headers["x-service-event-id"] ?? "", /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/)
      assert.match(delivery.headers["x-service-timestamp"] ?? "", /^\d{1,10}$/)
      assert.include([...eventTypes, "webhook.ping"], CallbackReceiver.eventType(delivery))
    }
  })
)

section(
  "§6.3 all 14 event types come with the contents that the document names",
  Effect.gen(function* () {
    const service = yield* start(calm)
    const receiver = yield* CallbackReceiver.make()
    yield* subscribe(service, receiver.url, eventTypes)
    yield* service.sandbox.emit(service.sandbox.events.blockLength)
    yield* service.sandbox.deliveries.until(({ waiting }) => waiting === 0)
    const received = (yield* Queue.takeAll(receiver.inbox)).slice(1)
    assert.deepStrictEqual(new Set(received.map(CallbackReceiver.eventType)), new Set(Object.keys(contents)))
    for (const delivery of received) {
      const type = CallbackReceiver.eventType(delivery)
      assert.deepStrictEqual(Object.keys(envelope(delivery).data), contents[type], type)
    }
  })
)

section(
  "§8 600 requests a minute by the default plan, 3000 by Premium, each for its own client",
  Effect.gen(function* () {
    const service = yield* start(calm)
    const [plain, premium] = [
      yield* token(service),
      (yield* service.tokens({ ...credentialsRequest, client_id: "sandbox-premium" })).access_token
    ]
    const statuses = (bearer: string, count: number) =>
      Effect.forEach(
        Array.from({ length: count }),
        () => Effect.map(service.get("/projects?per_page=1", bearer), ({ status }) => status),
        { concurrency: 16 }
      )
    assert.deepStrictEqual(new Set(yield* statuses(plain, 600)), new Set([200]))
    const refused = yield* service.get("/projects", plain)
    assert.strictEqual(refused.status, 429)
    assert.match(refused.headers["retry-after"] ?? "", /^\d+$/)
    assert.deepStrictEqual(new Set(yield* statuses(premium, 700)), new Set([200]))
    yield* TestClock.adjust("61 seconds")
    assert.strictEqual((yield* service.get("/projects", plain)).status, 200)
  })
)

section(
  "§9 another major version doesn't exist, and the answer names the one that does",
  Effect.gen(function* () {
    const service = yield* start(calm)
    const answer = yield* Effect.promise(() => fetch(`${service.sandbox.authUrl}/v2/projects`))
    assert.strictEqual(answer.status, 404)
    assert.include(yield* Effect.promise(() => answer.text()), "/v1")
  })
)
