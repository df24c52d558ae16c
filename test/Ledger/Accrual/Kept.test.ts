/** An IPC keeps the terms of its first accrual: other terms change nothing of it, and its payment settles the same. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Terms } from "../../../src/Ledger/Fact.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { certifiedIn, isSound } from "../Cumulative/Projects.ts"
import { created, folder, hear, journal, paid, started, startedOnce } from "../Started.ts"
import { balances, balancesOf, certificates, terms, vat } from "./Accruing.ts"

const half = { ...vat, percent: "100000", account: "half" }
const others: Terms = {
  ...terms,
  certificates: { ...certificates, byProject: { "10": { amounts: null, certifiedBefore: null, payable: [half] } } },
  accrual: { account: "sales", from: "2026-11-20" }
}

describe("what an accrual was posted by", () => {
  it.effect("stays when the file says otherwise, also for the payment", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        yield* started(path, hear([certifiedIn("10", "A", 10, 1, "100")]), terms)
        yield* started(
          path,
          Effect.gen(function* () {
            yield* hear([certifiedIn("10", "A", 20, 2, "200"), paid("A", 25, 3), certifiedIn("10", "B", 30, 4, "10")])
            assert.deepStrictEqual(yield* balancesOf("A"), { bank: 240, VAT: -40, revenue: -200 })
            assert.deepStrictEqual(yield* balancesOf("B"), { receivable: 11, half: -1, sales: -10 })
            yield* isSound
          }),
          others
        )
      })
    )
  )

  it.effect("stays when accruals begin later, or end", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        yield* started(path, hear([certifiedIn("10", "A", 10, 1, "100")]), terms)
        const later = { ...terms, accrual: { account: "revenue", from: "2026-12-01" } }
        const more = Effect.gen(function* () {
          yield* hear([certifiedIn("10", "A", 20, 2, "200"), certifiedIn("10", "B", 20, 3, "50")])
          assert.deepStrictEqual(yield* balances, { receivable: 240, VAT: -40, revenue: -200 })
          yield* isSound
        })
        yield* started(path, more, later)
        const { accrual: _, ...none } = terms
        const most = Effect.gen(function* () {
          yield* hear([certifiedIn("10", "A", 30, 4, "300"), certifiedIn("10", "C", 20, 5, "50")])
          assert.deepStrictEqual(yield* balances, { receivable: 360, VAT: -60, revenue: -300 })
          yield* hear([created("A", 31, 6, "11")])
          assert.deepStrictEqual(yield* balances, { receivable: 300, revenue: -300 })
          yield* isSound
        })
        yield* started(path, most, none)
      })
    )
  )

  it.effect("lets a person release what was held back", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedIn("7", "A", 10, 1, "600"), paid("A", 11, 2)])
        const { post } = yield* Ledger
        const by = { by: "Ana", reason: "completed", evidence: "letter", reference: "release" }
        const amounts = { amount: "30", currency: "EUR", debit: "receivable", credit: "retention" }
        yield* post({ ipcId: "A", ...by, ...amounts })
        assert.deepStrictEqual(yield* balances, { bank: 684, receivable: 30, VAT: -114, revenue: -600 })
        assert.strictEqual((yield* journal).length, 3)
        yield* isSound
      }),
      terms
    )
  )
})
