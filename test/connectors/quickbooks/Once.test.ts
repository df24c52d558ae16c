/**
 * Each entry is in QuickBooks once: when an answer is lost or late, and when the worker starts again.
 */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { faultBody, misshapen } from "./Rules.ts"
import type { Trouble } from "./StandIn.ts"
import {
  entryId,
  firstToken,
  message,
  number,
  once,
  other,
  reasonOf,
  taken,
  turn,
  within,
  type World
} from "./World.ts"

const posts = ({ quickBooks }: World) => quickBooks.count("POST journalentry")

describe("an answer that is lost", () => {
  it.effect("after QuickBooks stored the entry leads to no second one", () =>
    within((world) =>
      Effect.gen(function* () {
        const { quickBooks, started } = world
        const post = yield* started()
        quickBooks.trouble = once("POST journalentry", "lost")
        const lost = yield* post(message())
        assert.strictEqual(lost._tag, "Unavailable")
        assert.include(reasonOf(lost), "it closed the connection")
        quickBooks.forgetRequests()
        assert.deepStrictEqual(yield* post({ ...message(), attempts: 1 }), taken)
        assert.deepStrictEqual([quickBooks.entries.length, posts(world)], [1, 1])
      })
    )
  )

  it.effect("before QuickBooks heard of the entry is followed by another attempt", () =>
    within((world) =>
      Effect.gen(function* () {
        const { quickBooks, started } = world
        const post = yield* started()
        quickBooks.trouble = once("POST journalentry", "unheard")
        assert.strictEqual((yield* post(message()))._tag, "Unavailable")
        assert.lengthOf(quickBooks.entries, 0)
        assert.deepStrictEqual(yield* post(message()), taken)
        assert.lengthOf(quickBooks.entries, 1)
      })
    )
  )

  it.effect("while it was read back leads to no second one", () =>
    within((world) =>
      Effect.gen(function* () {
        const { quickBooks, started } = world
        const post = yield* started()
        quickBooks.trouble = once("GET journalentry", "lost")
        assert.strictEqual((yield* post(message()))._tag, "Unavailable")
        assert.deepStrictEqual(yield* post(message()), taken)
        assert.deepStrictEqual([quickBooks.entries.length, posts(world)], [1, 1])
      })
    )
  )

  it.effect("is found by the request id as long as queries don't show the entry", () =>
    within((world) =>
      Effect.gen(function* () {
        const { quickBooks, started } = world
        const post = yield* started()
        quickBooks.trouble = once("POST journalentry", "lost")
        yield* post(message())
        quickBooks.isBehind = true
        assert.deepStrictEqual(yield* post(message()), taken)
        assert.deepStrictEqual([quickBooks.entries.length, posts(world)], [1, 2])
      })
    )
  )

  it.effect("is found by the request id, too, when what was read back was refused", () =>
    within((world) =>
      Effect.gen(function* () {
        const { quickBooks, started } = world
        const post = yield* started()
        quickBooks.trouble = once("GET journalentry", { status: 400, body: faultBody(misshapen) })
        assert.strictEqual((yield* post(message()))._tag, "Refused")
        quickBooks.isBehind = true
        assert.deepStrictEqual(yield* post({ ...message(), attempts: 1, refusals: 1 }), taken)
        assert.deepStrictEqual([quickBooks.entries.length, posts(world)], [1, 2])
      })
    )
  )
})

describe("a restart", () => {
  it.effect(
    "between QuickBooks' answer and our note leads to no second entry, and goes on with the rotated token",
    () =>
      within((world) =>
        Effect.gen(function* () {
          const { quickBooks, started } = world
          assert.deepStrictEqual(yield* (yield* started())(message()), taken)
          const rotated = quickBooks.refresh
          quickBooks.forgetRequests()
          assert.deepStrictEqual(yield* (yield* started())(message()), taken)
          assert.deepStrictEqual([quickBooks.entries.length, posts(world)], [1, 1])
          const spent = quickBooks.came
            .filter(({ what }) => what === "POST tokens")
            .map(({ body }) => new URLSearchParams(body).get("refresh_token"))
          assert.deepStrictEqual(spent, [firstToken, rotated])
        })
      )
  )
})

describe("QuickBooks", () => {
  it.effect("that takes long is given up, and asked again later, when it has stored the entry", () =>
    within((world) =>
      Effect.gen(function* () {
        const { quickBooks, started } = world
        const post = yield* started({ patience: Duration.seconds(10) })
        const arrived = Promise.withResolvers<void>()
        const late = Promise.withResolvers<Trouble>()
        quickBooks.trouble = ({ what }) => {
          if (what !== "POST journalentry") return undefined
          arrived.resolve()
          return late.promise
        }
        const fiber = yield* Effect.forkChild(post(message()), { startImmediately: true })
        yield* Effect.promise(() => arrived.promise)
        yield* TestClock.adjust("10 seconds")
        const silent = yield* Fiber.join(fiber)
        assert.deepStrictEqual(silent, {
          _tag: "Unavailable",
          reason: "QuickBooks gave no answer within 10 seconds.",
          retryAfterMs: 120_000
        })
        late.resolve(undefined)
        while (quickBooks.entries.length === 0) yield* turn
        assert.deepStrictEqual(yield* post(message()), taken)
        assert.deepStrictEqual([quickBooks.entries.length, posts(world)], [1, 1])
      })
    )
  )

  it.effect("that has the number and doesn't show it yet is waited for", () =>
    within((world) =>
      Effect.gen(function* () {
        const { quickBooks, started } = world
        const post = yield* started()
        yield* post(message())
        quickBooks.forgetRequests()
        Object.assign(quickBooks, { isBehind: true, refusesDuplicates: true })
        const hidden = yield* post(message())
        assert.strictEqual(hidden._tag, "Unavailable")
        assert.include(reasonOf(hidden), number)
        quickBooks.isBehind = false
        assert.deepStrictEqual(yield* post(message()), taken)
        assert.lengthOf(quickBooks.entries, 1)
      })
    )
  )

  it.effect("that answers a query with something else isn't taken for one without the entry", () =>
    within((world) =>
      Effect.gen(function* () {
        const { quickBooks, started } = world
        const post = yield* started()
        yield* post(message())
        quickBooks.forgetRequests()
        for (const body of [
          "{}",
          "[]",
          "",
          "<html></html>",
          '{"QueryResponse":[]}',
          '{"QueryResponse":{"JournalEntry":7}}'
        ]) {
          quickBooks.trouble = once("GET query", { status: 200, body })
          assert.strictEqual((yield* post(message()))._tag, "Unavailable", body)
        }
        assert.deepStrictEqual([quickBooks.entries.length, posts(world)], [1, 1])
      })
    )
  )

  it.effect("that remembers a refusal gives no second one when its cause is mended", () =>
    within((world) =>
      Effect.gen(function* () {
        const { quickBooks, started } = world
        quickBooks.remembersFaults = true
        const post = yield* started()
        yield* post(other(2))
        const income = quickBooks.lists.Account
        quickBooks.lists.Account = income.map((each) => (each.Id === "91" ? { ...each, Active: false } : each))
        assert.strictEqual((yield* post(message()))._tag, "Refused")
        quickBooks.lists.Account = income
        assert.deepStrictEqual(yield* post({ ...message(), attempts: 1, refusals: 1 }), taken)
        const requestIds = quickBooks.came
          .map(({ url }) => url.searchParams.get("requestid"))
          .filter((id) => id !== null)
        assert.deepStrictEqual(requestIds.slice(1), [entryId, `${entryId}-1`])
      })
    )
  )
})
