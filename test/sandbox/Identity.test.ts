/** Two runs share everything that the seed makes, but no id and no secret unless they are given the same identity. */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { HttpClient } from "effect/http"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"
import * as CallbackReceiver from "./CallbackReceiver.ts"
import { subscribeAt } from "./Outliving.ts"

const calm: SandboxOptions = {
  eventsPerSecond: 0,
  concurrency: 1,
  duplicates: 0,
  disorder: 0,
  faults: { "other-id": 0.5 },
  startAt: "2026-01-05T08:00:00Z"
}

/** A ping, 30 events, some of them under another id too, and the secret before and after it was changed. */
const run = Effect.fnUntraced(function* (options: SandboxOptions) {
  const receiver = yield* CallbackReceiver.make()
  const sandbox = yield* Sandbox.start({ ...calm, ...options })
  const { secret } = yield* subscribeAt(sandbox.authUrl, receiver.url)
  yield* sandbox.deliveries.until((counts) => counts.delivered === 1)
  yield* sandbox.emit(30)
  yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
  const received = yield* Queue.takeAll(receiver.inbox)
  const listed = yield* Effect.flatMap(
    (yield* HttpClient.HttpClient).get(`${sandbox.adminUrl}/api/deliveries?limit=500`),
    (answer) => answer.json
  )
  const { data } = listed as { readonly data: ReadonlyArray<{ readonly id: string }> }
  return {
    bodies: received.slice(1).map(CallbackReceiver.text),
    secrets: [secret, (yield* sandbox.rotateSecret(0)) ?? ""],
    eventIds: received.map(({ headers }) => headers["x-service-event-id"] ?? ""),
    deliveryIds: data.map(({ id }) => id)
  }
}, Effect.scoped)

const runs = (first: SandboxOptions, second: SandboxOptions) =>
  Effect.map(Effect.all([run(first), run(second)]), ([a, b]) => ({ a, b })).pipe(
    Effect.provide(NodeHttpClient.layerUndici)
  )

describe("Two runs of one seed", () => {
  it.effect("send the same bodies under other event ids, secrets and delivery ids", () =>
    Effect.gen(function* () {
      const { a, b } = yield* runs({}, {})
      assert.deepStrictEqual(a.bodies, b.bodies)
      for (const kind of ["secrets", "eventIds", "deliveryIds"] as const) {
        const both = [...new Set(a[kind]), ...new Set(b[kind])]
        assert.isNotEmpty(a[kind])
        assert.strictEqual(new Set(both).size, both.length, kind)
      }
      assert.isAbove(new Set(a.eventIds).size, 31)
    })
  )

  it.effect("are equal in everything if they are given the same identity", () =>
    Effect.gen(function* () {
      const { a, b } = yield* runs({ identity: "one" }, { identity: "one" })
      assert.deepStrictEqual(a, b)
    })
  )
})
