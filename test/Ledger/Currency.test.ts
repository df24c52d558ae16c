/**
 * One payment is booked in one currency on one pair of accounts, and its currency is never guessed.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { contractor } from "./Contractor.ts"
import {
  accept,
  certificate,
  decision,
  history,
  holdFor,
  inCurrencies,
  payment,
  project,
  reasons,
  reject,
  record
} from "./Histories.ts"

const byProject: Terms = { ...contractor, currency: "EUR", currencies: { "7": "USD" } }
const paid = [certificate(1, 100n), payment(5)]

describe("the currency of a payment", () => {
  it("is asked if projects differ and no event has named the project; such an event closes the hold", () => {
    const held = history(paid, byProject)
    assert.deepStrictEqual([inCurrencies(held), reasons(held)], [[], ["currency-unknown"]])
    for (const [id, currency] of [
      ["7", "USD"],
      ["8", "EUR"]
    ] as const) {
      const recorded = record(held, project(id), 3, byProject)
      assert.deepStrictEqual([inCurrencies(recorded), reasons(recorded)], [[`payment 100 ${currency}`], []])
    }
  })

  it("isn't asked if there is one currency, or none", () => {
    for (const currency of ["EUR", null]) {
      const books = history(paid, { ...contractor, currency })
      assert.deepStrictEqual([inCurrencies(books), reasons(books)], [[`payment 100 ${currency}`], []])
    }
  })

  it("applies to its corrections, whichever project is learned later", () => {
    const posted = history(paid, { ...contractor, currency: "EUR" })
    const recorded = record(posted, project("7"), 3, byProject)
    const corrected = record(recorded, certificate(2, 120n), 4, byProject)
    assert.deepStrictEqual(inCurrencies(corrected), ["payment 100 EUR", "adjustment 20 EUR"])
    const books = history([...paid, project("7"), certificate(2, 120n)], byProject)
    assert.deepStrictEqual([inCurrencies(books), reasons(books)], [["payment 100 USD", "adjustment 20 USD"], []])
  })

  it("applies to what a later certificate moved", () => {
    const posted = history(paid, { ...contractor, currency: "EUR" })
    const asked = record(record(posted, project("7"), 3, byProject), certificate(9, 120n), 4, byProject)
    const { hold_id } = holdFor(asked, "recertified-after-payment")
    assert.deepStrictEqual(inCurrencies(record(asked, decision(hold_id, "accept", 20n), 5, byProject)), [
      "payment 100 EUR",
      "adjustment 20 EUR"
    ])
  })

  it("can be given by a person, and a project that is learned later doesn't change it", () => {
    const held = history(paid, byProject)
    const { hold_id } = holdFor(held, "currency-unknown")
    const answered = record(held, decision(hold_id, "accept", null, "USD"), 3, byProject)
    assert.deepStrictEqual([inCurrencies(answered), reasons(answered)], [["payment 100 USD"], []])
    assert.include(JSON.stringify(answered.entries[0]?.basis), `"currency":"USD"`)
    const later = record(record(answered, project("8"), 4, byProject), certificate(2, 90n), 5, byProject)
    assert.deepStrictEqual(inCurrencies(later), ["payment 100 USD", "adjustment -10 USD"])
    assert.deepStrictEqual(reasons(record(held, decision(hold_id, "reject"), 3, byProject)), ["currency-unknown"])
  })

  it("is asked separately for a second payment", () => {
    const books = history([...paid, payment(6, "Q"), accept("second-payment-reference", 30n), project("7")], byProject)
    assert.deepStrictEqual([inCurrencies(books), reasons(books)], [["payment 100 USD", "payment 30 USD"], []])
  })

  it("is asked before the closed period is", () => {
    const closed: Terms = { ...byProject, openFrom: "2027-01-01T00:00:00.000000Z" as Terms["openFrom"] }
    assert.deepStrictEqual(reasons(history(paid, closed)), ["currency-unknown"])
    assert.deepStrictEqual(reasons(history([...paid, project("7")], closed)), ["period-closed"])
    const books = history([...paid, project("7"), reject("period-closed")], closed)
    assert.deepStrictEqual([inCurrencies(books), reasons(books)], [[], []])
    const answered = history([...paid, { ...accept("currency-unknown"), currency: "USD" }], closed)
    const accepted = record(
      record(answered, project("8"), 4, closed),
      decision(holdFor(answered, "period-closed").hold_id, "accept"),
      5,
      closed
    )
    assert.deepStrictEqual(inCurrencies(accepted), ["payment 100 USD"])
  })
})

describe("a correction", () => {
  it("is booked on the accounts of what it corrects, even after the configuration has changed", () => {
    const posted = history(paid)
    const others: Terms = { ...contractor, debitAccount: "payable", creditAccount: "bank", currency: "EUR" }
    const books = record(posted, certificate(2, 80n), 3, others)
    assert.deepStrictEqual(
      books.entries.map((entry) => [entry.units, entry.currency, entry.debit_account, entry.credit_account]),
      [
        [100n, null, "bank", "receivable"],
        [-20n, null, "bank", "receivable"]
      ]
    )
    const recertified = record(posted, certificate(9, 80n), 3, others)
    const { hold_id } = holdFor(recertified, "recertified-after-payment")
    const moved = record(recertified, decision(hold_id, "accept", -20n), 4, others)
    assert.deepInclude(moved.entries[1], { units: -20n, debit_account: "bank", credit_account: "receivable" })
  })
})
