/** `event_timestamp` is when an event happened, and an event has only one. */
import { copyFileSync } from "node:fs"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"
import * as CallbackReceiver from "./CallbackReceiver.ts"
import { subscribeAt, temporaryStatePath } from "./Outliving.ts"

const start = Date.UTC(2026, 2, 1, 12)
const calm: SandboxOptions = { eventsPerSecond: 4, duplicates: 0, disorder: 0 }

const timestamp = (received: CallbackReceiver.Received): number => {
  const { event_timestamp: text } = JSON.parse(CallbackReceiver.text(received)) as { readonly event_timestamp: string }
  return Date.parse(text)
}

/** This many seconds go by; each event that comes is dated within the second in which it came. */
const datedNow = Effect.fnUntraced(function* (
  sandbox: Sandbox,
  { inbox }: Effect.Success<ReturnType<typeof CallbackReceiver.make>>,
  seconds: number
) {
  let many = 0
  for (let second = 0; second < seconds; second++) {
    const before = yield* Clock.currentTimeMillis
    yield* TestClock.adjust("1 second")
    yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
    for (const received of yield* Queue.takeAll(inbox)) {
      many++
      assert.isAtLeast(timestamp(received), before - 1000)
      assert.isAtMost(timestamp(received), before + 1000)
    }
  }
  return many
})

describe("An event's timestamp", () => {
  it.effect("is when it happened, however late the first subscription came, and after a standstill", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const receiver = yield* CallbackReceiver.make()
      const sandbox = yield* Sandbox.start({ ...calm, maxWaiting: 3, timeScale: 1e9 })
      yield* TestClock.adjust("2 hours")
      yield* subscribeAt(sandbox.authUrl, receiver.url)
      const ping = yield* Queue.take(receiver.inbox)
      assert.strictEqual(timestamp(ping), start + 2 * 3_600_000)
      assert.isAbove(yield* datedNow(sandbox, receiver, 5), 15)
      // Deliveries that wait for a paused webhook stop the simulation.
      const pause = (act: string) =>
        Effect.promise(() => fetch(`${sandbox.adminUrl}/api/subscriptions/1/${act}`, { method: "POST" }))
      yield* pause("pause")
      yield* TestClock.adjust("1 minute")
      assert.isAtLeast(sandbox.deliveries.counts().waiting, 3)
      yield* TestClock.adjust("1 hour")
      yield* pause("resume")
      yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
      yield* Queue.takeAll(receiver.inbox)
      assert.isAbove(yield* datedNow(sandbox, receiver, 5), 15)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("of the first events may be in the past: evenly spread, ascending, and then now", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const receiver = yield* CallbackReceiver.make()
      const day = 86_400_000
      const sandbox = yield* Sandbox.start({ ...calm, timeScale: 1e9, pastDays: 100, pastEvents: 40 })
      yield* subscribeAt(sandbox.authUrl, receiver.url)
      yield* Queue.take(receiver.inbox)
      const times: Array<number> = []
      while (times.length < 40) {
        yield* TestClock.adjust("1 second")
        yield* sandbox.deliveries.until((counts) => counts.waiting === 0)
        times.push(...(yield* Queue.takeAll(receiver.inbox)).map(timestamp))
      }
      for (const [index, time] of times
        .slice(0, 40)
        .toSorted((a, b) => a - b)
        .entries()) {
        assert.isAtMost(Math.abs(time - (start - 100 * day + index * 2.5 * day)), 1000, `event ${index}`)
      }
      assert.isAbove(yield* datedNow(sandbox, receiver, 5), 15)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("never changes, between attempts and across restarts; nor does the ping's", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(start)
      const statePath = yield* temporaryStatePath
      const bodies = new Map<string, Set<string>>()
      const receiver = yield* CallbackReceiver.make((received) =>
        Effect.sync(() => {
          const id = received.headers["x-service-event-id"] ?? ""
          bodies.set(id, (bodies.get(id) ?? new Set()).add(CallbackReceiver.text(received)))
          return 503
        })
      )
      for (let life = 0; life < 3; life++) {
        yield* Effect.scoped(
          Effect.gen(function* () {
            const sandbox = yield* Sandbox.start({ ...calm, statePath, maxEvents: 30, redeliver: 100 })
            if (life === 0) {
              yield* TestClock.adjust("1 hour")
              yield* subscribeAt(sandbox.authUrl, receiver.url)
            }
            for (const wait of ["1 second", "3 seconds", "1 minute", "5 minutes"] as const) {
              yield* TestClock.adjust(wait)
              yield* sandbox.deliveries.until(({ attempts }) => attempts >= sandbox.truth().steps)
            }
            copyFileSync(statePath, `${statePath}.killed`)
          })
        )
        copyFileSync(`${statePath}.killed`, statePath)
        yield* TestClock.adjust("10 minutes")
      }
      assert.isAbove(bodies.size, 20)
      for (const different of bodies.values()) assert.strictEqual(different.size, 1)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})
