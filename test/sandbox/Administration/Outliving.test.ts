import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Queue } from "effect"
import * as CallbackReceiver from "../CallbackReceiver.ts"
import { temporaryStatePath } from "../Outliving.ts"
import { started } from "./Started.ts"

describe("After a restart", () => {
  it.effect("a paused subscription is still paused, a deleted one still deleted, and no secret is reused", () =>
    Effect.gen(function* () {
      const statePath = yield* temporaryStatePath
      const receivers = yield* Effect.all([CallbackReceiver.make(), CallbackReceiver.make(), CallbackReceiver.make()])
      const [active, paused, deleted] = receivers
      const secrets = yield* Effect.scoped(
        Effect.gen(function* () {
          const { ask, sandbox, subscribe } = yield* started({ statePath })
          const made = yield* Effect.forEach(receivers, ({ url }) => subscribe(url))
          yield* sandbox.deliveries.until((counts) => counts.delivered === 3)
          yield* ask("subscriptions/2/pause", {})
          yield* ask("subscriptions/3/delete", {})
          yield* sandbox.emit(20)
          yield* sandbox.deliveries.until((counts) => counts.waiting === 20)
          return made.map(({ secret }) => secret)
        })
      )
      for (const { inbox } of receivers) yield* Queue.takeAll(inbox)

      const { ask, sandbox, subscribe } = yield* started({ statePath, redeliver: 1 })
      const { body } = yield* ask<{ data: ReadonlyArray<{ id: number; state: string }> }>("subscriptions")
      assert.deepStrictEqual(
        body.data.map(({ id, state }) => [id, state]),
        [
          [1, "active"],
          [2, "paused"]
        ]
      )
      yield* sandbox.emit(5)
      yield* sandbox.deliveries.until(({ delivered, waiting }) => delivered >= 5 && waiting === 25)
      assert.strictEqual(yield* Queue.size(paused.inbox), 0)
      yield* ask("subscriptions/2/resume", {})
      yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
      assert.strictEqual(yield* Queue.size(paused.inbox), 25)
      assert.isAtLeast(yield* Queue.size(active.inbox), 5)
      assert.strictEqual(yield* Queue.size(deleted.inbox), 0)
      const fourth = yield* subscribe(active.url)
      assert.strictEqual(fourth.id, 4)
      assert.notInclude(secrets, fourth.secret)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
