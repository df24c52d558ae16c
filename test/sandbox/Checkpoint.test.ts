import { readFileSync, statSync, truncateSync, writeFileSync } from "node:fs"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Queue } from "effect"
import { TestClock } from "effect/testing"
import { Sandbox, type SandboxOptions } from "../../sandbox/Sandbox.ts"
import * as CallbackReceiver from "./CallbackReceiver.ts"
import { logged } from "../Logged.ts"
import { calm, killedAfter, startAt, subscribeAt, temporaryStatePath } from "./Outliving.ts"

const eventId = (received: CallbackReceiver.Received) => received.headers["x-service-event-id"] ?? ""
const line = (received: CallbackReceiver.Received) => `${eventId(received)} ${CallbackReceiver.text(received)}`
const steps = (from: number, to: number) => Array.from({ length: to - from }, (_, offset) => from + offset)

const settled = (sandbox: Sandbox) => sandbox.deliveries.until((counts) => counts.waiting === 0)

describe("A sandbox with a state file", () => {
  it.effect("knows its subscriptions after a restart and delivers the same bodies again, without a ping", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(startAt)
      const statePath = yield* temporaryStatePath
      const receiver = yield* CallbackReceiver.make()
      const options = { ...calm, statePath, redeliver: 30, concurrency: 1 }
      const life = Effect.gen(function* () {
        const sandbox = yield* Sandbox.start(options)
        const { secret } = sandbox.subscriptions()[0] ?? (yield* subscribeAt(sandbox.authUrl, receiver.url))
        yield* settled(sandbox)
        const again = yield* Queue.takeAll(receiver.inbox)
        yield* sandbox.emit(100)
        yield* settled(sandbox)
        return { again, received: yield* Queue.takeAll(receiver.inbox), secret, sandbox }
      })
      const first = yield* Effect.scoped(life)
      assert.strictEqual(statSync(statePath).mode & 0o777, 0o600)
      // New events have later times, old ones the same.
      yield* TestClock.adjust("1 minute")
      const second = yield* Effect.scoped(life)
      const { sandbox } = second
      assert.deepStrictEqual(
        sandbox.subscriptions().map(({ secret, url }) => ({ secret, url })),
        [{ secret: first.secret, url: receiver.url }]
      )
      assert.deepStrictEqual(second.again.map(line), first.received.slice(-30).map(line))
      assert.deepStrictEqual(second.received.map(eventId), steps(100, 200).map(sandbox.events.id))
      assert.isAtLeast(sandbox.events.millis(100), startAt + 60_000)
      const all = [...second.again, ...second.received]
      assert.isTrue(all.every((one) => CallbackReceiver.signedWith(first.secret, one)))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("delivers again everything that waited, however old, and the ping", () =>
    Effect.gen(function* () {
      const statePath = yield* temporaryStatePath
      let isUp = false
      const receiver = yield* CallbackReceiver.make(() => Effect.sync(() => (isUp ? 200 : 503)))
      const options = { statePath, redeliver: 1 }
      yield* killedAfter(options, (sandbox) =>
        Effect.gen(function* () {
          yield* subscribeAt(sandbox.authUrl, receiver.url)
          for (let emitted = 0; emitted < 300; emitted++) yield* sandbox.emit(1)
          yield* sandbox.deliveries.until((counts) => counts.attempts === 301)
        })
      )
      yield* Queue.takeAll(receiver.inbox)
      isUp = true
      const sandbox = yield* Sandbox.start({ ...calm, ...options })
      yield* settled(sandbox)
      const [ping, ...events] = yield* Queue.takeAll(receiver.inbox)
      assert.strictEqual(ping === undefined ? "" : CallbackReceiver.eventType(ping), "webhook.ping")
      assert.deepStrictEqual(events.map(eventId).toSorted(), steps(0, 300).map(sandbox.events.id).toSorted())
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("delivers to no subscription what happened before it, even if it was the last thing saved", () =>
    Effect.gen(function* () {
      const statePath = yield* temporaryStatePath
      const early = yield* CallbackReceiver.make()
      const late = yield* CallbackReceiver.make()
      const options = { statePath, redeliver: 1000 }
      yield* killedAfter(options, (sandbox) =>
        Effect.gen(function* () {
          yield* sandbox.emit(10)
          yield* subscribeAt(sandbox.authUrl, early.url)
          yield* sandbox.emit(50)
          yield* subscribeAt(sandbox.authUrl, late.url)
          yield* settled(sandbox)
        })
      )
      yield* Queue.takeAll(early.inbox)
      yield* Queue.takeAll(late.inbox)
      const sandbox = yield* Sandbox.start({ ...calm, ...options })
      yield* sandbox.emit(1)
      yield* settled(sandbox)
      const heard = (receiver: typeof early) =>
        Effect.map(Queue.takeAll(receiver.inbox), (all) => all.map(eventId).toSorted())
      assert.deepStrictEqual(yield* heard(early), steps(10, 61).map(sandbox.events.id).toSorted())
      assert.deepStrictEqual(yield* heard(late), steps(60, 61).map(sandbox.events.id))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("tells the truth across restarts, even after a crash between a promise and its steps", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(startAt)
      const statePath = yield* temporaryStatePath
      const receiver = yield* CallbackReceiver.make()
      const truths = (sandbox: Sandbox) => {
        const { entities, projectCount, steps } = sandbox.truth()
        return { entities: [...entities], projectCount, steps }
      }
      const options = { statePath, stepsPerNewProject: 10, redeliver: 0 }
      const before = yield* killedAfter(options, (sandbox) =>
        Effect.gen(function* () {
          yield* subscribeAt(sandbox.authUrl, receiver.url)
          yield* sandbox.emit(700)
          yield* settled(sandbox)
          return truths(sandbox)
        })
      )
      yield* TestClock.adjust("1 hour")
      const after = yield* killedAfter(options, (sandbox) => Effect.sync(() => truths(sandbox)))
      assert.deepStrictEqual(after, before)
      // As if killed right after the promise of 50 more.
      const kept: { steps: number } = JSON.parse(readFileSync(statePath, "utf8"))
      writeFileSync(statePath, JSON.stringify({ ...kept, steps: 750 }))
      const sandbox = yield* Sandbox.start({ ...calm, ...options })
      assert.strictEqual(sandbox.truth().steps, 750)
      assert.strictEqual(sandbox.truth().projectCount, before.projectCount + 5)
      yield* settled(sandbox)
      const heard = new Set((yield* Queue.takeAll(receiver.inbox)).map(eventId))
      assert.isTrue(steps(0, 750).every((step) => heard.has(sandbox.events.id(step))))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("continues from the present, in ascending times, never ahead of the clock", () =>
    Effect.gen(function* () {
      const statePath = yield* temporaryStatePath
      yield* TestClock.setTime(startAt)
      const options: SandboxOptions = { statePath, startAt: undefined, eventsPerSecond: 4, awaitSubscription: false }
      const times: Array<string> = []
      for (let life = 0; life < 4; life++) {
        yield* killedAfter(options, (sandbox) =>
          Effect.gen(function* () {
            for (let tick = 0; tick < 9; tick++) {
              yield* TestClock.adjust("250 millis")
              const last = sandbox.truth().steps - 1
              if (tick > 4) assert.isAtMost(sandbox.events.millis(last), yield* Clock.currentTimeMillis)
            }
            const upTo = sandbox.truth().steps
            assert.deepStrictEqual(steps(0, times.length).map(sandbox.events.timestamp), times)
            times.push(...steps(times.length, upTo).map(sandbox.events.timestamp))
          })
        )
        if (life === 1) yield* TestClock.adjust("1 day")
      }
      assert.deepStrictEqual(times.toSorted(), times)
      assert.strictEqual(new Set(times).size, times.length)
      assert.deepStrictEqual([...new Set(times.map((time) => time.slice(0, 10)))], ["2026-01-05", "2026-01-06"])
    })
  )

  it.effect("starts from scratch, and logs it once, if the file is torn, foreign or of other data", () =>
    Effect.gen(function* () {
      const statePath = yield* temporaryStatePath
      const start = (options: SandboxOptions) =>
        logged(
          killedAfter({ statePath, ...options }, (sandbox) =>
            Effect.map(sandbox.emit(5), () => `${sandbox.truth().steps} of seed ${sandbox.options.seed}`)
          )
        )
      assert.deepStrictEqual(yield* start({ seed: 4 }), { result: "5 of seed 4", lines: [] })
      assert.deepStrictEqual(yield* start({}), { result: "10 of seed 4", lines: [] })
      const fromScratch = (why: string, seed = 1) => ({
        result: `5 of seed ${seed}`,
        lines: [`The sandbox starts from scratch: ${statePath} ${why}; it is kept as ${statePath}.old.`]
      })
      assert.deepStrictEqual(yield* start({ seed: 5, ipcs: 3 }), fromScratch("was made with a different seed, ipcs", 5))
      truncateSync(statePath, 100)
      assert.deepStrictEqual(yield* start({}), fromScratch("is cut off or not a sandbox's file"))
      writeFileSync(statePath, `{"version":2}`)
      assert.deepStrictEqual(yield* start({}), fromScratch("is cut off or not a sandbox's file"))
      assert.strictEqual(readFileSync(`${statePath}.old`, "utf8"), `{"version":2}`)
      assert.deepStrictEqual(yield* start({ startAt: "2027-01-01" }), fromScratch("was made with a different startAt"))
    })
  )
})
