/**
 * An entry that was posted on a person's decision is taken back when its question goes away, a closed period is asked
 * about at each step, and an entry's id stands for its money: the sequences that once went wrong.
 */
import { assert, describe, it } from "@effect/vitest"
import * as Amount from "../../src/Domain/Amount.ts"
import type { Terms } from "../../src/Ledger/Fact.ts"
import { contractor } from "./Contractor.ts"
import {
  accept,
  amounts,
  certificate,
  decision,
  history,
  minute,
  net,
  opening,
  payment,
  reasons,
  reject,
  record
} from "./Histories.ts"

const closed: Terms = { ...contractor, openFrom: minute(100) }

describe("an accepted recertification", () => {
  it("is taken back when a delayed certificate has its amount", () => {
    const books = history([
      certificate(1, 100n),
      payment(5),
      certificate(10, 120n),
      accept("recertified-after-payment", 20n),
      certificate(4, 120n)
    ])
    assert.deepStrictEqual(amounts(books), ["payment 100", "adjustment 20", "adjustment 20", "reversal -20"])
    assert.deepStrictEqual(reasons(books), [])
    assert.strictEqual(books.entries[3]?.reverses, books.entries[1]?.entry_id)
    const basis = JSON.stringify(books.entries[3]?.basis)
    for (const part of [minute(4), minute(5), "checked"]) assert.include(basis, part)
  })

  it("ends at the same amount in both orders, even if it once was the payment's own certificate", () => {
    const late = history([
      payment(5),
      certificate(10, 100n),
      certificate(12, 120n),
      accept("recertified-after-payment", 20n),
      certificate(4, 120n),
      reject("recertified-after-payment")
    ])
    const early = history([
      certificate(4, 120n),
      payment(5),
      certificate(10, 100n),
      certificate(12, 120n),
      reject("recertified-after-payment")
    ])
    assert.deepStrictEqual([net(late), reasons(late)], [120n, []])
    assert.deepStrictEqual([net(early), reasons(early)], [120n, []])
  })

  it("comes back with its question, and is taken back again", () => {
    const facts = [
      opening(100n),
      payment(5),
      certificate(10, 120n),
      accept("recertified-after-payment", 20n),
      opening(120n),
      opening(100n),
      opening(120n)
    ]
    const books = history(facts)
    assert.deepStrictEqual(
      books.entries.slice(1).map(({ kind, part, units }) => `${part === "settlement" ? "" : "moved "}${kind} ${units}`),
      [
        "moved adjustment 20",
        "adjustment 20",
        "moved reversal -20",
        "adjustment -20",
        "moved adjustment 20",
        "adjustment 20",
        "moved reversal -20"
      ]
    )
    assert.deepStrictEqual(
      books.entries.filter(({ reverses }) => reverses !== null).map(({ reverses }) => reverses),
      [1, 5].map((index) => books.entries[index]?.entry_id ?? "")
    )
  })

  it("is posted once if two certificates of its instant have its amount", () => {
    const books = history([
      certificate(1, 100n),
      payment(5),
      certificate(10, 120n, "https://c/a"),
      certificate(10, 120n, "https://c/b"),
      accept("recertified-after-payment", 20n)
    ])
    assert.deepStrictEqual([amounts(books), reasons(books)], [["payment 100", "adjustment 20"], []])
  })

  it("waits for a person if its reversal falls into a closed period", () => {
    const open = history([
      certificate(1, 100n),
      payment(5),
      certificate(10, 120n),
      accept("recertified-after-payment", 20n)
    ])
    const held = record(open, certificate(4, 120n), 5, closed)
    assert.deepStrictEqual([net(held), reasons(held)], [120n, ["period-closed", "period-closed"]])
    const accepted = [...held.holds.keys()].reduce(
      (books, holdId, index) => record(books, decision(holdId, "accept"), 6 + index, closed),
      held
    )
    assert.deepStrictEqual(amounts(accepted), ["payment 100", "adjustment 20", "adjustment 20", "reversal -20"])
    assert.strictEqual(accepted.entries[3]?.effective_at, minute(100))
  })
})

describe("a closed period", () => {
  it("is asked about again after an answer to the same amount at another balance", () => {
    const facts = [
      certificate(1, 100n),
      payment(5),
      accept("period-closed"),
      certificate(2, 120n),
      reject("period-closed"),
      certificate(3, 150n),
      accept("period-closed"),
      certificate(4, 170n)
    ]
    const books = history(facts, closed)
    // The 20 that were refused never post.
    assert.deepStrictEqual([amounts(books), reasons(books)], [["payment 100", "adjustment 30"], ["period-closed"]])
    assert.strictEqual(net(history([...facts, accept("period-closed")], closed)), 150n)
  })

  it("is asked about again when the books return to an earlier balance", () => {
    const facts = [
      opening(100n),
      payment(5),
      accept("period-closed"),
      opening(120n),
      accept("period-closed"),
      opening(100n),
      accept("period-closed"),
      opening(120n)
    ]
    const books = history(facts, closed)
    assert.deepStrictEqual(amounts(books), ["payment 100", "adjustment 20", "adjustment -20"])
    assert.deepStrictEqual(reasons(books), ["period-closed"])
  })
})

describe("an entry's id", () => {
  const idsOf = (facts: Parameters<typeof history>[0], under: Terms = contractor) =>
    history(facts, under).entries.map(({ entry_id }) => entry_id)
  const [p, c100, c120] = [payment(5), certificate(1, 100n), certificate(2, 120n)]

  it("is the same for the same stored order", () => {
    assert.deepStrictEqual(idsOf([p, c100, c120]), idsOf([p, c100, c120]))
    assert.match(idsOf([p, c100])[0] ?? "", /^[0-9a-f]{32}$/)
  })

  it("differs for another amount, currency, reference or day", () => {
    const ids = [
      idsOf([p, c100, c120]),
      idsOf([p, c120]),
      idsOf([p, c120], { ...contractor, currency: "EUR" }),
      idsOf([p, c120], { ...closed, inClosedPeriod: "post" }),
      idsOf([payment(6), c120]),
      idsOf([payment(5, "Q"), c120])
    ].flat()
    assert.strictEqual(new Set(ids).size, 7)
  })
})

describe("a difference that one entry can't hold", () => {
  it("is posted in two, and the net is the certificate's", () => {
    const most = 10n ** 28n - 1n
    const books = history([payment(5), certificate(1, -1n), accept("amount-not-positive", -most), certificate(2, most)])
    assert.deepStrictEqual(amounts(books), [`payment -${most}`, `adjustment ${most}`, `adjustment ${most}`])
    assert.strictEqual(net(books), most)
    assert.strictEqual(new Set(books.entries.map(({ entry_id }) => entry_id)).size, 3)
    for (const { units } of books.entries) assert.isDefined(Amount.ofUnits(units))
  })
})

it("a hold that concerns several parts of a payment shows the amount of its settlement", () => {
  const perProject: Terms = { ...contractor, currency: "EUR", currencies: { "7": "USD" } }
  const facts = [certificate(1, 100n), payment(5), certificate(10, 120n), accept("recertified-after-payment", -7n)]
  const books = history(facts, perProject)
  assert.deepStrictEqual(
    [...books.holds.values()].map(({ reason, units }) => [reason, units]),
    [["currency-unknown", 100n]]
  )
})
