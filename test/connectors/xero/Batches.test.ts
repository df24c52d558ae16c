/**
 * Many entries in one request to Xero: each has an outcome of its own, and is one journal although the request's answer is lost,
 * the worker dies, Xero shows its journals late, or refuses them together.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { Adapter } from "../../../src/Ledger/Outbox/Adapter.ts"
import { idOf, linesText } from "../Entries.ts"
import type { OutboxMessage } from "../../../src/Ledger/Outbox/Due.ts"
import type { Verdict } from "../../../src/Ledger/Outbox/SinkAnswer.ts"
import type { Asked } from "./Document.ts"
import type { Fault, StandIn } from "./StandIn.ts"
import { all, inForgetfulXero, inXero, message, reasonOf, started } from "./XeroWorld.ts"

const numbers = (count: number) => Array.from({ length: count }, (_, index) => message(index + 1))

const sizes = (server: StandIn): ReadonlyArray<number> =>
  server.puts.map(({ body }) => (JSON.parse(body) as { ManualJournals: ReadonlyArray<unknown> }).ManualJournals.length)

/** The ids that the narrations end with, in Xero's order. */
const idsIn = ({ journals }: StandIn) => journals.all.map(({ Narration }) => Narration.slice(-33, -1))

/** With turns of the event loop for the network. */
const second = Effect.andThen(
  TestClock.adjust("1 second"),
  Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))
)

const passing = <A, E>(fiber: Fiber.Fiber<A, E>): Effect.Effect<A, E> =>
  Effect.gen(function* () {
    while (fiber.pollUnsafe() === undefined) yield* second
    return yield* Fiber.join(fiber)
  })

const options = { patience: Duration.days(1) }

/** Until nothing more is asked for. */
const quiet = (server: StandIn) =>
  Effect.gen(function* () {
    for (let [rounds, asked] = [0, -1]; rounds < 60; rounds++) {
      yield* second
      if (server.asked.length !== asked) [rounds, asked] = [0, server.asked.length]
    }
  })

/** Attempts at these that wait together, because Xero is slow with another entry before them. */
const behind = Effect.fnUntraced(function* (server: StandIn, adapter: Adapter, given: ReadonlyArray<OutboxMessage>) {
  const { fault } = server
  const open = Promise.withResolvers<undefined>()
  const before = server.puts.length
  server.fault = (asked) => (asked.method === "PUT" && server.puts.length === before + 1 ? open.promise : fault(asked))
  const slow = yield* Effect.forkChild(adapter.post(message(900 + before)))
  while (server.puts.length === before) yield* second
  const fiber = yield* Effect.forkChild(all(adapter, given))
  yield* quiet(server)
  open.resolve(undefined)
  yield* passing(slow)
  return fiber
})

const together = (server: StandIn, adapter: Adapter, given: ReadonlyArray<OutboxMessage>) =>
  Effect.flatMap(behind(server, adapter, given), passing)

const tagsOf = (verdicts: ReadonlyArray<Verdict>) => [...new Set(verdicts.map(({ _tag }) => _tag))]

/** Of the first entries. */
const tags = (server: StandIn, adapter: Adapter, count: number) =>
  Effect.map(together(server, adapter, numbers(count)), tagsOf)

const put = (fault: Fault) => (asked: Asked) => (asked.method === "PUT" ? fault : undefined)

const strange = { lines: linesText(["bank", "10.0000"], ["unknown", "-10.0000"]) }

describe("entries that wait", () => {
  it.effect("go together, 50 at the most, in their order, and are looked for together", () =>
    inXero((server) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* tags(server, yield* started(server, options), 120), ["Taken"])
        assert.deepStrictEqual(sizes(server), [1, 50, 50, 20])
        assert.isAtMost(server.gets.length, 4)
        assert.deepStrictEqual(
          idsIn(server).slice(1),
          numbers(120).map((_, index) => idOf(index + 1))
        )
        const keys = server.puts.map(({ headers }) => String(headers["idempotency-key"]))
        assert.strictEqual(new Set(keys).size, 4)
      })
    )
  )

  it.effect("each have their own outcome", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const given = [message(1), message(2, strange), message(3, { currency: "USD" }), message(4)]
        const verdicts = yield* together(server, yield* started(server, options), given)
        assert.deepStrictEqual(
          verdicts.map(({ _tag }) => _tag),
          ["Taken", "Refused", "Held", "Taken"]
        )
        const reasons = verdicts.map(reasonOf)
        assert.match(reasons[1] ?? "", /^Xero refused the journal: Account code 'unknown' is not a valid code/)
        assert.deepStrictEqual(sizes(server), [1, 3])
        assert.deepStrictEqual(idsIn(server).slice(1), [idOf(1), idOf(4)])
      })
    )
  )

  it.effect("are known to be there only as far as the answer names them", () =>
    inXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server, options)
        server.fault = put({ status: 200, body: '{"ManualJournals":[]}' })
        assert.deepStrictEqual(yield* tags(server, adapter, 3), ["Unavailable"])
        assert.deepStrictEqual(sizes(server), [1, 3])
      })
    )
  )
})

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
        const again = yield* Effect.forkChild(all(adapter, numbers(11)))
        while (server.puts.length < 3) yield* second
        server.catchUp()
        assert.deepStrictEqual(tagsOf(yield* passing(again)), ["Taken"])
        // Only the new one was sent.
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
        const verdicts = yield* passing(yield* Effect.forkChild(all(adapter, numbers(10))))
        assert.deepStrictEqual(tagsOf(verdicts), ["Taken"])
        assert.isAtLeast(clock.currentTimeMillisUnsafe() - lostMs, 118_000)
        assert.strictEqual(server.journals.all.length, 11)
      })
    )
  )

  it.effect("are sent again at once if Xero has answered that it took nothing", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const adapter = yield* started(server, options)
        server.fault = put({ status: 429 })
        assert.deepStrictEqual(yield* tags(server, adapter, 10), ["Unavailable"])
        server.fault = put(undefined)
        assert.deepStrictEqual(yield* tags(server, adapter, 10), ["Taken"])
        assert.deepStrictEqual(sizes(server), [1, 10, 1, 10])
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
        const verdicts = yield* passing(yield* Effect.forkChild(all(adapter, numbers(3))))
        assert.deepStrictEqual(tagsOf(verdicts), ["Taken"])
        assert.strictEqual(server.journals.all.length, 4)
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

describe("entries that Xero refuses together", () => {
  it.effect("go again each by itself, once those that it took all the same would show", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        server.journals.answers400 = true
        const adapter = yield* started(server, options)
        const given = [message(1), message(2, strange), message(3)]
        const [first] = yield* together(server, adapter, given)
        assert.match(
          first === undefined ? "" : reasonOf(first),
          /^Xero refused 3 journals together \(400\), and each is sent by itself: Account code/
        )
        const verdicts = yield* passing(yield* Effect.forkChild(all(adapter, given)))
        assert.deepStrictEqual(
          verdicts.map(({ _tag }) => _tag),
          ["Taken", "Refused", "Taken"]
        )
        assert.deepStrictEqual(sizes(server), [1, 3, 1, 1, 1])
      })
    )
  )
})
