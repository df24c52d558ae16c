/** Amounts fit their currency: an amount with more decimals is asked about, never posted and never rounded. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { minorDigits } from "../../config/Currency.ts"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { Ledger } from "../../src/Ledger/Ledger.ts"
import { contractor } from "./Contractor.ts"
import {
  accept,
  amounts,
  certificate,
  decision,
  history,
  holdFor,
  opening,
  payment,
  project,
  reasons,
  record,
  reject,
  type ShortFact
} from "./Histories.ts"
import { certified, folder, hear, holds, journal, paid, started, startedOnce } from "./Started.ts"

const inCurrency = (currency: string | null): Terms => ({ ...contractor, currency, minorDigits })

/** In ten-thousandths. */
const tooPrecise = 1_000_050n

describe("an amount with more decimals than its currency", () => {
  it("is held, and posted as the person says", () => {
    const held = history([certificate(1, tooPrecise), payment(5)], inCurrency("EUR"))
    assert.deepStrictEqual([amounts(held), reasons(held)], [[], ["amount-too-precise"]])
    assert.deepInclude(holdFor(held, "amount-too-precise"), { units: tooPrecise, currency: "EUR" })
    const steps = [certificate(1, tooPrecise), payment(5), accept("amount-too-precise", 1_000_100n)]
    const posted = history(steps, inCurrency("EUR"))
    assert.deepStrictEqual([amounts(posted), reasons(posted)], [["payment 1000100"], []])
    const corrected = history([...steps, certificate(2, 2_000_000n)], inCurrency("EUR"))
    assert.deepStrictEqual([amounts(corrected), reasons(corrected)], [["payment 1000100", "adjustment 999900"], []])
  })

  it("depends on the currency: none for yen, two for euros, three for Kuwaiti dinars, four without a currency", () => {
    for (const [currency, units] of [
      ["JPY", 10_000n],
      ["EUR", 100n],
      ["KWD", 10n],
      [null, 1n]
    ] as const) {
      const terms = inCurrency(currency)
      assert.deepStrictEqual(amounts(history([certificate(1, units), payment(5)], terms)), [`payment ${units}`])
      if (currency === null) continue
      const held = history([certificate(1, units / 10n), payment(5)], terms)
      assert.deepStrictEqual([amounts(held), reasons(held)], [[], ["amount-too-precise"]])
    }
  })

  it("is disregarded for good if the person rejects it", () => {
    const steps = [certificate(1, 500_000n), certificate(2, tooPrecise), payment(5), reject("amount-too-precise")]
    assert.deepStrictEqual(amounts(history(steps, inCurrency("EUR"))), ["payment 500000"])
    const opened = history([opening(tooPrecise), payment(5), reject("amount-too-precise")], inCurrency("EUR"))
    assert.deepStrictEqual([amounts(opened), reasons(opened)], [[], ["awaiting-certified-amount"]])
    // Also where it would fit by now.
    const later = record(opened, certificate(9, 700_000n), 9, inCurrency(null))
    assert.deepStrictEqual(amounts(later), ["payment 700000"])
  })

  it("is asked again if the currency became known only after the answer", () => {
    const terms: Terms = { ...inCurrency("EUR"), currencies: { "7": "JPY" } }
    const steps = [payment(5), accept("awaiting-certified-amount", 15_000n), project("7")]
    const held = history(steps, terms)
    assert.deepStrictEqual([amounts(held), reasons(held)], [[], ["amount-too-precise"]])
    const { hold_id } = holdFor(held, "amount-too-precise")
    // Whoever has said that money moved says how much.
    assert.deepStrictEqual(reasons(record(held, decision(hold_id, "reject"), 9, terms)), ["amount-too-precise"])
    const posted = record(held, decision(hold_id, "accept", 20_000n), 9, terms)
    assert.deepStrictEqual([amounts(posted), reasons(posted)], [["payment 20000"], []])
    // The newest answer counts, also if the first would fit by now.
    const corrected = record(posted, project("7", 2), 10, { ...terms, minorDigits: null })
    assert.deepStrictEqual(amounts(corrected), ["payment 20000"])
  })

  it("of one more certificate doesn't hold up a payment that has gone to its new project", () => {
    const terms: Terms = { ...inCurrency("EUR"), currencies: { "7": "JPY" } }
    const moved = [
      project("8", 1),
      certificate(1, 20_000n),
      payment(5),
      project("7", 2),
      accept("project-changed"),
      certificate(9, 30_000n),
      accept("recertified-after-payment", 15_000n),
      certificate(2, 40_000n)
    ]
    const books = history(moved, terms)
    assert.deepStrictEqual(reasons(books), ["amount-too-precise"])
    assert.deepStrictEqual(
      books.entries.map(({ currency, units }) => `${units} ${currency}`),
      ["20000 EUR", "20000 JPY", "-20000 EUR", "20000 JPY"]
    )
  })

  it("doesn't go to a project with another currency", () => {
    const terms: Terms = { ...inCurrency("EUR"), currencies: { "7": "JPY" } }
    const posted = [project("8", 1), certificate(1, 15_000n), payment(5), project("7", 2), accept("project-changed")]
    const held = history(posted, terms)
    assert.deepStrictEqual([amounts(held), reasons(held)], [["payment 15000"], ["amount-too-precise"]])
    const moved = history([...posted, accept("amount-too-precise", 20_000n)], terms)
    assert.deepStrictEqual(
      moved.entries.map(({ currency, units }) => `${units} ${currency}`),
      ["15000 EUR", "20000 JPY", "-15000 EUR"]
    )
  })

  it("doesn't come from what was refused in another currency: all of it is asked", () => {
    const terms: Terms = { ...inCurrency("EUR"), currencies: { "7": "JPY" } }
    const reversal: ShortFact = {
      kind: "reversal",
      entryId: history([project("8", 1), certificate(1, 1_005_000n), payment(5)], terms).entries[0]?.entry_id ?? "",
      units: 1_005_000n,
      currency: "EUR",
      reference: "P",
      needsSecond: false,
      by: "Ana",
      reason: "bounced"
    }
    const steps = [project("8", 1), certificate(1, 1_005_000n), payment(5), reversal, project("7", 2)]
    const moved = [...steps, accept("project-changed"), accept("amount-too-precise", 1_010_000n)]
    const held = history(moved, terms)
    assert.deepStrictEqual(
      [amounts(held), reasons(held)],
      [["payment 1005000", "reversal -1005000"], ["changed-after-refusal"]]
    )
    assert.deepInclude(holdFor(held, "changed-after-refusal"), { units: 1_010_000n, currency: "JPY" })
    assert.deepStrictEqual(
      amounts(history([...moved, accept("changed-after-refusal")], terms)).at(-1),
      "adjustment 1010000"
    )
    const refused = history([...moved, reject("changed-after-refusal")], terms)
    assert.deepStrictEqual([amounts(refused).length, reasons(refused)], [2, []])
  })

  it("was posted before version 3 of the rules, and is corrected to the last decimal", () => {
    const second: Terms = { ...contractor, currency: "EUR", rules: 2 }
    const posted = history([certificate(1, tooPrecise), payment(5)], second)
    assert.deepStrictEqual(amounts(posted), ["payment 1000050"])
    const corrected = record(posted, certificate(2, 1_000_100n), 9, inCurrency("EUR"))
    assert.deepStrictEqual(amounts(corrected), ["payment 1000050", "adjustment 50"])
  })

  it("isn't split into amounts that don't fit", () => {
    const most = 10n ** 28n - 100n
    const steps = [certificate(1, most), payment(5), certificate(2, -most), accept("amount-not-positive", -most)]
    const { entries } = history(steps, inCurrency("EUR"))
    assert.deepStrictEqual(
      entries.map(({ units }) => units % 100n),
      entries.map(() => 0n)
    )
    assert.strictEqual(
      entries.reduce((sum, { units }) => sum + units, 0n),
      -most
    )
  })
})

