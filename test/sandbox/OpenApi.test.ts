/**
 * The OpenAPI document is complete for a client that is generated from it: every answer of every operation, and every
 * delivery. It is compared with the answers and deliveries of a running sandbox. test/foreign/ has the linters and the
 * clients.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { HttpClientRequest } from "effect/http"
import type { Document } from "../../sandbox/Description/OpenApi.ts"
import { eventTypes } from "../../sandbox/Lifecycles.ts"
import * as CallbackReceiver from "./CallbackReceiver.ts"
import { operations, started } from "./Described.ts"
import { subscribeAt } from "./Outliving.ts"

type Json = Readonly<Record<string, unknown>>

const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value)
const json = (value: unknown): Json => (isJson(value) ? value : assert.fail(`an object was expected: ${String(value)}`))

const resolved = (document: Document, schema: unknown): Json => {
  const { $ref } = json(schema)
  if (typeof $ref !== "string") return json(schema)
  return json(document.components.schemas[$ref.replace("#/components/schemas/", "")])
}

/** Why a value doesn't fit a schema, as far as the sandbox's schemas go. */
const misfits = (document: Document, schema: unknown, value: unknown, at: string): ReadonlyArray<string> => {
  const { const: only, enum: choices, items, properties, required, type } = resolved(document, schema)
  if (only !== undefined && value !== only) return [`${at} isn't ${String(only)}`]
  if (Array.isArray(choices) && !choices.includes(value)) return [`${at} is none of ${choices.join(", ")}`]
  if (type === "array") {
    if (!Array.isArray(value)) return [`${at} is no array`]
    return value.flatMap((each, index) => misfits(document, items, each, `${at}[${index}]`))
  }
  if (type === "object") {
    if (!isJson(value)) return [`${at} is no object`]
    const names = json(properties)
    const missing = (required as ReadonlyArray<string>).filter((name) => !(name in value))
    const unknown = Object.keys(value).filter((name) => !(name in names))
    const inner = Object.entries(value).flatMap(([name, each]) =>
      name in names ? misfits(document, names[name], each, `${at}.${name}`) : []
    )
    return [...missing.map((name) => `${at}.${name} is missing`), ...unknown.map((name) => `${at}.${name}?`), ...inner]
  }
  const kind = type === "integer" ? "number" : type
  return kind === undefined || typeof value === kind ? [] : [`${at} is no ${String(type)}`]
}

const documentOf = (baseUrl: string) =>
  Effect.promise(() => fetch(`${baseUrl}/openapi.json`).then((answer) => answer.json() as Promise<Document>))

describe("The OpenAPI document", () => {
  it.effect("has what no linter asks for: a sentence about each tag, and the refusal of each delivery", () =>
    Effect.gen(function* () {
      const { document } = yield* started()
      for (const { description, name } of document.tags) assert.isAbove((description ?? name).length, name.length + 5)
      for (const [type, { post }] of Object.entries(document.webhooks)) assert.property(post.responses, "4XX", type)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("describes every answer of every operation, errors with their schema", () =>
    Effect.gen(function* () {
      const { document } = yield* started()
      for (const { method, operation, path } of operations(document)) {
        const isGuarded = operation.security.some((each) => "oauth2" in each)
        const isOAuth = path.startsWith("/oauth/")
        const expected = [
          ...(isGuarded ? ["400", "401", "403", "429"] : isOAuth ? ["400", "401"] : []),
          ...(path.endsWith("/{id}") ? ["404"] : []),
          ...(isGuarded && method === "POST" ? ["413", "415"] : []),
          "405",
          "500",
          "503"
        ]
        assert.includeMembers(Object.keys(operation.responses), expected, path)
        for (const [status, { content, headers }] of Object.entries(operation.responses)) {
          if (status.startsWith("2")) continue
          const isOwn = isOAuth && Number(status) < 500
          const $ref = `#/components/schemas/${isOwn ? "OAuthError" : "Refusal"}`
          assert.deepStrictEqual(content?.["application/json"], { schema: { $ref } }, `${path} ${status}`)
          const named = { 401: "WWW-Authenticate", 405: "Allow", 429: "Retry-After" }[Number(status)]
          if (named !== undefined) assert.property(headers, named)
        }
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  for (const version of ["v1", "v2"]) {
    it.effect(`of ${version} fits the records that are listed, and its examples fit its schemas`, () =>
      Effect.gen(function* () {
        const { http, sandbox } = yield* started({ v2: true })
        const document = yield* documentOf(`${sandbox.authUrl}/${version}`)
        for (const [name, schema] of Object.entries(document.components.schemas)) {
          for (const example of (json(schema)["examples"] ?? []) as ReadonlyArray<unknown>) {
            assert.deepStrictEqual(misfits(document, schema, example, name), [])
          }
        }
        const form = { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" }
        const tokens = HttpClientRequest.post(`${sandbox.authUrl}/oauth/token`)
        const answer = yield* http.execute(HttpClientRequest.bodyUrlParams(tokens, form))
        const token = String(json(yield* answer.json)["access_token"])
        const lists = operations(document).filter(({ operation }) => operation.operationId.endsWith(".list"))
        assert.strictEqual(lists.length, 7)
        for (const { base, operation, path } of lists) {
          const request = HttpClientRequest.get(`${sandbox.authUrl}${base}${path}`)
          const listed = yield* http.execute(HttpClientRequest.bearerToken(request, token))
          const schema = operation.responses[200]?.content?.["application/json"]?.schema
          assert.deepStrictEqual(misfits(document, schema, yield* listed.json, path), [])
        }
      }).pipe(Effect.provide(NodeHttpClient.layerUndici))
    )
  }
})

describe("Its webhooks", () => {
  it.effect("are every event type, with the headers and the payload that are sent", () =>
    Effect.gen(function* () {
      const receiver = yield* CallbackReceiver.make()
      const { document, sandbox } = yield* started({ duplicates: 0, disorder: 0 })
      assert.sameMembers(Object.keys(document.webhooks), [...eventTypes, "webhook.ping", "webhook.test"])
      yield* subscribeAt(sandbox.authUrl, receiver.url)
      yield* sandbox.emit(sandbox.events.blockLength)
      yield* Effect.promise(() => fetch(`${sandbox.adminUrl}/api/subscriptions/1/test`, { method: "POST" }))
      yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
      const seen = new Set<string>()
      for (const received of yield* Queue.takeAll(receiver.inbox)) {
        const type = CallbackReceiver.eventType(received)
        seen.add(type)
        const post = document.webhooks[type]?.post
        const schema = post?.requestBody?.content["application/json"]?.schema
        assert.deepStrictEqual(misfits(document, schema, JSON.parse(CallbackReceiver.text(received)), type), [])
        for (const { name, schema } of post?.parameters ?? []) {
          const sent = received.headers[name.toLowerCase()]
          const { pattern = "" } = json(schema)
          assert.deepStrictEqual(misfits(document, schema, sent, name), [])
          assert.match(sent ?? "", new RegExp(String(pattern)))
        }
        assert.strictEqual(post?.parameters.length, 4)
      }
      assert.sameMembers([...seen], Object.keys(document.webhooks))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
