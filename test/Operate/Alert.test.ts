/**
 * One POST when Status turns red, one for each new kind of reason, and one when it recovers: when, in what order, and
 * despite failures and restarts.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { pass, seconds, world } from "./Alert/World.ts"

describe("an alert", () => {
  it.effect("says once that Status is red and once that it has recovered, with the reasons and since when", () =>
    Effect.gen(function* () {
      const { endpoint, live, path } = yield* world
      const { reasons, stop } = yield* live
      yield* pass(40)
      assert.deepStrictEqual(endpoint.taken, [], "no alert while all is well")
      yield* reasons.set("gap 1", "Deliveries may be missing.")
      yield* pass(3)
      assert.deepStrictEqual(endpoint.taken, [], "red must have lasted 5 seconds")
      yield* pass(4)
      yield* reasons.set("gap 1", "More deliveries may be missing.")
      yield* pass(600)
      const [red, ...none] = endpoint.taken
      assert.deepStrictEqual(none, [], "the same kind in other words is not new")
      const known = { instance: "https://me.example.com/hooks", dataDir: path }
      assert.deepInclude(red ?? {}, { status: "red", reasons: ["Deliveries may be missing."], ...known })
      assert.closeTo(seconds(red?.since ?? ""), 40, 2)
      assert.closeTo(seconds(red?.at ?? ""), 45, 2)
      yield* reasons.clear("gap 1")
      yield* pass(60)
      const [, recovered, ...more] = endpoint.taken
      assert.deepStrictEqual(more, [])
      assert.deepInclude(recovered ?? {}, { status: "recovered", reasons: [], since: red?.since, ...known })
      assert.notStrictEqual(recovered?.id, red?.id)
      yield* stop
    }).pipe(Effect.scoped)
  )

  it.effect("is sent for each new kind of reason while Status is red, one a minute, and again for none", () =>
    Effect.gen(function* () {
      const { endpoint, live } = yield* world
      const first = yield* live
      yield* first.reasons.set("receiver unproven", "A request was refused.")
      yield* pass(10)
      yield* first.reasons.set("gap 1", "Deliveries may be missing.")
      yield* pass(20)
      yield* first.reasons.set("service", "The service can't be read.")
      yield* pass(20)
      assert.strictEqual(endpoint.taken.length, 1, "at most one a minute")
      yield* pass(600)
      yield* first.stop
      const { reasons, stop } = yield* live
      yield* reasons.set("service", "The service can't be read.")
      yield* pass(600)
      yield* reasons.set("gap 1", "Deliveries may be missing.")
      yield* pass(600)
      yield* reasons.set("outbox", "The books can't be written.")
      yield* pass(600)
      yield* reasons.clear("outbox")
      yield* pass(600)
      const all = ["A request was refused.", "Deliveries may be missing.", "The service can't be read."]
      assert.deepStrictEqual(
        endpoint.taken.map(({ reasons, status }) => [status, reasons]),
        [
          ["red", all.slice(0, 1)],
          ["red", all],
          ["red", [...all.slice(1).toReversed(), "The books can't be written."]]
        ]
      )
      assert.strictEqual(new Set(endpoint.taken.map(({ since }) => since)).size, 1, "red since the same time")
      yield* stop
    }).pipe(Effect.scoped)
  )

  it.effect("is not sent for what passes quickly, and less and less often for what flaps", () =>
    Effect.gen(function* () {
      const { endpoint, live } = yield* world
      const { reasons, stop } = yield* live
      yield* pass(40)
      for (let time = 0; time < 20; time++) {
        yield* reasons.set("service", "hiccup")
        yield* pass(3)
        yield* reasons.clear("service")
        yield* pass(3)
      }
      assert.deepStrictEqual(endpoint.taken, [])
      for (let time = 0; time < 30; time++) {
        yield* reasons.set("service", "flapping")
        yield* pass(60)
        yield* reasons.clear("service")
        yield* pass(60)
      }
      // 5, 10, 20 and 40 seconds fit into a minute, 80 don't.
      assert.deepStrictEqual(
        endpoint.taken.map(({ status }) => status),
        ["red", "recovered", "red", "recovered"]
      )
      yield* stop
    }).pipe(Effect.scoped)
  )

  it.effect("is retried with growing pauses until it is accepted; meanwhile Status says so, without the URL", () =>
    Effect.gen(function* () {
      const { endpoint, live, marked } = yield* world
      const { reasons, stop } = yield* live
      endpoint.status = 0
      yield* reasons.set("gap 1", "Deliveries may be missing.")
      yield* pass(10)
      yield* reasons.clear("gap 1")
      yield* pass(300)
      const sentence = (yield* reasons.wrong).join()
      assert.strictEqual(
        sentence,
        "Alerts can't be delivered for now: SITELEDGER_ALERT_URL can't be reached (ECONNREFUSED)."
      )
      assert.notInclude(sentence, marked)
      const gaps = endpoint.attempts.map((at, index) => at - (endpoint.attempts[index - 1] ?? at)).slice(1)
      assert.isAtMost(gaps[0] ?? 0, 3)
      assert.isAtLeast(gaps.at(-1) ?? 0, 40)
      assert.isAtMost(Math.max(...gaps), 75)
      endpoint.status = 500
      yield* pass(80)
      assert.match((yield* reasons.wrong).join(), /answers 500/)
      endpoint.status = 200
      yield* pass(80)
      assert.deepStrictEqual(yield* reasons.wrong, [])
      assert.deepStrictEqual(
        endpoint.taken.map(({ reasons, status }) => [status, reasons]),
        [
          ["red", ["Deliveries may be missing."]],
          ["recovered", []]
        ],
        "in order, and none for the failed delivery itself"
      )
      yield* stop
    }).pipe(Effect.scoped)
  )
})

describe("the URL of alerts", () => {
  it.effect("is seen by no tracer, whether the request fails or succeeds", () =>
    Effect.gen(function* () {
      const { endpoint, live, marked, traced } = yield* world
      const { reasons, stop } = yield* live
      endpoint.status = 0
      yield* reasons.set("gap 1", "Deliveries may be missing.")
      yield* pass(20)
      endpoint.status = 500
      yield* pass(20)
      endpoint.status = 200
      yield* pass(60)
      assert.strictEqual(endpoint.taken.length, 1)
      assert.isAbove(endpoint.attempts.length, 2)
      const { origin, pathname } = new URL(marked)
      for (const part of [origin, pathname, "MARKED", "http.client"]) assert.notInclude(traced(), part)
      yield* stop
    }).pipe(Effect.scoped)
  )
})

describe("over a restart", () => {
  it.effect("an alert is neither repeated nor forgotten", () =>
    Effect.gen(function* () {
      const { endpoint, live } = yield* world
      const first = yield* live
      yield* first.reasons.set("gap 1", "Deliveries may be missing.")
      yield* pass(10)
      assert.strictEqual(endpoint.taken.length, 1)
      yield* first.stop
      const second = yield* live
      // Reasons come back only some time after a start.
      yield* pass(25)
      yield* second.reasons.set("gap 1", "Deliveries may be missing.")
      yield* pass(60)
      assert.strictEqual(endpoint.taken.length, 1, "not repeated, and no recovery in between")
      endpoint.status = 503
      yield* second.reasons.clear("gap 1")
      yield* pass(60)
      yield* second.stop
      endpoint.status = 200
      const third = yield* live
      yield* pass(5)
      assert.deepStrictEqual(
        endpoint.taken.map(({ status }) => status),
        ["red", "recovered"],
        "what was not accepted before is sent at once"
      )
      yield* pass(60)
      assert.strictEqual(endpoint.taken.length, 2)
      yield* third.stop
    }).pipe(Effect.scoped)
  )

  it.effect("a recovery that happened meanwhile is sent 30 seconds after the start", () =>
    Effect.gen(function* () {
      const { endpoint, live } = yield* world
      const first = yield* live
      yield* first.reasons.set("gap 1", "Deliveries may be missing.")
      yield* pass(10)
      yield* first.stop
      const second = yield* live
      yield* pass(29)
      assert.strictEqual(endpoint.taken.length, 1)
      yield* pass(3)
      const [red, recovered] = endpoint.taken
      assert.deepStrictEqual([recovered?.status, recovered?.since], ["recovered", red?.since])
      yield* second.stop
    }).pipe(Effect.scoped)
  )
})
