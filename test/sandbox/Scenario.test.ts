import { readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue, Result } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { ConstructionApi, ConstructionTokenApi } from "../../connectors/construction/ConstructionApi.ts"
import { eventTypes } from "../../sandbox/Lifecycles.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import * as Scenario from "../../sandbox/Scenario.ts"
import * as CallbackReceiver from "./CallbackReceiver.ts"

const folder = resolve(import.meta.dirname, "../../sandbox/scenarios")
const credentials = { grant_type: "client_credentials", client_id: "sandbox", client_secret: "sandbox-secret" }

const parsed = (file: unknown): Scenario.Scenario => Result.getOrThrow(Scenario.parse(JSON.stringify(file)))

/** Plays to the end, for one subscription to all types; returns what arrived until no delivery waited. */
const played = Effect.fnUntraced(function* (
  scenario: Scenario.Scenario,
  answer?: Parameters<typeof CallbackReceiver.make>[0]
) {
  const receiver = yield* CallbackReceiver.make(answer)
  const sandbox = yield* Sandbox.start(Scenario.options(scenario))
  const oauth = yield* HttpApiClient.make(ConstructionTokenApi, { baseUrl: sandbox.authUrl })
  const { access_token } = yield* oauth.oauth.token({ payload: credentials })
  const http = HttpClient.mapRequest(yield* HttpClient.HttpClient, HttpClientRequest.bearerToken(access_token))
  const { webhooks } = yield* HttpApiClient.makeWith(ConstructionApi, { httpClient: http, baseUrl: sandbox.baseUrl })
  const { secret } = yield* webhooks.create({ payload: { url: receiver.url, events: eventTypes } })
  const isStopped = yield* Scenario.play(sandbox, scenario)
  yield* sandbox.deliveries.until(({ waiting }) => waiting === 0)
  const [, ...received] = yield* Queue.takeAll(receiver.inbox)
  return { sandbox, secret, isStopped, received }
}, Effect.scoped)

const summaries = (received: ReadonlyArray<CallbackReceiver.Received>) =>
  received.map((each) => {
    const { "x-service-event-id": id, "x-service-event-type": type } = each.headers
    return [id, type, CallbackReceiver.text(each)].join(" ")
  })

