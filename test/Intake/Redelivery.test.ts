/** Delivering stored events once more: all pages of them, and answers of a receiver that is busy or knows one secret only. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { signing } from "../../connectors/construction/ConstructionSigning.ts"
import type { Event } from "../../src/Domain/Event.ts"
import { redeliver } from "../../src/Intake/Redelivery.ts"
import { Keyring, secret } from "../../src/Intake/Secrets/Keyring.ts"
import { Store } from "../../src/Stores/Store.ts"

const pageSize = 3

const event = (sequence: number): Event => ({
  sequence,
  eventId: `event-${sequence}`,
  headerType: "ipc.paid",
  issuedAt: null,
  receivedAt: "2026-11-20T00:00:00.000000Z",
  body: Buffer.from(`{"n":${sequence}}`),
  bodySha256: String(sequence).padStart(64, "0"),
  deliveries: 1,
  replayed: false
})

const storeOf = (count: number) => {
  const all = Array.from({ length: count }, (_, n) => event(n + 1))
  const stored = (after: number) => {
    const events = all.filter(({ sequence }) => sequence > after).slice(0, pageSize)
    const through = events.at(-1)?.sequence ?? after
    return Effect.succeed({ events, through, hasMore: through < count })
  }
  return Layer.succeed(Store, { deliveries: { stored } } as never)
}

const secrets = ["old", "new"].map((text) => secret(`whsec_${text}`, { fingerprint: text }))
const keyring = Layer.succeed(Keyring, { valid: () => secrets } as never)

/** `statusOf` is asked for each request, with the event's id and how many requests were made before. */
const delivering = (count: number, statusOf: (id: string, signature: string, before: number) => number) =>
  Effect.gen(function* () {
    const taken: Array<string> = []
    let asked = 0
    const client = HttpClient.make((request) => {
      const id = request.headers["x-service-event-id"] ?? ""
      const status = statusOf(id, request.headers["x-service-signature"] ?? "", asked++)
      if (status === 200) taken.push(id)
      return Effect.succeed(HttpClientResponse.fromWeb(request, new Response(null, { status })))
    })
    const to = new URL("http://127.0.0.1:1/hooks")
    const layers = Layer.mergeAll(storeOf(count), keyring, Layer.succeed(HttpClient.HttpClient, client))
    const fiber = yield* Effect.forkChild(Effect.provide(Effect.exit(redeliver(signing, to, undefined)), layers))
    yield* TestClock.adjust(Duration.minutes(2))
    return { exit: yield* Fiber.join(fiber), taken: taken.toSorted(), asked: () => asked }
  })

const ids = (count: number) => Array.from({ length: count }, (_, n) => `event-${n + 1}`).toSorted()

describe("events that are delivered again", () => {
  it.effect("are all that are stored, page after page", () =>
    Effect.gen(function* () {
      const { exit, taken } = yield* delivering(10, () => 200)
      assert.deepStrictEqual(taken, ids(10))
      assert.deepInclude(exit, { value: { taken: 10, refused: 0 } })
    })
  )

  it.effect("are signed with the secret that the receiver knows", () =>
    Effect.gen(function* () {
      const old = secrets[0]
      const known = new Set([1, 2, 3, 4].map((n) => old && signing.headersOf(old.key, event(n))["x-service-signature"]))
      const { exit, taken } = yield* delivering(4, (_id, signature) => (known.has(signature) ? 200 : 401))
      assert.deepStrictEqual(taken, ids(4))
      assert.deepInclude(exit, { value: { taken: 4, refused: 0 } })
    })
  )

  it.effect("wait for a receiver that is busy, and not for ever", () =>
    Effect.gen(function* () {
      const { exit, taken } = yield* delivering(4, (_id, _signature, before) => (before < 9 ? 503 : 200))
      assert.deepStrictEqual(taken, ids(4))
      assert.deepInclude(exit, { value: { taken: 4, refused: 0 } })
      const never = yield* delivering(1, () => 429)
      assert.strictEqual(never.exit._tag, "Failure")
      assert.strictEqual(never.asked(), 31)
    })
  )
})
