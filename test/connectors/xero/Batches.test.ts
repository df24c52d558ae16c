/**
 * Many entries in one request to Xero: each has an outcome of its own, and becomes one journal although Xero refuses
 * them together.
 */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { idOf } from "../Entries.ts"
import { attempts, idsIn, numbers, options, passing, put, sizes, strange, tags, tagsOf, together } from "./Together.ts"
import { inForgetfulXero, inXero, message, reasonOf, started } from "./XeroWorld.ts"

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

describe("entries that Xero refuses together", () => {
  it.effect("go again each by itself, once those that it took all the same would show", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        const clock = yield* Clock.Clock
        server.journals.answers400 = true
        const adapter = yield* started(server, options)
        const given = [message(1), message(2, strange), message(3)]
        const [first] = yield* together(server, adapter, given)
        assert.match(
          first === undefined ? "" : reasonOf(first),
          /^Xero refused 3 journals together \(400\), and each is sent by itself: Account code/
        )
        const refusedMs = clock.currentTimeMillisUnsafe()
        const verdicts = yield* passing(yield* Effect.forkChild(attempts(adapter, given)))
        assert.deepStrictEqual(
          verdicts.map(({ _tag }) => _tag),
          ["Taken", "Refused", "Taken"]
        )
        assert.isAtLeast(clock.currentTimeMillisUnsafe() - refusedMs, 118_000)
        assert.deepStrictEqual(sizes(server), [1, 3, 1, 1, 1])
      })
    )
  )

  it.effect("don't go together again, although they wait together", () =>
    inForgetfulXero((server) =>
      Effect.gen(function* () {
        server.journals.answers400 = true
        const adapter = yield* started(server, options)
        const given = [message(1), message(2, strange), message(3)]
        assert.deepStrictEqual(tagsOf(yield* together(server, adapter, given)), ["Unavailable"])
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(
          (yield* together(server, adapter, given)).map(({ _tag }) => _tag),
          ["Taken", "Refused", "Taken"]
        )
        assert.deepStrictEqual(sizes(server), [1, 3, 1, 1, 1, 1])
      })
    )
  )
})
