/**
 * Deliveries that failed permanently, and those that can't be derived from the events, across restarts; as the
 * administration shows them.
 */
import { copyFileSync } from "node:fs"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import * as CallbackReceiver from "./CallbackReceiver.ts"
import { type DeliveryView, type Excerpt, started } from "./Administration/Started.ts"
import { temporaryStatePath } from "./Outliving.ts"

type Started = Effect.Success<ReturnType<typeof started>>

const failedOf = ({ ask }: Started) =>
  Effect.map(ask<Excerpt>("deliveries?state=failed&limit=500"), ({ body }) => body.data)

/** The day of retries passes. */
const exhausted = Effect.fnUntraced(function* ({ sandbox }: Started, failed: number) {
  for (const wait of ["1 minute", "4 minutes", "25 minutes", "90 minutes", "4 hours", "18 hours"] as const) {
    yield* sandbox.deliveries.until(() => sandbox.deliveries.list("waiting").every(({ due }) => due > 0))
    const { attempts } = sandbox.deliveries.counts()
    const waiting = sandbox.deliveries.list("waiting").length
    yield* TestClock.adjust(wait)
    yield* sandbox.deliveries.until((counts) => counts.attempts >= attempts + waiting)
  }
  yield* sandbox.deliveries.until((counts) => counts.failed === failed)
})

/** Ends as if killed two seconds after `use`. */
const killed = <A>(statePath: string, use: (service: Started) => Effect.Effect<A, unknown, never>) =>
  Effect.gen(function* () {
    const result = yield* Effect.scoped(
      Effect.gen(function* () {
        const service = yield* started({ statePath, redeliver: 1 })
        const result = yield* Effect.orDie(use(service))
        yield* TestClock.adjust("2 seconds")
        copyFileSync(statePath, `${statePath}.killed`)
        return result
      })
    )
    copyFileSync(`${statePath}.killed`, statePath)
    return result
  })

describe("After a kill -9", () => {
  it.effect("a permanently failed delivery is known by the same id, and is replayed by hand", () =>
    Effect.gen(function* () {
      const statePath = yield* temporaryStatePath
      let status = 503
      const receiver = yield* CallbackReceiver.make(() => Effect.sync(() => status))
      const before = yield* killed(statePath, (service) =>
        Effect.gen(function* () {
          yield* service.subscribe(receiver.url)
          yield* service.sandbox.emit(3)
          yield* exhausted(service, 4)
          return yield* failedOf(service)
        })
      )
      assert.deepStrictEqual(before.map(({ event_type }) => event_type).at(-1), "webhook.ping")
      yield* Queue.takeAll(receiver.inbox)
      status = 200
      yield* killed(statePath, (service) =>
        Effect.gen(function* () {
          const after = yield* failedOf(service)
          const shown = ({ event_id, event_type, id }: DeliveryView) => ({ event_id, event_type, id })
          assert.deepStrictEqual(after.map(shown), before.map(shown))
          assert.deepStrictEqual(
            after.map(({ attempts }) => attempts),
            before.map(({ attempts }) => attempts.slice(-1))
          )
          yield* service.sandbox.deliveries.until((counts) => counts.waiting === 0)
          yield* Queue.takeAll(receiver.inbox)
          yield* service.ask(`deliveries/${before[0]?.id}/replay`, {})
          yield* service.sandbox.deliveries.until((counts) => counts.waiting === 0)
          const [replayed] = yield* Queue.takeAll(receiver.inbox)
          assert.strictEqual(replayed?.headers["x-service-event-id"], before[0]?.event_id)
        })
      )
      const service = yield* started({ statePath, redeliver: 1 })
      assert.deepStrictEqual(
        (yield* failedOf(service)).map(({ id }) => id),
        before.slice(1).map(({ id }) => id)
      )
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("a ping, a test and a replay that waited are sent, and no id of a delivery is used twice", () =>
    Effect.gen(function* () {
      const statePath = yield* temporaryStatePath
      let status = 503
      const receiver = yield* CallbackReceiver.make(() => Effect.sync(() => status))
      const waited = yield* killed(statePath, (service) =>
        Effect.gen(function* () {
          yield* service.subscribe(receiver.url)
          yield* service.sandbox.emit(1)
          yield* exhausted(service, 2)
          yield* service.ask("subscriptions/1/test", {})
          const [failed] = yield* failedOf(service)
          yield* service.ask(`deliveries/${failed?.id}/replay`, {})
          yield* service.sandbox.deliveries.until((counts) => counts.attempts === 16)
          return (yield* service.ask<Excerpt>("deliveries")).body.data
        })
      )
      yield* Queue.takeAll(receiver.inbox)
      status = 200
      const service = yield* started({ statePath, redeliver: 0 })
      yield* service.sandbox.deliveries.until((counts) => counts.waiting === 0)
      const types = (yield* Queue.takeAll(receiver.inbox)).map(CallbackReceiver.eventType)
      assert.includeMembers(types, ["webhook.test", waited.find(({ state }) => state === "waiting")?.event_type ?? ""])
      yield* service.ask("subscriptions/1/test", {})
      yield* service.sandbox.deliveries.until((counts) => counts.waiting === 0)
      const { body } = yield* service.ask<Excerpt>("deliveries?limit=1")
      assert.notInclude(
        waited.map(({ id }) => id),
        body.data[0]?.id
      )
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
