/** What is withheld from a payment: the receivable is settled in full, and the bank gets less. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Terms } from "../../../src/Ledger/Fact.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { certified, folder, hear, journal, paid, started, startedOnce } from "../Started.ts"
import { certifiedOf, isSound } from "../Cumulative/Projects.ts"
import { balances, posted, tax, terms as accruing } from "./Accruing.ts"

const { accrual: _, ...unposted } = accruing
const terms: Terms = { ...unposted, certificates: { standard: "each", payable: [], withheld: [tax], byProject: {} } }

describe("what is withheld", () => {
  it.effect("goes to its account, rounded so that the whole payment stays to the cent", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certified("A", 1, 1, "100.1000"), paid("A", 5, 2)])
        assert.deepStrictEqual(yield* posted, [["payment", { bank: 95.09, tax: 5.01, receivable: -100.1 }]])
        // The correction brings the whole to what it would be at once: 5 % of 100.30 are 5.015, so 5.02.
        yield* hear([certified("A", 3, 3, "100.3000")])
        assert.deepStrictEqual(yield* balances, { bank: 95.28, tax: 5.02, receivable: -100.3 })
        yield* isSound
      }),
      terms
    )
  )

  it.effect("is taken back with its payment", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedOf("A", 1, 1, "100"), paid("A", 5, 2)])
        const [entry] = yield* journal
        const { reverse } = yield* Ledger
        yield* reverse(entry?.entry_id ?? "", { by: "Ana", reason: "a mistake" })
        assert.deepStrictEqual(yield* posted, [
          ["payment", { bank: 95, tax: 5, receivable: -100 }],
          ["reversal", { bank: -95, tax: -5, receivable: 100 }]
        ])
        yield* isSound
      }),
      terms
    )
  )

  it.effect("stays with a payment as its first entry had it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const path = yield* folder
        yield* started(path, hear([certifiedOf("A", 1, 1, "100"), paid("A", 5, 2)]), terms)
        const none = { ...terms, certificates: { ...terms.certificates, withheld: [] } }
        yield* started(
          path,
          Effect.gen(function* () {
            yield* hear([certifiedOf("A", 3, 3, "200"), certifiedOf("B", 1, 4, "10"), paid("B", 5, 5)])
            assert.deepStrictEqual(yield* balances, { bank: 200, tax: 10, receivable: -210 })
            yield* isSound
          }),
          none
        )
      })
    )
  )

  it.effect("of an employer is owed to somebody else", () =>
    startedOnce(
      Effect.gen(function* () {
        yield* hear([certifiedOf("A", 1, 1, "100"), paid("A", 5, 2)])
        assert.deepStrictEqual(yield* posted, [["payment", { payable: 100, bank: -95, tax: -5 }]])
        yield* isSound
      }),
      { ...terms, debitAccount: "payable", creditAccount: "bank", settles: "debit" }
    )
  )
})
