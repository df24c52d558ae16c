/**
 * The project of an IPC is the one that its newest event names; a change after posting is asked about.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { contractor } from "./Contractor.ts"
import {
  accept,
  amounts,
  answer,
  certificate,
  history,
  inCurrencies,
  minute,
  payment,
  project,
  reasons,
  record,
  reject
} from "./Histories.ts"

const perProject: Terms = { ...contractor, currency: "EUR", currencies: { "7": "USD", "8": "GBP" } }
const paid = [certificate(1, 100n), payment(5)]

describe("the newest project", () => {
  it("decides the currency in every order of arrival", () => {
    for (const facts of [
      [project("7", 1), project("8", 2), ...paid],
      [project("8", 2), project("7", 1), ...paid],
      [...paid, project("8", 2), project("7", 1)]
    ]) {
      const books = history(facts, perProject)
      assert.deepStrictEqual([inCurrencies(books), reasons(books)], [["payment 100 GBP"], []])
    }
  })

  it("that is known only after posting is asked about, and moves the payment if accepted", () => {
    const asked = history([project("7", 1), ...paid, project("8", 2)], perProject)
    assert.deepStrictEqual([inCurrencies(asked), reasons(asked)], [["payment 100 USD"], ["project-changed"]])
    assert.deepStrictEqual(
      [...asked.holds.values()].map(({ currency, units }) => [units, currency]),
      [[100n, "USD"]]
    )
    const moved = history([project("7", 1), ...paid, project("8", 2), accept("project-changed")], perProject)
    assert.deepStrictEqual(inCurrencies(moved), ["payment 100 USD", "adjustment 100 GBP", "reversal -100 USD"])
    assert.deepStrictEqual(
      moved.entries.map((entry) => entry.project_id),
      ["7", "8", "7"]
    )
    const later = history(
      [project("7", 1), ...paid, project("8", 2), accept("project-changed"), certificate(2, 90n)],
      perProject
    )
    assert.deepStrictEqual(inCurrencies(later).slice(3), ["adjustment -10 GBP"])
  })

  it("stays where it is if rejected, until yet another is named", () => {
    const facts = [project("7", 1), ...paid, project("8", 2), reject("project-changed")]
    assert.deepStrictEqual(reasons(history([...facts, certificate(2, 90n)], perProject)), [])
    assert.deepStrictEqual(
      inCurrencies(history([...facts, certificate(2, 90n)], perProject)).at(-1),
      "adjustment -10 USD"
    )
    assert.deepStrictEqual(reasons(history([...facts, project("9", 3)], perProject)), ["project-changed"])
    assert.deepStrictEqual(reasons(history([...facts, project("7", 3)], perProject)), [])
  })

  it("moves a payment twice, and with the date of the open period without asking again", () => {
    const closed: Terms = { ...perProject, openFrom: minute(100) }
    const steps = [project("7", 1), ...paid, accept("period-closed"), project("8", 2), accept("project-changed")]
    const once = history(steps, closed)
    assert.deepStrictEqual(reasons(once), [])
    const books = history([...steps, project("9", 3), accept("project-changed")], closed)
    assert.deepStrictEqual(inCurrencies(books).slice(3), ["adjustment 100 EUR", "reversal -100 GBP"])
    assert.isTrue(books.entries.every((entry) => entry.effective_at === minute(100)))
  })

  it("that is moved to is posted as much as was, and what waits is asked about as before", () => {
    const late: Terms = { ...perProject, openFrom: minute(100) }
    const asked = [project("7", 1), ...paid, project("8", 2)]
    const books = record(
      history(asked, perProject),
      answer(history(asked, perProject), accept("project-changed")),
      9,
      late
    )
    assert.deepStrictEqual(
      [inCurrencies(books).slice(1), reasons(books)],
      [["adjustment 100 GBP", "reversal -100 USD"], []]
    )
    const waits = [project("7", 1), ...paid].reduce(
      (now, fact, index) => record(now, fact, index + 1, perProject),
      history([])
    )
    const closed = record(waits, certificate(2, 80n), 10, late)
    const reopened = record(record(closed, { kind: "terms" }, 11, perProject), project("8", 2), 12, perProject)
    assert.deepStrictEqual(reasons(reopened), ["period-reopened", "project-changed"])
    const moved = record(reopened, answer(reopened, accept("project-changed")), 13, perProject)
    assert.deepStrictEqual(
      [inCurrencies(moved).slice(1), reasons(moved)],
      [["adjustment 100 GBP", "reversal -100 USD"], ["period-reopened"]]
    )
  })

  it("leaves a payment where it is until its amount is known", () => {
    const steps = [project("7", 1), ...paid, certificate(1, 90n), project("8", 2), accept("project-changed")]
    const open = history(steps, perProject)
    assert.deepStrictEqual([inCurrencies(open), reasons(open)], [["payment 100 USD"], ["ambiguous-order"]])
    const books = history([...steps, accept("ambiguous-order", 90n)], perProject)
    assert.deepStrictEqual(inCurrencies(books).slice(1), [
      "adjustment 100 GBP",
      "adjustment -10 GBP",
      "reversal -100 USD"
    ])
  })

  it("moves only what is posted: a step that waits for a closed period goes on waiting", () => {
    const closed: Terms = { ...perProject, openFrom: minute(100) }
    const steps = [project("7", 1), ...paid, accept("period-closed"), certificate(2, 120n), project("8", 2)]
    const books = history([...steps, accept("project-changed")], closed)
    assert.deepStrictEqual(inCurrencies(books).slice(1), ["adjustment 100 GBP", "reversal -100 USD"])
    assert.deepStrictEqual(reasons(books), ["period-closed"])
    assert.deepStrictEqual(
      [...books.holds.values()].map(({ units }) => units),
      [20n]
    )
  })

  it("named for the first time after posting is asked about only if it has another currency", () => {
    const late = history([...paid, project("7", 1)])
    assert.deepStrictEqual([amounts(late), reasons(late)], [["payment 100"], []])
    const given = { ...accept("currency-unknown"), currency: "CHF" }
    assert.deepStrictEqual(reasons(history([...paid, given, project("7", 1)], perProject)), ["project-changed"])
    const same = { ...accept("currency-unknown"), currency: "USD" }
    assert.deepStrictEqual(reasons(history([...paid, same, project("7", 1)], perProject)), [])
  })

  it("in the first version of the rules is the first that arrived", () => {
    const first = { ...perProject, rules: 1 }
    assert.deepStrictEqual(inCurrencies(history([project("7", 1), project("8", 2), ...paid], first)), [
      "payment 100 USD"
    ])
  })
})
