import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { TestClock } from "effect/testing"
import { ConstructionApi, ConstructionTokenApi } from "../../connectors/construction/ConstructionApi.ts"
import { eventTypes } from "../../sandbox/Lifecycles.ts"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"
import type { EntityTruth } from "../../sandbox/Truth.ts"
import * as CallbackReceiver from "./CallbackReceiver.ts"

const calm: SandboxOptions = { eventsPerSecond: 0, duplicates: 0, disorder: 0, startAt: "2026-01-05T08:00:00Z" }

const started = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* Sandbox.start({ ...calm, ...options })
  const oauth = yield* HttpApiClient.make(ConstructionTokenApi, { baseUrl: sandbox.authUrl })
  const { access_token } = yield* oauth.oauth.token({
    payload: { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" }
  })
  const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, HttpClientRequest.bearerToken(access_token))
  const { webhooks } = yield* HttpApiClient.makeWith(ConstructionApi, { httpClient: http, baseUrl: sandbox.baseUrl })
  const subscribe = (url: string, events: ReadonlyArray<string> = eventTypes) =>
    webhooks.create({ payload: { url, events } })
  const post = (body: unknown) =>
    http.execute(HttpClientRequest.post(`${sandbox.baseUrl}/webhooks`).pipe(HttpClientRequest.bodyJsonUnsafe(body)))
  return { sandbox, subscribe, post }
})

