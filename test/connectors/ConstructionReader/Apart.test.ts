/** Large bodies, which a thread reads: the result is the same, and the event loop continues meanwhile. */
import { performance } from "node:perf_hooks"
import { gzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer } from "effect"
import * as Settings from "../../../config/Settings.ts"
import * as ConstructionApart from "../../../connectors/construction/ConstructionApart.ts"
import { optionsOf, read } from "../../../connectors/construction/ConstructionReader.ts"
import { type Event, EventReader } from "../../../src/Domain/Event.ts"

const nowMicros = Date.UTC(2026, 10, 20, 12) * 1000

const given = {
  SITELEDGER_BASE_URL: "https://service.example.com/v1",
  SITELEDGER_AUTH_URL: "https://auth.example.com",
  SITELEDGER_CLIENT_ID: "client",
  SITELEDGER_CLIENT_SECRET: "client-secret",
  SITELEDGER_WEBHOOK_URL: "https://me.example.com/hooks"
}

const settings = Settings.layerAll.pipe(Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnvRecord(given))))

const eventOf = (body: Uint8Array): Event => ({
  sequence: 1,
  bodySha256: "0".repeat(64),
  body,
  eventId: "8a4f5c8e-0000-4000-8000-000000000000",
  headerType: "ipc.paid",
  issuedAt: null,
  receivedAt: "2026-11-20T12:00:00.000000Z",
  deliveries: 1,
  replayed: false
})

const bodyOf = (keys: number): string => {
  const unknown = Array.from({ length: keys }, (_, index) => `"k${index}":${index % 10}`)
  const known = '"event_type":"ipc.paid","event_timestamp":"2026-11-20T10:00:00Z","ipc_id":7,"payment_reference":"P"'
  return `{${[known, '"__proto__":"kept"', ...unknown].join(",")}}`
}

const both = (body: Uint8Array) =>
  Effect.gen(function* () {
    const reader = yield* EventReader
    const options = optionsOf(yield* Settings.ServiceSettings)
    const apart = reader.read(eventOf(body), nowMicros)
    return { apart, here: read(options, eventOf(body), nowMicros) }
  })

const within = <A, E>(body: Effect.Effect<A, E, EventReader | Settings.ServiceSettings>) =>
  Effect.scoped(Effect.provide(body, Layer.provideMerge(ConstructionApart.layer, settings)))

/** The longest time, in ms, in which the event loop did nothing else. */
const longestPause = async (work: () => unknown): Promise<number> => {
  let [longest, last, isDone] = [0, performance.now(), false]
  const look = (): void => {
    longest = Math.max(longest, performance.now() - last)
    last = performance.now()
    if (!isDone) setImmediate(look)
  }
  setImmediate(look)
  await new Promise((resolve) => setImmediate(resolve))
  await work()
  await new Promise((resolve) => setImmediate(resolve))
  isDone = true
  return longest
}

describe("a large body", () => {
  const text = bodyOf(20_000)
  const part = Buffer.concat([Buffer.alloc(100_000), Buffer.from(text)]).subarray(100_000)
  it.live.each([
    ["is read as a small one", part],
    ["is read when it is compressed", gzipSync(text)],
    ["that can't be read has the same reason", Buffer.from(text.slice(0, -1))],
    ["with one long field is read", Buffer.from(bodyOf(0).replace("{", `{"list":[${"1,".repeat(20_000)}1],`))]
  ] as ReadonlyArray<[string, Uint8Array]>)("%s", ([, body]) =>
    within(
      Effect.gen(function* () {
        const { apart, here } = yield* both(body)
        assert.instanceOf(apart, Promise)
        const reading = yield* Effect.promise(() => Promise.resolve(apart))
        assert.deepStrictEqual(reading, here)
        assert.deepStrictEqual(Object.keys(reading.change?.extra ?? {}), Object.keys(here.change?.extra ?? {}))
      })
    )
  )

  it.live("and another are read one after the other", () =>
    within(
      Effect.gen(function* () {
        const reader = yield* EventReader
        const events = [17_000, 18_000, 19_000].map((keys) => eventOf(Buffer.from(bodyOf(keys))))
        const readings = yield* Effect.promise(() =>
          Promise.all(events.map(async (event) => reader.read(event, nowMicros)))
        )
        const counts = readings.map(({ change }) => Object.keys(change?.extra ?? {}).length)
        assert.deepStrictEqual(counts, [17_001, 18_001, 19_001])
      })
    )
  )

  it.live("of 300,000 fields stops the event loop for a fraction of the time that it takes to read", () =>
    within(
      Effect.gen(function* () {
        const reader = yield* EventReader
        const options = optionsOf(yield* Settings.ServiceSettings)
        const event = eventOf(Buffer.from(bodyOf(300_000)))
        const here = yield* Effect.promise(() => longestPause(() => read(options, event, nowMicros)))
        const apart = yield* Effect.promise(() => longestPause(() => reader.read(event, nowMicros)))
        assert.isBelow(apart, here / 3)
      })
    )
  )
})

it.live.each([
  ["a small body", bodyOf(3)],
  ["a body of one long text", bodyOf(3).replace('"P"', `"${"P".repeat(3_000_000)}"`)]
] as const)("%s is read at once", ([, text]) =>
  within(
    Effect.gen(function* () {
      const { apart, here } = yield* both(Buffer.from(text))
      assert.deepStrictEqual(apart, here)
    })
  )
)
