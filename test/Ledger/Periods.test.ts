/**
 * Months that people close and open again: at once, for all workers, and permanently; and nothing is posted into a
 * closed one.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import * as Look from "../../src/Ledger/Look.ts"
import { type Change, changed, firstOpenDay } from "../../src/Ledger/People/Periods.ts"
import { agreed } from "../../src/Ledger/Agreed.ts"
import { openFromOf } from "../../src/Ledger/Fold/Posted.ts"
import { preview } from "../../src/Ledger/Preview.ts"
import { Store } from "../../src/Stores/Store.ts"
import { contractor } from "./Contractor.ts"
import {
  certified,
  folder,
  hear,
  holds,
  journal,
  paid,
  started,
  startedOnce,
  startedWhole,
  verified
} from "./Started.ts"

const december = "2026-12-05T00:00:00.000000Z"
const ana = { by: "Ana", reason: "" }
const close = (month: string): Change => ({ ...ana, verb: "close", month })
const open = (month: string): Change => ({ ...ana, verb: "open", month })

const after = (terms: Terms, change: Change): Terms => {
  const closed = changed(change, terms, december)
  return typeof closed === "string" ? assert.fail(closed) : { ...terms, closed }
}

const earlier =
  "The books follow an earlier version of the ledger's rules: start a worker of this version first, which changes that."

describe("a month", () => {
  it("is closed to its last instant in the books' time zone, and opened from its first", () => {
    const berlin: Terms = { ...contractor, timezone: "Europe/Berlin" }
    const closed = after(berlin, close("2026-10"))
    assert.deepStrictEqual(closed.closed, { openFrom: "2026-11-01", at: december, ...ana })
    assert.strictEqual(openFromOf(closed), "2026-10-31T23:00:00.000000Z")
    const opened = after(closed, open("2026-10"))
    assert.deepStrictEqual(opened.closed, { openFrom: "2026-10-01", at: december, ...ana })
    assert.strictEqual(openFromOf(opened), "2026-09-30T22:00:00.000000Z")
    // Whatever the time zone is later.
    const moved: Terms = { ...closed, timezone: "America/New_York" }
    assert.deepStrictEqual([firstOpenDay(moved), openFromOf(moved)], ["2026-11-01", "2026-11-01T04:00:00.000000Z"])
    assert.strictEqual(firstOpenDay(after(contractor, close("2025-12"))), "2026-01-01")
    assert.isNull(firstOpenDay(contractor))
  })

  it("isn't closed or opened where that makes no sense, which one sentence says", () => {
    const closed = after(contractor, close("2026-10"))
    const configured: Terms = { ...contractor, openFrom: "2026-09-01T00:00:00.000000Z" }
    for (const [change, terms, sentence] of [
      [close("10/2026"), contractor, "Say the month like 2026-09."],
      [close("2026-13"), contractor, "Say the month like 2026-09."],
      [close("9999-12"), contractor, "Say the month like 2026-09."],
      [close("2999-12"), contractor, "2999-12 hasn't begun yet."],
      [close("2026-10"), { ...contractor, rules: 2 }, earlier],
      [{ ...close("2026-10"), by: " " }, contractor, "Say who does it (--by)."],
      [close("2026-10"), closed, "2026-10 is closed already."],
      [close("2026-09"), closed, "2026-09 is closed already."],
      [close("2026-08"), configured, "2026-08 is closed already."],
      [close("2027-01"), contractor, "2027-01 hasn't begun yet."],
      [open("2026-11"), closed, "2026-11 is open already."],
      [open("2026-09"), contractor, "2026-09 is open already."],
      [
        open("2026-08"),
        configured,
        "2026-08 is closed by SITELEDGER_LEDGER_OPEN_FROM: change the setting, and start the worker again."
      ]
    ] as const) {
      assert.strictEqual(changed(change, terms, december), sentence)
    }
    assert.isObject(changed(close("2026-12"), contractor, december))
    assert.strictEqual(firstOpenDay(after(configured, close("2026-09"))), "2026-10-01")
    const middle: Terms = { ...contractor, openFrom: "2026-08-15T00:00:00.000000Z" }
    assert.strictEqual(firstOpenDay(after(after(middle, close("2026-09")), open("2026-08"))), "2026-08-15")
  })
})

const now = TestClock.setTime(Date.parse(december))
const change = (given: Change) => Effect.flatMap(Ledger, ({ changePeriod }) => changePeriod(given))
const asked = Effect.map(holds, (all) => all.map(({ ipc_id, reason }) => `${ipc_id} ${reason}`))
const posted = Effect.map(journal, (all) => all.map((entry) => `${entry.ipc_id} ${entry.effective_at}`))
const payment = (id: string) => [certified(id, 1, 10, "5.0000"), paid(id, 5, 11)]

it.effect("what is effective in a closed month waits, and is asked again once the month is open", () =>
  startedOnce(
    Effect.gen(function* () {
      yield* now
      yield* hear(payment("A"))
      assert.strictEqual((yield* change(close("2026-11"))).openFrom, "2026-12-01")
      yield* hear(payment("B"))
      assert.deepStrictEqual(yield* asked, ["B period-closed"])
      const { openFrom, recorded } = yield* change(open("2026-11"))
      assert.deepStrictEqual([openFrom, recorded.opened.length], ["2026-11-01", 1])
      assert.deepStrictEqual(yield* asked, ["B period-reopened"])
      const [hold] = yield* holds
      const decision = { hold: hold?.hold_id ?? "", verdict: "accept" as const, amount: undefined }
      yield* (yield* Ledger).decide({ ...decision, by: "Ana", reason: "late" })
      assert.deepStrictEqual(yield* posted, ["A 2026-11-20T00:00:05.000000Z", "B 2026-11-20T00:00:05.000000Z"])
      assert.deepStrictEqual((yield* verified).differences, [])
    })
  )
)

it.effect("each fact behind a question about a date is shown once", () =>
  Effect.gen(function* () {
    yield* now
    const asking = Effect.gen(function* () {
      yield* change(close("2026-11"))
      yield* hear(payment("A"))
      yield* change(open("2026-11"))
      assert.deepStrictEqual(yield* asked, ["A period-reopened"])
      const [hold] = yield* holds
      const { basis } = yield* Look.one(hold?.hold_id ?? "")
      const shown = basis.map((fact) => JSON.stringify(fact))
      assert.deepStrictEqual(shown, [...new Set(shown)])
      assert.isAbove(basis.length, 1)
    })
    yield* startedWhole(yield* folder, asking)
  })
)

it.effect("holds for workers that run, and those that start with other settings", () =>
  Effect.gen(function* () {
    yield* now
    const path = yield* folder
    const first = Effect.gen(function* () {
      // Another worker on the same store.
      const other = Effect.provide(change(close("2026-11")), Ledger.layerWith(contractor), { local: true })
      yield* other
      yield* hear(payment("A"))
      return [yield* asked, (yield* (yield* Ledger).status).openFrom]
    })
    assert.deepStrictEqual(yield* started(path, first), [["A period-closed"], "2026-12-01"])
    const posting: Terms = { ...contractor, inClosedPeriod: "post", openFrom: "2026-10-01T00:00:00.000000Z" }
    assert.deepStrictEqual(yield* started(path, posted, posting), ["A 2026-12-01T00:00:00.000000Z"])
    const later: Terms = { ...contractor, openFrom: "2027-01-01T00:00:00.000000Z" }
    const status = Effect.flatMap(Ledger, (ledger) => ledger.status)
    const terms = Effect.flatMap(Store, (store) => store.run(agreed))
    const again = yield* started(path, terms, posting)
    assert.deepStrictEqual(yield* started(path, terms, posting), again)
    assert.strictEqual((yield* started(path, status, later)).openFrom, "2027-01-01")
  }).pipe(Effect.scoped)
)

it.effect("a preview counts what is effective in a closed month as waiting", () =>
  startedOnce(
    Effect.gen(function* () {
      yield* now
      yield* hear(payment("A"))
      yield* change(close("2026-11"))
      assert.deepInclude(yield* preview(yield* Store, contractor), { totals: [], holds: { "period-closed": 1 } })
    })
  )
)

it.effect("a wrong month changes nothing", () =>
  startedOnce(
    Effect.gen(function* () {
      yield* now
      assert.strictEqual((yield* Effect.flip(change(open("2026-11")))).message, "2026-11 is open already.")
      yield* hear(payment("A"))
      assert.strictEqual((yield* posted).length, 1)
    })
  )
)