it.effect("is posted once other terms say a currency that has as many decimals", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const open = Effect.map(holds, (all) => all.map(({ reason }) => reason))
    const asked = Effect.andThen(hear([certified("A", 1, 2, "100.0050"), paid("A", 5, 6)]), open)
    assert.deepStrictEqual(yield* started(path, asked, inCurrency("EUR")), ["amount-too-precise"])
    const posted = Effect.all([Effect.map(journal, (all) => all.map(({ amount }) => amount)), open])
    assert.deepStrictEqual(yield* started(path, posted, inCurrency("KWD")), [["100.0050"], []])
  }).pipe(Effect.scoped)
)

it.effect("a person can't give one either", () =>
  startedOnce(
    Effect.gen(function* () {
      const { decide, post } = yield* Ledger
      yield* hear([paid("A", 5, 6), certified("B", 1, 2, "100.0050"), paid("B", 5, 6)])
      const open = yield* holds
      const by = { by: "Ana", reason: "bank statement" }
      for (const { hold_id: hold } of open) {
        const error = yield* Effect.flip(decide({ ...by, hold, verdict: "accept", amount: "100.005" }))
        assert.strictEqual(error.message, "The amount has too many decimals: EUR has 2.")
      }
      const accounts = { debit: undefined, credit: undefined }
      const said = { ...by, ipcId: "A", amount: "1.5", evidence: "letter", currency: "JPY", reference: "fee" }
      const posting = { ...said, ...accounts }
      assert.include((yield* Effect.flip(post(posting))).message, "JPY has none")
      assert.deepStrictEqual(yield* journal, [])
      assert.strictEqual((yield* holds).length, 2)
    }),
    inCurrency("EUR")
  )
)
