/**
 * The daily reminder: at 09:00 local time (03:15 UTC in Kathmandu), once a day, also across restarts and failures, and
 * only while money waits. The test starts at 02:00 UTC.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Store } from "../../../src/Stores/Store.ts"
import { pass, world } from "./World.ts"

const oldest = "2026-11-20T00:00:00.000000Z"

const hold = (id: string, amount: string | null, currency: string | null, since = oldest) => ({
  hold_id: id,
  ipc_id: `I-${id}`,
  payment_reference: "P",
  reason: "second-payment-reference" as const,
  since,
  basis: "[]",
  amount,
  currency
})

const keep = (store: Store["Service"], since = oldest) =>
  store.transaction((tx) =>
    tx
      .insertInto("ledger_holds")
      .values([
        hold("0", "0.1000", "EUR", since),
        hold("1", "0.2000", "EUR", "2026-11-20T01:00:00.000000Z"),
        hold("2", null, null, "2026-11-20T02:00:00.000000Z")
      ])
      .execute()
  )

/** While no worker is running, so that no look delays the test. */
const later = (hours: number) => TestClock.adjust(`${hours} hours`)

const times = (taken: ReadonlyArray<{ readonly at: string; readonly status: string }>) =>
  taken.flatMap(({ at, status }) => (status === "reminder" ? [at.slice(5, 16)] : []))

describe("the daily reminder", () => {
  it.effect("says at 09:00 local time, once, what waits: how much by currency, and the oldest", () =>
    Effect.gen(function* () {
      const { endpoint, live, path } = yield* world
      const before = yield* live
      yield* keep(before.store)
      yield* pass(3)
      yield* before.stop
      yield* later(1.23)
      const { stop } = yield* live
      yield* pass(50)
      assert.deepStrictEqual(endpoint.taken, [], "it is 08:59")
      yield* pass(90)
      const [first, ...others] = endpoint.taken
      assert.deepStrictEqual(others, [])
      const { at = "", id, reasons, ...rest } = first ?? {}
      assert.strictEqual(at.slice(0, 16), "2026-11-20T03:15")
      assert.match(id ?? "", /^[0-9a-f-]{36}$/)
      assert.match(reasons?.join() ?? "", /^3 holds wait .*: 0\.3000 EUR \(2\) and 1 without a known amount\./)
      assert.deepStrictEqual(rest as unknown, {
        status: "reminder",
        level: "notice",
        since: "2026-11-20T00:00:00.000000Z",
        kinds: ["open holds"],
        holds: {
          count: 3,
          sums: [{ currency: "EUR", amount: "0.3000", count: 2 }],
          unknownAmounts: 1,
          oldest: { since: "2026-11-20T00:00:00.000000Z", ipcId: "I-0", reason: "second-payment-reference" }
        },
        quarantined: { count: 0, oldest: null },
        instance: "https://me.example.com/hooks",
        dataDir: path
      })
      yield* stop
    }).pipe(Effect.scoped)
  )

  it.effect("comes once a day over restarts, once for days that were missed, and never when nothing waits", () =>
    Effect.gen(function* () {
      const { endpoint, live } = yield* world
      /** The times of all reminders, some hours later. */
      const after = Effect.fnUntraced(function* (
        hours: number,
        then?: (store: Store["Service"]) => ReturnType<typeof keep>
      ) {
        yield* later(hours)
        const { stop, store } = yield* live
        yield* pass(10)
        if (then !== undefined) yield* then(store)
        yield* stop
        return times(endpoint.taken)
      })
      assert.deepStrictEqual(yield* after(0), [], "the first start only notes the present")
      assert.deepStrictEqual(yield* after(2, keep), [], "nothing waited")
      assert.deepStrictEqual(yield* after(4), [], "the day has been served")
      assert.deepStrictEqual(yield* after(20), ["11-21T04:00"], "caught up on")
      assert.lengthOf(yield* after(1), 1, "a restart doesn't repeat it")
      assert.deepStrictEqual((yield* after(50)).slice(1), ["11-23T07:00"], "two days were missed")
      assert.lengthOf(yield* after(0), 2)
    }).pipe(Effect.scoped)
  )

  it.effect("is kept until it is accepted, also over a restart, and turns nothing red", () =>
    Effect.gen(function* () {
      const { endpoint, live } = yield* world
      const first = yield* live
      yield* keep(first.store)
      yield* pass(3)
      yield* first.stop
      yield* later(2)
      endpoint.status = 503
      const second = yield* live
      yield* pass(30)
      assert.isAbove(endpoint.attempts.length, 2)
      assert.match((yield* second.reasons.wrong).join(), /Alerts can't be delivered.*answers 503/)
      yield* second.stop
      yield* later(1)
      endpoint.status = 200
      const third = yield* live
      yield* pass(90)
      assert.deepStrictEqual(
        endpoint.taken.map(({ at, status }) => [status, at.slice(5, 15)]),
        [["reminder", "11-20T04:0"]]
      )
      yield* third.stop
    }).pipe(Effect.scoped)
  )
})

describe("Status", () => {
  it.effect("shows what waits as a notice, turns critical with its age, and recovers when nothing waits", () =>
    Effect.gen(function* () {
      const { endpoint, live } = yield* world
      const { reasons, stop, store } = yield* live
      const shown = Effect.map(reasons.all, (all) => all.map(({ key, level }) => [key, level]))
      // Three days before the 40th second.
      yield* keep(store, "2026-11-17T02:00:40.000000Z")
      yield* pass(4)
      assert.deepStrictEqual(yield* shown, [["open holds", "notice"]])
      yield* pass(30)
      assert.deepStrictEqual(endpoint.taken, [])
      yield* pass(20)
      assert.deepStrictEqual(yield* shown, [["open holds", "critical"]])
      yield* store.transaction((tx) => tx.deleteFrom("ledger_holds").execute())
      yield* pass(4)
      assert.deepStrictEqual(yield* shown, [])
      yield* pass(30)
      assert.deepStrictEqual(
        endpoint.taken.map(({ level, status }) => [status, level]),
        [
          ["red", "critical"],
          ["recovered", "critical"]
        ]
      )
      yield* stop
    }).pipe(Effect.scoped)
  )
})
