/**
 * Entries of one request to Xero whose outcome isn't known: each is one journal although the request's answer is lost, the worker
 * dies, or Xero shows its journals late.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber } from "effect"
import type { Fault } from "./StandIn.ts"
import { attempts, behind, numbers, options, passing, put, quiet, second, sizes, tags, tagsOf } from "./Together.ts"
import { all, inForgetfulXero, inXero, message, reasonOf, started } from "./XeroWorld.ts"

describe("entries whose common answer is lost", () => {
  it.effect("are found by the next attempt, and none is sent again", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server, options)
        server.fault = put("lost")
        assert.deepStrictEqual(yield* tags(server, adapter, 10), ["Unavailable"])
        server.fault = put(undefined)
        assert.deepStrictEqual(yield* tags(server, adapter, 10), ["Taken"])
        assert.deepStrictEqual(sizes(server), [1, 10, 1])
      })
    )
  )

  it.effect.each(["this worker", "the next worker"])("aren't sent by %s while they may show in Xero yet", (who) =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const before = yield* started(server, options)
        server.fault = put("late")
        assert.deepStrictEqual(yield* tags(server, before, 10), ["Unavailable"])
        server.fault = put(undefined)
        const adapter = who === "this worker" ? before : yield* started(server, options)
        const verdicts = yield* passing(yield* Effect.forkChild(all(adapter, numbers(11))))
        assert.deepStrictEqual(
          verdicts.map(({ _tag }) => _tag),
          [...Array<string>(10).fill("Waits"), "Taken"]
        )
        assert.match(reasonOf(verdicts[0]!), /^Xero's answer to a request with several entries was lost/)
        server.catchUp()
        assert.deepStrictEqual(tagsOf(yield* passing(yield* Effect.forkChild(all(adapter, numbers(11))))), ["Taken"])
        // Only the new one was sent.
        assert.deepStrictEqual(sizes(server), [1, 10, 1])
        assert.strictEqual(server.journals.all.length, 12)
      })
    )
  )

  it.effect("aren't sent by the next worker while the request of a worker that died is under way", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const dead = yield* started(server, options)
        const underWay = Promise.withResolvers<Fault>()
        server.fault = (asked) => (asked.method === "PUT" && sizes(server).at(-1) === 10 ? underWay.promise : undefined)
        const lost = yield* behind(server, dead, numbers(10))
        while (server.puts.length < 2) yield* second
        const again = yield* Effect.forkChild(attempts(yield* started(server, options), numbers(11)))
        while (server.puts.length < 3) yield* second
        underWay.resolve(undefined)
        yield* passing(lost)
        assert.deepStrictEqual(tagsOf(yield* passing(again)), ["Taken"])
        assert.deepStrictEqual(sizes(server), [1, 10, 1])
        assert.strictEqual(server.journals.all.length, 12)
      })
    )
  )

  it.effect("are sent again, together, after two minutes without a journal", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const adapter = yield* started(server, options)
        server.fault = put({ status: 503 })
        assert.deepStrictEqual(yield* tags(server, adapter, 10), ["Unavailable"])
        const lostMs = clock.currentTimeMillisUnsafe()
        server.fault = put(undefined)
        const verdicts = yield* passing(yield* Effect.forkChild(attempts(adapter, numbers(10))))
        assert.deepStrictEqual(tagsOf(verdicts), ["Taken"])
        assert.isAtLeast(clock.currentTimeMillisUnsafe() - lostMs, 118_000)
        assert.strictEqual(server.journals.all.length, 11)
      })
    )
  )

  it.effect("are sent again at once if Xero has answered that it took nothing", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        const adapter = yield* started(server, options)
        server.fault = put({ status: 429 })
        assert.deepStrictEqual(yield* tags(server, adapter, 10), ["Unavailable"])
        const refusedMs = clock.currentTimeMillisUnsafe()
        server.fault = put(undefined)
        assert.deepStrictEqual(tagsOf(yield* passing(yield* Effect.forkChild(all(adapter, numbers(10))))), ["Taken"])
        assert.isBelow(clock.currentTimeMillisUnsafe() - refusedMs, 60_000)
        assert.strictEqual(server.journals.all.length, 11)
      })
    )
  )

  it.effect("because the one that sends is interrupted, are told so, and wait", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server, options)
        server.fault = put("silence")
        const fiber = yield* behind(server, adapter, numbers(3))
        while (server.puts.length < 2) yield* second
        yield* Fiber.interrupt(fiber)
        server.fault = put(undefined)
        const verdicts = yield* passing(yield* Effect.forkChild(attempts(adapter, numbers(3))))
        assert.deepStrictEqual(tagsOf(verdicts), ["Taken"])
        assert.strictEqual(server.journals.all.length, 4)
      })
    )
  )

  it.effect("because another's attempt that sends is interrupted, are told so, and aren't sent again meanwhile", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server, options)
        const open = Promise.withResolvers<undefined>()
        const answers = () => (server.puts.length === 1 ? open.promise : "silence")
        server.fault = ({ method }) => (method === "PUT" ? answers() : undefined)
        const inTurn = (number: number) =>
          Effect.tap(Effect.forkChild(adapter.post(message(number))), () => quiet(server))
        const [slow, sending, ...others] = yield* Effect.forEach([900, 1, 2, 3], inTurn)
        open.resolve(undefined)
        yield* passing(slow!)
        while (server.puts.length < 2) yield* second
        yield* Fiber.interrupt(sending!)
        const verdicts = yield* Effect.forEach(others, passing)
        assert.deepStrictEqual(verdicts.map(reasonOf), Array(2).fill("The request to Xero was interrupted."))
        assert.deepStrictEqual(sizes(server), [1, 3])
      })
    )
  )

  it.effect("don't go with one that may be there alone: that one goes by its own key", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server, options)
        server.journals.isBehind = true
        server.fault = put("lost")
        yield* passing(yield* Effect.forkChild(adapter.post(message(1))))
        server.fault = put(undefined)
        assert.deepStrictEqual(yield* tags(server, adapter, 4), ["Taken"])
        assert.deepStrictEqual(sizes(server), [1, 1, 1, 3])
        assert.strictEqual(server.journals.all.length, 5)
      })
    )
  )
})