/** By entity and stage: when it last happened, by the received bodies in any order. */
const receivedStages = (received: ReadonlyArray<CallbackReceiver.Received>) => {
  const stages: Record<string, string> = {}
  for (const body of received.map(CallbackReceiver.text)) {
    const { data, event_timestamp, event_type }: Envelope = JSON.parse(body)
    const key = `${Object.values(data)[0]} ${event_type.split(".").at(-1)}_at`
    if (event_timestamp > (stages[key] ?? "")) stages[key] = event_timestamp
  }
  return stages
}
interface Envelope {
  readonly event_type: string
  readonly event_timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

const lastStages = (entities: Iterable<EntityTruth>) => {
  const stages: Record<string, string> = {}
  for (const { fields, id } of entities) {
    for (const [column, text] of Object.entries(fields)) if (column.endsWith("_at")) stages[`${id} ${column}`] = text
  }
  return stages
}

describe("A new subscription", () => {
  it.effect("is answered with its secret, and its ping is signed with it", () =>
    Effect.gen(function* () {
      const receiver = yield* CallbackReceiver.make()
      const { sandbox, subscribe } = yield* started()
      const subscription = yield* subscribe(receiver.url, ["ipc.paid"])
      const ping = yield* Queue.take(receiver.inbox)
      assert.strictEqual(CallbackReceiver.eventType(ping), "webhook.ping")
      assert.strictEqual(ping.path, "/hooks")
      assert.isTrue(CallbackReceiver.signedWith(subscription.secret, ping))
      assert.match(ping.headers["x-service-signature"] ?? "", /^[0-9a-f]{64}$/)
      assert.match(ping.headers["x-service-event-id"] ?? "", /^[0-9a-f-]{36}$/)
      assert.match(ping.headers["x-service-timestamp"] ?? "", /^\d+$/)
      assert.isUndefined(ping.headers["traceparent"])
      yield* sandbox.deliveries.until((counts) => counts.delivered === 1)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("is refused if the address is not absolute http or no event is named", () =>
    Effect.gen(function* () {
      const { post, sandbox } = yield* started()
      const statuses = yield* Effect.forEach(
        [
          { url: "/hooks", events: ["ipc.paid"] },
          { url: "ftp://example.com/hooks", events: ["ipc.paid"] },
          { url: "https://example.com/hooks", events: [] },
          { url: "https://example.com/hooks" },
          "hooks"
        ],
        (body) => Effect.map(post(body), (response) => response.status)
      )
      assert.deepStrictEqual(statuses, [400, 400, 400, 400, 400])
      assert.strictEqual(sandbox.subscriptions().length, 0)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("is another one each time, with another secret, and each receives only its own types", () =>
    Effect.gen(function* () {
      const payments = yield* CallbackReceiver.make()
      const permits = yield* CallbackReceiver.make()
      const { sandbox, subscribe } = yield* started()
      const first = yield* subscribe(payments.url, ["ipc.paid"])
      const second = yield* subscribe(permits.url, ["permit.issued", "permit.expiring"])
      assert.notStrictEqual(first.secret, second.secret)
      yield* sandbox.emit(sandbox.events.blockLength)
      yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
      const types = (receiver: typeof payments) =>
        Effect.map(Queue.takeAll(receiver.inbox), (all) => [...new Set(all.map(CallbackReceiver.eventType))].toSorted())
      assert.deepStrictEqual(yield* types(payments), ["ipc.paid", "webhook.ping"])
      assert.deepStrictEqual(yield* types(permits), ["permit.expiring", "permit.issued", "webhook.ping"])
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("Deliveries over HTTP", () => {
  it.effect("bring all 14 types, signed, with the events' own bytes", () =>
    Effect.gen(function* () {
      const receiver = yield* CallbackReceiver.make()
      const { sandbox, subscribe } = yield* started({ concurrency: 1 })
      const { secret } = yield* subscribe(receiver.url)
      yield* sandbox.emit(sandbox.events.blockLength)
      yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
      const received = (yield* Queue.takeAll(receiver.inbox)).slice(1)
      assert.isTrue(received.every((delivery) => CallbackReceiver.signedWith(secret, delivery)))
      assert.deepStrictEqual(new Set(received.map(CallbackReceiver.eventType)), new Set(eventTypes))
      const expected = received.map((_, step) => `${sandbox.events.id(step)} ${sandbox.events.body(step)}`)
      const arrived = received.map((each) => `${each.headers["x-service-event-id"]} ${CallbackReceiver.text(each)}`)
      assert.deepStrictEqual(arrived, expected)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("reach a receiver that fails at first, through the retry schedule", () =>
    Effect.gen(function* () {
      const seen = new Map<string, number>()
      const receiver = yield* CallbackReceiver.make(({ headers }) =>
        Effect.sync(() => {
          const id = headers["x-service-event-id"] ?? ""
          seen.set(id, (seen.get(id) ?? 0) + 1)
          return (seen.get(id) ?? 0) <= 3 ? 503 : 204
        })
      )
      const { sandbox, subscribe } = yield* started({ timeScale: 36_000, eventsPerSecond: 1000, maxEvents: 40 })
      yield* subscribe(receiver.url)
      yield* sandbox.drained
      const { attempts, delivered, failed } = sandbox.deliveries.counts()
      assert.deepStrictEqual({ attempts, delivered, failed }, { attempts: 41 * 4, delivered: 41, failed: 0 })
      assert.isTrue([...seen.values()].every((count) => count === 4))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("count as failed when the answer takes longer than 10 seconds", () =>
    Effect.gen(function* () {
      let asked = 0
      const receiver = yield* CallbackReceiver.make(() =>
        Effect.suspend(() => (asked++ === 0 ? Effect.never : Effect.succeed(200)))
      )
      const { sandbox, subscribe } = yield* started()
      yield* subscribe(receiver.url)
      yield* Queue.take(receiver.inbox)
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(sandbox.deliveries.counts().attempts, 0)
      yield* TestClock.adjust("1 second")
      yield* sandbox.deliveries.until((counts) => counts.attempts === 1)
      assert.strictEqual(sandbox.deliveries.counts().waiting, 1)
      yield* TestClock.adjust("50 seconds")
      yield* sandbox.deliveries.until((counts) => counts.delivered === 1)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("come twice and out of order in the given shares, and still tell the whole truth", () =>
    Effect.gen(function* () {
      const receiver = yield* CallbackReceiver.make()
      const { sandbox, subscribe } = yield* started({
        eventsPerSecond: 2000,
        maxEvents: 1000,
        duplicates: 0.2,
        disorder: 0.2
      })
      yield* subscribe(receiver.url)
      yield* sandbox.drained
      const received = (yield* Queue.takeAll(receiver.inbox)).slice(1)
      const ids = received.map(({ headers }) => headers["x-service-event-id"])
      const sent = Array.from({ length: 1000 }, (_, step) => sandbox.events.id(step))
      assert.deepStrictEqual(new Set(ids), new Set(sent))
      assert.isTrue(ids.length > 1120 && ids.length < 1280, `${ids.length} deliveries of 1000 events`)
      const steps = ids.map((id) => sent.indexOf(id ?? ""))
      assert.isTrue(steps.some((step, at) => at > 0 && step < (steps[at - 1] ?? 0)))
      assert.deepStrictEqual(receivedStages(received), lastStages(sandbox.truth().entities))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("are the same, copies included, in every sandbox with the same options", () =>
    Effect.gen(function* () {
      const run = Effect.gen(function* () {
        const receiver = yield* CallbackReceiver.make()
        const { sandbox, subscribe } = yield* started({ seed: 8, duplicates: 0.3, concurrency: 1 })
        yield* subscribe(receiver.url)
        yield* sandbox.deliveries.until((counts) => counts.delivered === 1)
        yield* sandbox.emit(300)
        yield* TestClock.adjust("1 second")
        yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
        const all = (yield* Queue.takeAll(receiver.inbox)).slice(1)
        return { bodies: all.map(CallbackReceiver.text).toSorted(), truth: [...sandbox.truth().entities] }
      })
      const first = yield* Effect.scoped(run)
      assert.isTrue(first.bodies.length > 350)
      assert.deepStrictEqual(yield* Effect.scoped(run), first)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("go on for a live receiver, however much an abandoned subscription piles up", () =>
    Effect.gen(function* () {
      const receiver = yield* CallbackReceiver.make()
      const { sandbox, subscribe } = yield* started({
        timeScale: 7200,
        eventsPerSecond: 1000,
        maxEvents: 600,
        maxWaiting: 50
      })
      yield* subscribe(receiver.url)
      yield* subscribe("http://127.0.0.1:1/hooks")
      yield* sandbox.deliveries.until((counts) => counts.delivered === 601)
      const failed = sandbox.deliveries.list("failed")
      assert.isTrue(failed.some(({ attempts }) => attempts < 7))
      assert.isTrue(failed.every(({ subscription }) => subscription === 1))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
