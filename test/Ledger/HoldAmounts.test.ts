/** A hold's amount and currency, if known: in the books, in the warehouse, and in the status. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { contractor } from "./Contractor.ts"
import { at, certified, copied, copy, created, hear, paid, startedWholeOnce, verified } from "./Started.ts"

const euros: Terms = { ...contractor, currency: "EUR" }
const closed: Terms = { ...euros, openFrom: at(100) }
const perProject: Terms = { ...euros, currencies: { "7": "USD" } }

const amounts = Effect.gen(function* () {
  yield* copy
  const rows = yield* copied("ledger_holds")
  return rows.map(({ amount, currency, ipc_id, reason }) => [ipc_id, reason, amount, currency]).toSorted()
})

const after = (terms: Terms, ...batches: ReadonlyArray<Parameters<typeof hear>[0]>) =>
  startedWholeOnce(
    Effect.gen(function* () {
      for (const batch of batches) yield* Effect.andThen(hear(batch), copy)
      assert.deepStrictEqual((yield* verified).differences, [])
      return [yield* amounts, (yield* Effect.flatMap(Ledger, ({ status }) => status)).oldestHold] as const
    }),
    terms
  )

describe("a hold", () => {
  it.live("shows the certificate's amount, or none if it isn't known", () =>
    Effect.gen(function* () {
      const [open, oldest] = yield* after(euros, [
        paid("none", 2, 1),
        certified("zero", 1, 2, "0.0000"),
        paid("zero", 2, 3),
        certified("two", 1, 4, "10.0000"),
        certified("two", 1, 5, "20.0000"),
        paid("two", 2, 6),
        certified("later", 1, 7, "100.0000"),
        paid("later", 2, 8),
        certified("later", 3, 9, "120.5000"),
        paid("later", 2, 10, "AGAIN")
      ])
      assert.deepStrictEqual(open, [
        ["later", "recertified-after-payment", "120.5000", "EUR"],
        ["later", "second-payment-reference", null, null],
        ["none", "awaiting-certified-amount", null, null],
        ["two", "ambiguous-order", null, null],
        ["zero", "amount-not-positive", "0.0000", "EUR"]
      ])
      assert.deepInclude(oldest, { ipcId: "none", amount: null, currency: null })
    })
  )

  it.live("for a closed period shows what would be posted, in its currency", () =>
    Effect.gen(function* () {
      const [open, oldest] = yield* after(closed, [certified("1", 1, 1, "100.0000"), paid("1", 2, 2)])
      assert.deepStrictEqual(open, [["1", "period-closed", "100.0000", "EUR"]])
      assert.deepInclude(oldest, { ipcId: "1", reason: "period-closed", amount: "100.0000", currency: "EUR" })
    })
  )

  it.live("for a currency shows the amount, and follows later certificates, also in the copies", () =>
    Effect.gen(function* () {
      const first = [certified("1", 1, 1, "100.0000"), paid("1", 5, 2)]
      assert.deepStrictEqual((yield* after(perProject, first))[0], [["1", "currency-unknown", "100.0000", null]])
      const [open] = yield* after(perProject, first, [certified("1", 2, 3, "130.0000")])
      assert.deepStrictEqual(open, [["1", "currency-unknown", "130.0000", null]])
      assert.deepStrictEqual((yield* after(perProject, first, [created("1", 3, 3, "7")]))[0], [])
    })
  )
})
