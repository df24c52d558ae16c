/** The version of a page: the start of its request by the service's clock, less 5 s for replicas that lag behind. */
import { hash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Settings from "../../config/Settings.ts"
import { Token } from "../../connectors/construction/ConstructionAuth.ts"
import { type Answer, ConstructionClient } from "../../connectors/construction/ConstructionClient.ts"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import { readPage } from "../../connectors/construction/ConstructionPages.ts"
import type { Change } from "../../src/Domain/Change.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import { merge } from "../../src/Domain/Merge.ts"
import * as Resource from "../../src/Domain/Resource.ts"
import * as Version from "../../src/Domain/Version.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Pace } from "../../src/Walk/Pace.ts"

const second = 1000
const marginMs = 5 * second
const startedMs = Date.UTC(2026, 10, 20, 2)
const tookMs = 3 * second
const text = JSON.stringify({ data: [{ id: 1 }], pagination: { total: 1, page: 1, per_page: 200 } })

const page = (given: Partial<Answer>) =>
  Effect.map(readPage({ text, startedMs, endedMs: startedMs + tookMs, serviceMs: undefined, ...given }), (raw) =>
    changesOf(raw)
  )

const projects = Resource.byName("projects")

/** An event of the service about the project of the page. */
const eventAt = (micros: number): Change => ({
  entity: "projects",
  id: "1",
  version: Version.make(micros, 0, hash("sha256", "event")),
  source: "event",
  seenAt: Instant.fromMillis(startedMs),
  values: { name: "by the event" },
  misfits: {},
  extra: {}
})

describe("a page and an event of one record", () => {
  const hourMs = 3600 * second
  for (const [where, aheadMs] of Object.entries({ right: 0, "an hour ahead": hourMs, "an hour behind": -hourMs })) {
    it.effect(`end as the service's own clock orders them when it is ${where}, whichever comes first`, () =>
      Effect.gen(function* () {
        const named = text.replace("1}", '1,"name":"by the page"}')
        const walked = yield* page({ text: named, serviceMs: startedMs + tookMs + aheadMs })
        const requestedMs = startedMs + aheadMs
        for (const [eventMs, name] of [
          [requestedMs - marginMs - 1000, "by the page"],
          [requestedMs - marginMs + 1000, "by the event"],
          [requestedMs + 60 * second, "by the event"]
        ] as const) {
          const changes = [...walked.changes, eventAt(eventMs * 1000)]
          for (const order of [changes, changes.toReversed()]) {
            assert.strictEqual(merge(projects, undefined, order)?.["name"], name)
          }
        }
      })
    )
  }
})

describe("a page", () => {
  it.effect("with a count that no store can hold isn't what the service promises", () =>
    Effect.gen(function* () {
      for (const count of [2 ** 31, 1e300, -1, 0.5]) {
        const { message } = yield* Effect.flip(page({ text: text.replace('"total":1', `"total":${count}`) }))
        assert.match(message, /that aren't integers up to/)
      }
    })
  )

  it.effect("is dated 5 s before its request began", () =>
    Effect.gen(function* () {
      const { changes, observedMicros } = yield* page({})
      assert.strictEqual(observedMicros, (startedMs - marginMs) * 1000)
      assert.strictEqual(changes[0]?.version, Version.make(observedMicros, 0, hash("sha256", text)))
    })
  )

  it.effect(
    "goes by the service's clock where it sends its own: its answer less the whole time that the request took",
    () =>
      Effect.gen(function* () {
        const behindMs = 3600 * second
        const { observedMicros } = yield* page({ serviceMs: startedMs + tookMs - behindMs })
        assert.strictEqual(observedMicros, (startedMs - behindMs - marginMs) * 1000)
      })
  )

  it.effect("is never dated before all time", () =>
    Effect.map(page({ startedMs: 1, endedMs: 2 }), ({ observedMicros }) => assert.strictEqual(observedMicros, 0))
  )
})

/** The service's answer is here after `tookMs`. */
const service = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request) =>
    Effect.as(TestClock.adjust(tookMs), HttpClientResponse.fromWeb(request, new Response(text)))
  )
)

const environment = {
  SITELEDGER_BASE_URL: "https://service.example.com/v1",
  SITELEDGER_AUTH_URL: "https://service.example.com",
  SITELEDGER_CLIENT_ID: "client",
  SITELEDGER_CLIENT_SECRET: "secret",
  SITELEDGER_WEBHOOK_URL: "https://me.example.com/hooks"
}

const turnMs = 600 * second

const client = ConstructionClient.layer.pipe(
  Layer.provide(service),
  Layer.provide(Layer.mock(Token, { get: Effect.succeed("token") })),
  Layer.provide(Layer.mock(Pace, { take: () => TestClock.adjust(turnMs), accepted: Effect.void })),
  Layer.provide(Settings.layerAll),
  Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(environment))),
  Layer.provide(Reasons.layer)
)

describe("a call", () => {
  it.effect("begins when its turn has come, and ends when the answer has been read", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(startedMs - turnMs)
      const answer = yield* (yield* ConstructionClient).call(
        "backfill",
        (api) => api.projects.list({ query: { page: 1 }, responseMode: "response-only" }),
        Effect.succeed
      )
      assert.deepInclude(answer, { startedMs, endedMs: startedMs + tookMs })
    }).pipe(Effect.provide(client))
  )
})
