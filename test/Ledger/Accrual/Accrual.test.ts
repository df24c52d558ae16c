/** Certificates that are posted when they are made: what is due, what is held back, what is added, and the revenue. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { certified, created, folder, hear, holds, journal, paid, started, startedOnce } from "../Started.ts"
import { certifiedIn, certifiedOf, isSound } from "../Cumulative/Projects.ts"
import { balances, balancesOf, posted, terms } from "./Accruing.ts"

describe("an accrual", () => {
  it.effect("posts what is due by a certificate, with what is held back and added, before the payment settles it", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("7", "A", 10, 1, "600")])
        assert.deepStrictEqual(yield* posted, [
          ["accrual", { receivable: 684, retention: 30, VAT: -114, revenue: -600 }]
        ])
        const [entry] = yield* journal
        assert.deepInclude(entry, {
          amount: "684.0000",
          debit_account: "receivable",
          credit_account: "revenue",
          payment_reference: "A",
          certificate_url: "https://c/A",
          certified_as: "cumulative",
          posting_date: "2026-11-20",
          event_id: "event-A-10-1"
        })
        yield* hear([paid("A", 11, 2)])
        assert.deepStrictEqual(yield* balances, { bank: 684, retention: 30, VAT: -114, revenue: -600 })
        yield* isSound
      }),
      terms
    )
  )

  it.effect("posts the difference to the IPC before it, with caps over all", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("7", "A", 10, 1, "600"), certifiedIn("7", "B", 20, 2, "1200")])
        // Of 600, 30 are held back; of 1,200 no more than 40 in all.
        assert.deepStrictEqual(yield* balancesOf("B"), { receivable: 708, retention: 10, VAT: -118, revenue: -600 })
        // A was certified again before B was: B's difference becomes smaller.
        yield* hear([certifiedIn("7", "A", 15, 3, "700")])
        assert.deepStrictEqual(yield* balancesOf("A"), { receivable: 798, retention: 35, VAT: -133, revenue: -700 })
        assert.deepStrictEqual(yield* balancesOf("B"), { receivable: 594, retention: 5, VAT: -99, revenue: -500 })
        assert.deepStrictEqual(yield* holds, [])
        yield* isSound
      }),
      terms
    )
  )

  it.effect("follows the newest certificate, also below what was posted, and asks nothing", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("10", "C", 10, 1, "100"), certifiedIn("10", "C", 20, 2, "130")])
        assert.deepStrictEqual(yield* balances, { receivable: 156, VAT: -26, revenue: -130 })
        yield* hear([certifiedIn("10", "C", 5, 3, "999")])
        assert.deepStrictEqual(yield* balances, { receivable: 156, VAT: -26, revenue: -130 })
        yield* hear([certifiedIn("10", "C", 30, 4, "0")])
        assert.deepStrictEqual(yield* balances, {})
        assert.deepStrictEqual(
          (yield* posted).map(([kind]) => kind),
          ["accrual", "accrual", "accrual"]
        )
        assert.deepStrictEqual(yield* holds, [])
        yield* isSound
      }),
      terms
    )
  )

  it.effect("waits where what is due isn't known, and posts nothing for it", () =>
    startedOnce(
      Effect.gen(function* () {
        // Its project has rules of its own, which isn't known before the project is.
        yield* hear([certifiedOf("A", 10, 1, "600")])
        assert.deepStrictEqual(yield* balances, {})
        yield* hear([created("A", 1, 2, "10")])
        assert.deepStrictEqual(yield* balances, { receivable: 720, VAT: -120, revenue: -600 })
        // Two certificates of one time, and one with more decimals than the currency has.
        yield* hear([certifiedIn("10", "B", 10, 3, "5"), certifiedIn("10", "B", 10, 4, "6")])
        yield* hear([created("D", 1, 5, "10"), certified("D", 10, 6, "1.0050")])
        assert.deepStrictEqual(yield* balancesOf("D"), {})
        // What was posted of B before the second came is taken back until it is clear.
        assert.deepStrictEqual(yield* balancesOf("B"), {})
        assert.strictEqual((yield* journal).filter(({ ipc_id }) => ipc_id === "B").length, 2)
        yield* isSound
      }),
      terms
    )
  )

  it.effect("goes along with a change of the project, and stays with a payment until a person has agreed", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("10", "A", 10, 1, "100"), created("A", 12, 2, "11")])
        assert.deepStrictEqual(yield* balances, { receivable: 100, revenue: -100 })
        assert.deepStrictEqual(
          (yield* journal).map(({ amount, project_id }) => `${project_id} ${amount}`),
          ["10 120.0000", "10 -120.0000", "11 100.0000"]
        )
        yield* hear([paid("A", 13, 3), created("A", 14, 4, "10")])
        assert.deepStrictEqual(yield* balances, { bank: 100, revenue: -100 })
        const [hold] = yield* holds
        const { decide } = yield* Ledger
        yield* decide({
          hold: hold?.hold_id ?? "",
          verdict: "accept",
          amount: undefined,
          by: "Ana",
          reason: "it moved"
        })
        assert.deepStrictEqual(yield* balances, { bank: 120, VAT: -20, revenue: -100 })
        yield* isSound
      }),
      terms
    )
  )

  it.effect("isn't posted for an opening certificate, and is taken back if one is signed off later", () =>
    startedOnce(
      Effect.gen(function* () {
        const { signOff } = yield* Ledger
        yield* signOff([{ ipcId: "A", amount: "60.0000", certificate: "No. 4" }], "Ana")
        yield* hear([certifiedIn("10", "A", 10, 1, "70"), certifiedIn("10", "B", 10, 2, "100")])
        assert.deepStrictEqual(yield* balances, { receivable: 120, VAT: -20, revenue: -100 })
        yield* signOff([{ ipcId: "B", amount: "50.0000", certificate: "No. 5" }], "Ana")
        assert.deepStrictEqual(yield* balances, {})
        yield* isSound
      }),
      terms
    )
  )

  it.effect("taken back by a person isn't posted again, but what is certified later is", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("10", "A", 10, 1, "100")])
        const { reverse } = yield* Ledger
        const [entry] = yield* journal
        yield* reverse(entry?.entry_id ?? "", { by: "Ana", reason: "posted in another book" })
        assert.deepStrictEqual(yield* balances, {})
        yield* hear([certifiedIn("10", "A", 20, 2, "130"), paid("A", 25, 3)])
        assert.deepStrictEqual(yield* balances, { bank: 156, receivable: -120, VAT: -6, revenue: -30 })
        yield* isSound
      }),
      terms
    )
  )

  it.effect("begins on a day in the books' time zone, and on a start that first says so", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        const { accrual: _, ...unposted } = terms
        const day = 86_400
        yield* started(
          path,
          hear([
            certifiedIn("10", "A", day - 3601, 1, "100"),
            certifiedIn("10", "B", day - 3600, 2, "200"),
            certifiedIn("10", "A", 2 * day, 3, "110")
          ]),
          unposted
        )
        yield* started(
          path,
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* balances, { receivable: 240, VAT: -40, revenue: -200 })
            yield* isSound
          }),
          { ...terms, timezone: "Europe/Berlin", accrual: { account: "revenue", from: "2026-11-21" } }
        )
      })
    )
  )

  it.effect("goes into the open period without a question", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("10", "A", 10, 1, "100")])
        const [entry] = yield* journal
        assert.deepInclude(entry, { posting_date: "2026-12-01", effective_at: "2026-12-01T00:00:00.000000Z" })
        assert.deepStrictEqual(yield* holds, [])
        yield* isSound
      }),
      { ...terms, openFrom: "2026-12-01T00:00:00.000000Z" }
    )
  )

  it.effect("of an employer credits what is payable and debits the cost", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("7", "A", 10, 1, "600")])
        assert.deepStrictEqual(yield* posted, [["accrual", { payable: -684, retention: -30, VAT: 114, cost: 600 }]])
        const [entry] = yield* journal
        assert.deepInclude(entry, { amount: "684.0000", debit_account: "cost", credit_account: "payable" })
        yield* hear([paid("A", 11, 2)])
        assert.deepStrictEqual(yield* balances, { bank: -684, retention: -30, VAT: 114, cost: 600 })
        yield* isSound
      }),
      {
        ...terms,
        debitAccount: "payable",
        creditAccount: "bank",
        settles: "debit",
        accrual: { account: "cost", from: "2026-11-20" }
      }
    )
  )
})