describe("A scenario", () => {
  it.live("plays the same twice: ids, types, bodies and their order, however fast the receiver is", () =>
    Effect.gen(function* () {
      const rough = yield* Scenario.read(join(folder, "rough-day.json"))
      const scenario = { ...rough, identity: "the same", timeScale: 100_000 }
      const first = yield* played(scenario)
      let answers = 0
      const second = yield* played(scenario, () => Effect.as(Effect.sleep(answers++ % 40 === 0 ? 30 : 1), 200))
      assert.isAbove(first.received.length, 700)
      assert.deepStrictEqual(summaries(second.received), summaries(first.received))
      assert.deepStrictEqual([...second.sandbox.truth().entities], [...first.sandbox.truth().entities])
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("sets the simulated clock to the times of its steps", () =>
    Effect.gen(function* () {
      const scenario = parsed({
        timeScale: 1e6,
        startAt: "2026-02-01T00:00:00Z",
        steps: [
          { at: "90 minutes", emit: 2 },
          { at: "1 day", emit: 1 }
        ]
      })
      const { received } = yield* played(scenario)
      const times = received.map(
        (each) => (JSON.parse(CallbackReceiver.text(each)) as { event_timestamp: string }).event_timestamp
      )
      assert.deepStrictEqual(
        times.map((time) => time.slice(0, 23)),
        ["2026-02-01T01:30:00.000", "2026-02-01T01:30:00.001", "2026-02-02T00:00:00.000"]
      )
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("rotates the secret between two steps", () =>
    Effect.gen(function* () {
      const steps = [
        { at: "0 minutes", emit: 5 },
        { at: "1 minute", rotateSecret: 0 },
        { at: "1 minute", emit: 5 }
      ]
      const { received, sandbox, secret } = yield* played(parsed({ timeScale: 60, steps }))
      const renewed = sandbox.subscriptions()[0]?.secret ?? ""
      assert.notStrictEqual(renewed, secret)
      assert.strictEqual(received.length, 10)
      assert.isTrue(received.slice(5).every((each) => CallbackReceiver.signedWith(renewed, each)))
      assert.isTrue(received.slice(0, 5).some((each) => CallbackReceiver.signedWith(secret, each)))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("replays what failed in an outage", () =>
    Effect.gen(function* () {
      const scenario = parsed({
        timeScale: 86_400,
        steps: [
          { at: "1 minute", fault: "outage", value: 60 },
          { at: "1 hour", emit: 20 },
          { at: "30 hours", fault: "outage", value: 0 },
          { at: "30 hours", emit: 5 },
          { at: "31 hours", replayFailed: true }
        ]
      })
      const { received, sandbox } = yield* played(scenario)
      const ids = received.map(({ headers }) => headers["x-service-event-id"])
      assert.sameMembers(
        ids,
        Array.from({ length: 25 }, (_, n) => sandbox.events.id(n))
      )
      assert.strictEqual(sandbox.deliveries.counts().failed, 0)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("returns whether it ended with a stop", () =>
    Effect.gen(function* () {
      const stop = [{ at: "0 minutes", stop: true }]
      assert.isTrue((yield* played(parsed({ steps: stop }))).isStopped)
      assert.isFalse((yield* played(parsed({ steps: [] }))).isStopped)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("A scenario's file", () => {
  it.effect("is valid for each of the bundled scenarios", () =>
    Effect.gen(function* () {
      const files = readdirSync(folder)
      assert.isAtLeast(files.length, 3)
      for (const file of files) assert.isNotEmpty((yield* Scenario.read(join(folder, file))).steps)
    })
  )

  const step = (content: Record<string, unknown>) => JSON.stringify({ steps: [{ at: "1 hour", ...content }] })
  const steps = (...all: ReadonlyArray<unknown>) => JSON.stringify({ steps: all })
  const bad: ReadonlyArray<readonly [text: string, wrong: RegExp]> = [
    ["{", /valid JSON/],
    ["[]", /Expected object/],
    ["{}", /Missing key at \["steps"\]/],
    [JSON.stringify({ steps: [], timeScale: 0 }), /greater than 0 at \["timeScale"\]/],
    [JSON.stringify({ steps: [], sede: 1 }), /no excess property at \["sede"\]/],
    [step({ emitt: 1 }), /no excess property at \["steps"\]\[0\]\["emitt"\]/],
    [step({}), /exactly one of emit, fault, replayFailed, rotateSecret, stop at \["steps"\]\[0\]/],
    [step({ emit: 1, stop: true }), /exactly one of/],
    [step({ emit: -1 }), /greater than or equal to 0 at \["steps"\]\[0\]\["emit"\]/],
    [step({ emit: 1, value: 1 }), /value belongs to a fault/],
    [step({ fault: "outage" }), /a fault needs a value/],
    [step({ fault: "outrage", value: 1 }), /"outage" at \["steps"\]\[0\]\["fault"\]/],
    [step({ fault: "duplicate", value: 2 }), /duplicate must be a number from 0 to 1/],
    [steps({ at: "soon", emit: 1 }), /at \["steps"\]\[0\]\["at"\]/],
    [steps({ at: "-1 hours", emit: 1 }), /before the first subscription/],
    [
      steps({ at: "2 hours", emit: 1 }, { at: "1 hour", emit: 1 }),
      /comes before the step above it at \["steps"\]\[1\]/
    ],
    [steps({ at: "1 hour", stop: true }, { at: "1 hour", emit: 1 }), /comes after the stop at \["steps"\]\[1\]/]
  ]
  for (const [text, wrong] of bad) {
    it(`is refused in one sentence: ${text}`, () => {
      const result = Scenario.parse(text)
      const message = Result.isFailure(result) ? result.failure : "taken"
      assert.match(message, wrong)
      assert.notInclude(message, "\n")
    })
  }

  it.effect("is named if it can't be played", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Scenario.read(join(folder, "nowhere.json")))
      assert.match(error.message, /scenarios\/nowhere\.json can't be played: .*no such file/)
    })
  )
})
