/**
 * A refusal is final, by example: neither the period, nor the policy, nor another certificate posts what a person rejected.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Terms } from "../../src/Ledger/Fact.ts"
import type { Books } from "../../src/Ledger/Fold/Known.ts"
import { contractor } from "./Contractor.ts"
import {
  accept,
  amounts,
  type Answer,
  answer,
  certificate,
  history,
  minute,
  opening,
  payment,
  reasons,
  record,
  reject,
  type ShortFact
} from "./Histories.ts"

const closed: Terms = { ...contractor, openFrom: minute(100) }
const posting: Terms = { ...closed, inClosedPeriod: "post" }
const terms: ShortFact = { kind: "terms" }

/** More facts and answers, under these terms. */
const then = (books: Books, under: Terms, ...steps: ReadonlyArray<ShortFact | Answer>): Books =>
  steps.reduce<Books>(
    (now, step, index) => record(now, "kind" in step ? step : answer(now, step), 100 + index, under),
    books
  )

const state = (books: Books) => [amounts(books), reasons(books)]

describe("an entry that was rejected in a closed period", () => {
  const rejected = history([certificate(1, 500n), payment(5), reject("period-closed")], closed)

  it.each([
    ["the period is open again", contractor],
    ["entries are posted into the open period unasked", posting],
    ["nothing changed", closed]
  ] as const)("doesn't post when %s", (_, under) => {
    assert.deepStrictEqual(state(then(rejected, under, terms)), [[], []])
    assert.deepStrictEqual(state(then(rejected, under, certificate(2, 500n), opening(500n))), [[], []])
  })

  it("counts as posted when the amount changes: only the difference is asked about", () => {
    const asked = then(rejected, closed, certificate(2, 520n))
    assert.deepStrictEqual(state(asked), [[], ["period-closed"]])
    assert.deepStrictEqual(
      [...asked.holds.values()].map(({ units }) => units),
      [20n]
    )
    assert.deepStrictEqual(amounts(then(asked, closed, accept("period-closed"))), ["payment 20"])
  })

  it.each([
    ["the period is open again", contractor],
    ["the policy is to post", posting]
  ] as const)("is asked about when the amount changes, if %s", (_, under) => {
    const asked = then(rejected, under, certificate(2, 520n))
    assert.deepStrictEqual(state(asked), [[], ["changed-after-refusal"]])
    assert.deepStrictEqual(amounts(then(asked, under, accept("changed-after-refusal"))), ["payment 20"])
    const again = then(asked, under, reject("changed-after-refusal"))
    assert.deepStrictEqual(state(then(again, under, certificate(3, 500n))), [[], ["changed-after-refusal"]])
    assert.deepStrictEqual(state(then(again, under, certificate(3, 520n))), [[], []])
  })
})

describe("an entry that waits for a closed period", () => {
  const waiting = history([certificate(1, 500n), payment(5)], closed)

  it("is asked about again when the period is open, and posts at its own date", () => {
    const asked = then(waiting, contractor, terms)
    assert.deepStrictEqual(state(asked), [[], ["period-reopened"]])
    const posted = then(asked, contractor, accept("period-reopened"))
    assert.deepStrictEqual(state(posted), [["payment 500"], []])
    assert.strictEqual(posted.entries[0]?.effective_at, minute(5))
    const refused = then(asked, contractor, reject("period-reopened"))
    assert.deepStrictEqual(state(then(refused, contractor, terms, certificate(2, 500n))), [[], []])
  })

  it("is still asked about when its amount changes meanwhile, and when the period is closed again", () => {
    const asked = then(waiting, contractor, certificate(2, 700n))
    assert.deepStrictEqual(state(asked), [[], ["period-reopened"]])
    assert.deepStrictEqual(state(then(asked, closed, terms)), [[], ["period-closed"]])
  })

  it("posts if the new terms say so", () => {
    assert.deepStrictEqual(state(then(waiting, { ...contractor, inClosedPeriod: "post" }, terms)), [
      ["payment 500"],
      []
    ])
    assert.deepStrictEqual(state(then(waiting, posting, terms)), [["payment 500"], []])
  })

  it("is still asked about while its currency is, too", () => {
    const perProject: Terms = { ...contractor, currency: "EUR", currencies: { "7": "USD" } }
    const asked = then(waiting, perProject, terms)
    assert.deepStrictEqual(state(asked), [[], ["currency-unknown", "period-reopened"]])
    const given = then(asked, perProject, { ...accept("currency-unknown"), currency: "SEK" })
    assert.deepStrictEqual(state(given), [[], ["period-reopened"]])
    const agreed = then(asked, perProject, accept("period-reopened"), {
      ...accept("currency-unknown"),
      currency: "SEK"
    })
    assert.deepStrictEqual(state(agreed), [["payment 500"], []])
  })

  it("leaves no trace of terms that change nothing", () => {
    assert.strictEqual(then(waiting, closed, terms), waiting)
  })
})

describe("a disregarded certificate", () => {
  it("isn't asked about again after the payment has another", () => {
    const books = history([certificate(7, 100n), certificate(7, 300n), payment(5), reject("ambiguous-order")])
    assert.deepStrictEqual(state(then(books, contractor, certificate(2, 200n))), [["payment 200"], []])
    const nothing = history([certificate(7, 0n), payment(5), reject("amount-not-positive")])
    assert.deepStrictEqual(state(then(nothing, contractor, certificate(9, 50n))), [["payment 50"], []])
  })

  it("isn't part of another group", () => {
    const books = history([certificate(1, 100n), certificate(1, 300n), payment(5), reject("ambiguous-order")])
    assert.deepStrictEqual(state(then(books, contractor, certificate(1, 200n))), [["payment 200"], []])
    assert.deepStrictEqual(state(then(books, contractor, certificate(1, 300n, "https://c/other"))), [
      [],
      ["awaiting-certified-amount"]
    ])
  })
})

describe("the first version of the rules", () => {
  it("posts what was rejected when the period is open again, as books of that time did", () => {
    const first = { ...closed, rules: 1 }
    const rejected = history([certificate(1, 500n), payment(5), reject("period-closed")], first)
    assert.deepStrictEqual(amounts(then(rejected, { ...contractor, rules: 1 }, certificate(2, 510n))), ["payment 510"])
  })

  it("goes on as the second: what was rejected under it stays rejected", () => {
    const rejected = history([certificate(1, 500n), payment(5), reject("period-closed")], { ...closed, rules: 1 })
    assert.deepStrictEqual(state(then(rejected, contractor, certificate(2, 500n))), [[], []])
    assert.deepStrictEqual(state(then(rejected, contractor, certificate(2, 510n))), [[], ["changed-after-refusal"]])
  })
})
