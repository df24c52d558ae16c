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

const signaturesOf = (count: number) =>
  secrets.flatMap(({ key }) =>
    Array.from({ length: count }, (_, n) => signing.headersOf(key, event(n + 1))["x-service-signature"])
  )

/**
 * `statusOf` is asked for each request that isn't forged, with the event's id and how many were made before; `toForged`: what a forged
 * one gets.
 */
const delivering = (
  count: number,
  statusOf: (id: string, signature: string, before: number) => number,
  toForged = 401
) =>
  Effect.gen(function* () {
    const taken: Array<string> = []
    let asked = 0
    const own = signaturesOf(count)
    const client = HttpClient.make((request) => {
      const id = request.headers["x-service-event-id"] ?? ""
      const signature = request.headers["x-service-signature"] ?? ""
      const status = own.includes(signature) ? statusOf(id, signature, asked++) : toForged
      if (status === 200 && own.includes(signature)) taken.push(id)
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

  it.effect("go only to a receiver that refuses a forged one: not to a page that answers everything with 200", () =>
    Effect.gen(function* () {
      for (const status of [200, 404]) {
        const { asked, exit, taken } = yield* delivering(4, () => 200, status)
        assert.strictEqual(exit._tag, "Failure")
        assert.match(
          String(exit),
          new RegExp(
            `isn't a receiver of siteledger: it answers a forged event with ${status}, and not with 401\\. Nothing was delivered`
          )
        )
        assert.deepStrictEqual([asked(), taken], [0, []])
      }
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
