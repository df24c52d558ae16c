/** What waits for a person, as each engine's Store has it: counts, exact sums, the oldest, and how urgent it is. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Latch, Layer } from "effect"
import { quarantinedMoney } from "../../src/Intake/QuarantinedMoney.ts"
import { openHolds } from "../../src/Ledger/OpenHolds.ts"
import { reasonsOf, Waiting, type Waits } from "../../src/Operate/Waiting.ts"
import { Leadership } from "../../src/Runtime/Leadership.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Store } from "../../src/Stores/Store.ts"
import { delivery } from "../Stores/Postgres/World.ts"
import { engines, inSqlite } from "../Stores/StoreEngines.ts"
import { pass } from "./Alert/World.ts"

const money = ["ipc.certified", "ipc.paid"]

interface HoldOf {
  readonly amount: string | null
  readonly currency: string | null
  readonly since?: string
}

const hold = (number: number, { amount, currency, since = "2026-11-20T02:00:00.000000Z" }: HoldOf) => ({
  hold_id: `h${String(number).padStart(5, "0")}`,
  ipc_id: `I-${number}`,
  payment_reference: "P",
  reason: "second-payment-reference" as const,
  since,
  basis: "[]",
  amount,
  currency
})

const keep = (rows: ReadonlyArray<HoldOf>) =>
  Effect.flatMap(Store, (store) =>
    store.transaction(async (tx) => {
      for (let from = 0; from < rows.length; from += 500) {
        const some = rows.slice(from, from + 500).map((row, index) => hold(from + index, row))
        await tx.insertInto("ledger_holds").values(some).execute()
      }
    })
  )

const none: Waits = {
  holds: { count: 0, sums: [], unknownAmounts: 0, oldest: null },
  quarantined: { count: 0, oldest: null }
}

describe.each(engines)("what waits in $name", ({ isSkipped, place }) => {
  const test = <E>(fact: string, body: Effect.Effect<void, E, Store>) =>
    it.live.skipIf(isSkipped)(fact, () =>
      Effect.scoped(Effect.flatMap(place, ({ layer }) => Effect.provide(body, layer)))
    )

  test(
    "sums holds by currency to the last digit, beyond one page and beyond what a column holds",
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* openHolds, none.holds)
      const most = "999999999999999999999999.9999"
      const cents = Array.from({ length: 2499 }, () => ({ amount: "0.1000", currency: "EUR" }))
      yield* keep([
        ...cents,
        { amount: "-0.0001", currency: "EUR", since: "2026-11-19T02:00:00.000000Z" },
        { amount: most, currency: "USD" },
        { amount: most, currency: "USD" },
        { amount: "7.5000", currency: null },
        { amount: null, currency: "EUR" },
        { amount: null, currency: null }
      ])
      assert.deepStrictEqual(yield* openHolds, {
        count: 2505,
        sums: [
          { currency: "EUR", amount: "249.8999", count: 2500 },
          { currency: "USD", amount: "1999999999999999999999999.9998", count: 2 },
          { currency: null, amount: "7.5000", count: 1 }
        ],
        unknownAmounts: 2,
        oldest: { since: "2026-11-19T02:00:00.000000Z", ipcId: "I-2499", reason: "second-payment-reference" }
      })
    })
  )

  test(
    "counts what its type or the header says is money, and what changed rows and posted nothing",
    Effect.gen(function* () {
      const store = yield* Store
      assert.deepStrictEqual(yield* quarantinedMoney(money), none.quarantined)
      const headers = ["ipc.created", "ipc.paid", "ipc.paid", null, "ipc.submitted", "ipc.certified"]
      yield* Effect.promise(() =>
        store.deliveries.receive(
          headers.map((headerType, n) => delivery(`body ${n}`, { headerType, eventId: `e${n}` }))
        )
      )
      const [created, unmarked, proven, unknown, labelled, certified] = (yield* store.atomically(
        store.deliveries.take(10)
      )).taken.map(({ event }) => event.sequence) as [number, number, number, number, number, number]
      const quarantined = (sequence: number, reason: string, event_type: string | null) =>
        store.transaction((tx) => tx.insertInto("quarantine").values({ sequence, reason, event_type }).execute())
      yield* quarantined(created, "no-key", null)
      yield* quarantined(proven, "no-key", "vo.priced")
      yield* quarantined(unknown, "not-json", null)
      assert.strictEqual((yield* quarantinedMoney(money)).count, 0, "the body's type counts, not the header's")
      yield* quarantined(certified, "amount-does-not-fit", "ipc.certified")
      yield* quarantined(labelled, "label-only", "ipc.submitted")
      const oldest = {
        since: "2026-11-20T02:00:00.000000Z",
        eventId: "e4",
        type: "ipc.submitted",
        reason: "label-only"
      }
      assert.deepStrictEqual(yield* quarantinedMoney(money), { count: 2, oldest })
      yield* quarantined(unmarked, "no-key", "ipc.paid")
      const old = { ...oldest, eventId: "e1", type: "ipc.paid", reason: "no-key" }
      assert.deepStrictEqual(yield* quarantinedMoney(money), { count: 3, oldest: old })
    })
  )
})

describe("the leader", () => {
  it.effect("alone shows what waits, as long as it leads", () =>
    Effect.gen(function* () {
      const { layer } = yield* inSqlite
      const leading = yield* Latch.make(false)
      const following = yield* Latch.make(true)
      const leadership = { isLeading: Effect.succeed(true), leading, following }
      const body = Effect.gen(function* () {
        const shown = Effect.flatMap(Reasons, ({ all }) =>
          Effect.andThen(
            pass(3),
            Effect.map(all, (reasons) => reasons.map(({ key }) => key))
          )
        )
        yield* keep([{ amount: "1.0000", currency: "EUR" }])
        assert.deepStrictEqual(yield* shown, [])
        yield* Effect.andThen(following.close, leading.open)
        assert.deepStrictEqual(yield* shown, ["open holds"])
        yield* Effect.andThen(leading.close, following.open)
        assert.deepStrictEqual(yield* shown, [])
      })
      const waiting = Waiting.layerWith({ moneyTypes: money, criticalAfter: Duration.days(3) })
      const services = waiting.pipe(Layer.provideMerge(Layer.merge(layer, Reasons.layer)))
      yield* body.pipe(Effect.provide(services), Effect.provideService(Leadership, leadership))
    }).pipe(Effect.scoped)
  )
})

describe("the reason for what waits", () => {
  const since = "2026-11-20T02:00:00.000000Z"
  const sinceMs = Date.parse("2026-11-20T02:00:00Z")
  const day = Duration.toMillis("1 day")
  const after = Duration.days(3)
  const waits: Waits = {
    holds: {
      count: 27,
      sums: [
        { currency: "EUR", amount: "1234.5000", count: 20 },
        { currency: null, amount: "7.0000", count: 5 }
      ],
      unknownAmounts: 2,
      oldest: { since, ipcId: "4711\u001b[2J", reason: "second-payment-reference" }
    },
    quarantined: { count: 1, oldest: { since, eventId: "e1", type: "ipc.paid", reason: "no-key" } }
  }

  it("is none when nothing waits", () => assert.deepStrictEqual(reasonsOf(none, after, sinceMs), []))

  it("is a notice at once, with everything a person needs to see how much it is", () => {
    const [holds, quarantined] = reasonsOf(waits, after, sinceMs + 3 * day - 1)
    assert.deepInclude({ ...holds }, { key: "open holds", level: "notice", since })
    assert.strictEqual(
      holds?.sentence,
      "27 holds wait for a person or for an event: 1234.5000 EUR (20), 7.0000 without a currency (5) and 2 without a " +
        `known amount. The oldest has waited since ${since}: IPC 4711\\x1b[2J, second-payment-reference. ` +
        "`siteledger ledger holds` lists them with their questions."
    )
    assert.deepInclude({ ...quarantined }, { key: "quarantined money", level: "notice", since })
    assert.match(
      quarantined?.sentence ?? "",
      /^1 delivery about money waits in quarantine, .* since 2026-11-20T02:00:00.000000Z: ipc\.paid, no-key, event id e1\./
    )
  })

  it("is critical once the oldest has waited for the configured time", () => {
    for (const { level, sentence } of reasonsOf(waits, after, sinceMs + 3 * day)) {
      assert.strictEqual(level, "critical")
      assert.match(
        sentence,
        / since 2026-11-20T02:00:00.000000Z, longer than 3d \(SITELEDGER_LEDGER_HOLD_CRITICAL_AFTER\): /
      )
    }
  })
})
