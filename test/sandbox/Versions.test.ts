/** The two versions of the API side by side, over real HTTP: the same data under other names. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"
import * as CallbackReceiver from "./CallbackReceiver.ts"
import { calm } from "./Administration/Started.ts"
import { subscribeAt, temporaryStatePath } from "./Outliving.ts"
import { paths } from "./Reading.ts"

type Fields = Readonly<Record<string, unknown>>

const started = Effect.fnUntraced(function* (options: SandboxOptions = {}) {
  const sandbox = yield* Sandbox.start({ ...calm, v2: true, concurrency: 1, ...options })
  const http = yield* HttpClient.HttpClient
  const form = { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" }
  const tokens = yield* Effect.flatMap(
    http.execute(HttpClientRequest.post(`${sandbox.authUrl}/oauth/token`).pipe(HttpClientRequest.bodyUrlParams(form))),
    (answer) => answer.json
  )
  const { access_token } = tokens as { readonly access_token: string }
  const authorized = HttpClient.mapRequest(http, HttpClientRequest.bearerToken(access_token))
  const get = (path: string) =>
    Effect.flatMap(authorized.get(`${sandbox.authUrl}${path}`), (answer) =>
      Effect.map(answer.json, (body) => body as unknown as Fields)
    )
  const subscribe = (version: string, url: string) =>
    authorized.execute(
      HttpClientRequest.post(`${sandbox.authUrl}/${version}/webhooks`).pipe(
        HttpClientRequest.bodyJsonUnsafe({ url, events: ["ipc.created", "ipc.certified", "permit.issued"] })
      )
    )
  return { sandbox, get, subscribe }
})

const values = (fields: unknown): ReadonlyArray<unknown> => Object.values(fields as Fields)

describe("/v2", () => {
  it.effect("lists the same records as /v1 under other names and in another envelope", () =>
    Effect.gen(function* () {
      const { get, sandbox } = yield* started()
      yield* sandbox.emit(300)
      for (const path of ["/projects", ...Object.values(paths)]) {
        const one = yield* get(`/v1${path}?per_page=3&page=2`)
        const two = yield* get(`/v2${path}?per_page=3&page=2`)
        assert.deepStrictEqual(Object.keys(one), ["data", "pagination"])
        assert.deepStrictEqual(Object.keys(two), ["items", "page"])
        const { page, per_page, total } = one["pagination"] as Fields
        assert.deepStrictEqual(two["page"], { total, number: page, size: per_page })
        const [old, renamed] = [one["data"], two["items"]] as [ReadonlyArray<Fields>, ReadonlyArray<Fields>]
        assert.deepStrictEqual(renamed.map(values), old.map(values))
        for (const record of renamed) assert.notProperty(record, "status")
        const [id] = values(renamed[0])
        assert.deepStrictEqual(yield* get(`/v2${path}/${String(id)}`), renamed[0])
      }
      const project = (yield* get("/v2/projects?per_page=1"))["items"] as ReadonlyArray<Fields>
      assert.deepStrictEqual(Object.keys(project[0] ?? {}), ["id", "title", "state"])
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("makes subscriptions whose deliveries have its shape, signed, retried and restarted alike", () =>
    Effect.gen(function* () {
      const statePath = yield* temporaryStatePath
      const [old, renamed] = [yield* CallbackReceiver.make(), yield* CallbackReceiver.make()]
      const received = Effect.fnUntraced(function* (sandbox: Sandbox) {
        yield* sandbox.emit(60)
        yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
        return [yield* Queue.takeAll(old.inbox), yield* Queue.takeAll(renamed.inbox)] as const
      })
      const secrets = yield* Effect.scoped(
        Effect.gen(function* () {
          const { sandbox, subscribe } = yield* started({ statePath })
          yield* subscribe("v1", old.url)
          assert.strictEqual((yield* subscribe("v2", renamed.url)).status, 201)
          const [first, second] = yield* received(sandbox)
          const secrets = sandbox.subscriptions().map(({ secret }) => secret)
          assert.isAbove(second.length, 5)
          assert.strictEqual(first.length, second.length)
          for (const [at, delivery] of second.entries()) {
            assert.isTrue(CallbackReceiver.signedWith(secrets[1] ?? "", delivery))
            const v1: Fields = JSON.parse(CallbackReceiver.text(first[at] ?? delivery))
            const v2: Fields = JSON.parse(CallbackReceiver.text(delivery))
            assert.deepStrictEqual(Object.keys(v2), ["type", "event_timestamp", "record"])
            assert.strictEqual(v2["type"], CallbackReceiver.eventType(delivery))
            if (v2["type"] === "webhook.ping") continue
            assert.strictEqual(v2["event_timestamp"], v1["event_timestamp"])
            assert.deepStrictEqual(values(v2["record"]), values(v1["data"]))
            assert.notProperty(v2["record"], "draft_amount")
          }
          return secrets
        })
      )
      const { sandbox } = yield* started({ statePath, redeliver: 0 })
      const [first, second] = yield* received(sandbox)
      assert.isTrue(second.every((delivery) => CallbackReceiver.signedWith(secrets[1] ?? "", delivery)))
      assert.isTrue(second.every((delivery) => CallbackReceiver.text(delivery).startsWith('{"type":')))
      assert.isTrue(first.every((delivery) => CallbackReceiver.text(delivery).startsWith('{"event_type":')))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("doesn't exist unless it is asked for", () =>
    Effect.gen(function* () {
      const { sandbox } = yield* started({ v2: false })
      yield* subscribeAt(sandbox.authUrl, "http://127.0.0.1:1/")
      const answer = yield* Effect.promise(() => fetch(`${sandbox.authUrl}/v2/projects`))
      assert.strictEqual(answer.status, 404)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
