/**
 * The fold: each rule by example, and random histories in random orders.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Terms } from "../../src/Ledger/Fact.ts"
import type { Books } from "../../src/Ledger/Fold/Known.ts"
import { forSeeds, type Random } from "../Seeded.ts"
import { contractor } from "./Contractor.ts"
import {
  amounts,
  anyOrder,
  certificate,
  decision,
  history,
  minute,
  net,
  opening,
  payment,
  project,
  reasons,
  type ShortFact,
  record,
  written
} from "./Histories.ts"

/** Answers every hold by what it is about, and nothing else. */
const answered = (books: Books): Books => {
  let now = books
  for (let number = 1000; now.holds.size > 0; number++) {
    const [hold] = now.holds.values()
    assert.isDefined(hold)
    const units = BigInt(Number.parseInt(hold.hold_id.slice(0, 6), 16) + 1)
    now = record(now, decision(hold.hold_id, "accept", units), number)
    assert.isBelow(number, 1100)
  }
  return now
}

describe("a payment", () => {
  it("posts the certified amount, effective at the payment, once its certificate is known", () => {
    const books = history([project("7"), certificate(1, 500n), payment(5)], {
      ...contractor,
      currencies: { "7": "EUR" }
    })
    assert.deepStrictEqual(amounts(books), ["payment 500"])
    const [entry] = books.entries
    assert.isDefined(entry)
    assert.strictEqual(entry.effective_at, minute(5))
    assert.strictEqual(entry.known_at, minute(10_003))
    assert.deepStrictEqual([entry.project_id, entry.currency, entry.certificate_url], ["7", "EUR", "https://c/1"])
    assert.strictEqual(books.holds.size, 0)
  })

  it("waits for its certificate, and posts the moment one arrives", () => {
    const waiting = history([payment(5)])
    assert.deepStrictEqual([amounts(waiting), reasons(waiting)], [[], ["awaiting-certified-amount"]])
    const still = [...history([payment(5), payment(6, "Q"), project()]).holds.values()]
    assert.deepStrictEqual(
      still.map(({ since }) => since),
      [minute(10_001), minute(10_002)]
    )
    const books = history([payment(5), certificate(1, 500n)])
    assert.deepStrictEqual([amounts(books), reasons(books)], [["payment 500"], []])
  })

  it("takes the newest certificate dated at or before it, including its own instant", () => {
    assert.deepStrictEqual(amounts(history([certificate(1, 500n), certificate(5, 700n), payment(5)])), ["payment 700"])
    assert.deepStrictEqual(amounts(history([certificate(1, 500n), certificate(6, 700n), payment(5)])), ["payment 500"])
  })

  it("is adjusted by the difference when its certificate turns out to be another one", () => {
    const books = history([certificate(1, 500n), payment(5), certificate(4, 450n)])
    assert.deepStrictEqual(amounts(books), ["payment 500", "adjustment -50"])
    assert.deepStrictEqual(reasons(books), [])
  })

  it("takes the earliest certificate after it when there is none before, and corrects itself", () => {
    const books = history([payment(5), certificate(9, 900n), certificate(7, 700n), certificate(2, 200n)])
    assert.deepStrictEqual(amounts(books), ["payment 900", "adjustment -200", "adjustment -500"])
    assert.deepStrictEqual(reasons(books), ["recertified-after-payment", "recertified-after-payment"])
  })

  it("under the same reference again posts nothing, at any time", () => {
    const books = history([certificate(1, 500n), certificate(8, 900n), payment(5), payment(9), payment(5)])
    assert.deepStrictEqual(amounts(books), ["payment 500"])
    assert.strictEqual(books.payments.length, 1)
  })

  it("under a second reference is held, and posted with the accepted amount", () => {
    const held = history([certificate(1, 500n), payment(5), payment(6, "Q")])
    assert.deepStrictEqual([amounts(held), reasons(held)], [["payment 500"], ["second-payment-reference"]])
    const [hold] = held.holds.values()
    assert.isDefined(hold)
    assert.strictEqual(hold.payment_reference, "Q")
    const accepted = record(held, decision(hold.hold_id, "accept", 120n), 4)
    assert.deepStrictEqual([amounts(accepted), reasons(accepted)], [["payment 500", "payment 120"], []])
    const rejected = record(held, decision(hold.hold_id, "reject", null), 4)
    assert.deepStrictEqual([amounts(rejected), reasons(rejected)], [["payment 500"], []])
  })
})

describe("a certificate", () => {
  it("of another amount after the payment moves no cash and is held; one of the same amount changes nothing", () => {
    const books = history([certificate(1, 500n), payment(5), certificate(8, 500n), certificate(9, 650n)])
    assert.deepStrictEqual([amounts(books), reasons(books)], [["payment 500"], ["recertified-after-payment"]])
    const [hold] = books.holds.values()
    const accepted = record(books, decision(hold?.hold_id ?? "", "accept", 150n), 9)
    assert.deepStrictEqual([amounts(accepted), reasons(accepted)], [["payment 500", "adjustment 150"], []])
    assert.strictEqual(accepted.entries[1]?.effective_at, minute(9))
  })

  it("of the same instant and a different amount is a question, even when one is already posted", () => {
    for (const facts of [
      [certificate(1, 500n), certificate(1, 510n), payment(5)],
      [certificate(1, 500n), payment(5), certificate(1, 510n)]
    ]) {
      const held = history(facts)
      assert.deepStrictEqual(reasons(held), ["ambiguous-order"])
      const [hold] = held.holds.values()
      assert.strictEqual(net(record(held, decision(hold?.hold_id ?? "", "accept", 510n), 9)), 510n)
      const rejected = record(held, decision(hold?.hold_id ?? "", "reject", null), 9)
      assert.deepStrictEqual(reasons(rejected), ["awaiting-certified-amount"])
    }
  })

  it("of zero or less is never posted by itself", () => {
    for (const units of [0n, -5n]) {
      const books = history([certificate(1, units), payment(5)])
      assert.deepStrictEqual([amounts(books), reasons(books)], [[], ["amount-not-positive"]])
    }
  })

  it("from before the events began settles a payment until a dated one is known", () => {
    assert.deepStrictEqual(amounts(history([payment(5), opening(300n)])), ["payment 300"])
    assert.deepStrictEqual(amounts(history([certificate(9, 900n), opening(300n), payment(5)])), ["payment 300"])
    assert.deepStrictEqual(amounts(history([opening(300n), payment(5), certificate(2, 250n)])), [
      "payment 300",
      "adjustment -50"
    ])
    assert.deepStrictEqual(amounts(history([opening(300n), payment(5), opening(310n)])), [
      "payment 300",
      "adjustment 10"
    ])
  })
})

describe("a closed period", () => {
  const facts = [certificate(1, 500n), payment(5)]
  it("takes no entry: it is held, and accepted into the open one", () => {
    const closed: Terms = { ...contractor, openFrom: minute(100) }
    const held = history(facts, closed)
    assert.deepStrictEqual([amounts(held), reasons(held)], [[], ["period-closed"]])
    const [hold] = held.holds.values()
    const accepted = record(held, decision(hold?.hold_id ?? "", "accept", null), 9, closed)
    assert.deepStrictEqual([amounts(accepted), reasons(accepted)], [["payment 500"], []])
    assert.strictEqual(accepted.entries[0]?.effective_at, minute(100))
    assert.include(JSON.stringify(accepted.entries[0]?.basis), minute(5))
  })

  it("ends with the first instant of the open one, which is posted at its own time", () => {
    const [posted] = history(facts, { ...contractor, openFrom: minute(5) }).entries
    assert.deepInclude(posted, { units: 500n, effective_at: minute(5) })
    const after = history(facts, { ...contractor, openFrom: minute(6) })
    assert.deepStrictEqual([amounts(after), reasons(after)], [[], ["period-closed"]])
  })

  it("can be configured to post into the open one", () => {
    const books = history(facts, { ...contractor, openFrom: minute(100), inClosedPeriod: "post" })
    assert.deepStrictEqual(
      books.entries.map(({ effective_at, units }) => [effective_at, units]),
      [[minute(100), 500n]]
    )
  })
})

describe("over random histories", () => {
  const randomFacts = ({ below, chance, pick }: Random): ReadonlyArray<ShortFact> => [
    ...Array.from({ length: 1 + below(4) }, () => certificate(1 + below(9), pick([100n, 200n, 300n, 0n, -40n]))),
    ...(chance(0.3) ? [payment(1 + below(9), "Q")] : []),
    ...(chance(0.3) ? [opening(BigInt(50 + below(3) * 50))] : []),
    ...(chance(0.5) ? [project("7")] : [])
  ]

  it("the net is the same in every order, and no reference is paid twice", () => {
    forSeeds(500, (random) => {
      const facts = randomFacts(random)
      const nets = new Set<bigint>()
      for (let order = 0; order < 8; order++) {
        const books = answered(history(anyOrder(facts, random)))
        nets.add(net(books))
        const references = books.entries
          .filter(({ kind }) => kind === "payment")
          .map((entry) => entry.payment_reference)
        assert.strictEqual(new Set(references).size, references.length)
      }
      assert.strictEqual(nets.size, 1, written(facts))
    })
  })

  it("the same order gives the same entries and holds to the byte", () => {
    forSeeds(200, (random) => {
      const facts = anyOrder(randomFacts(random), random)
      const books = history(facts)
      assert.strictEqual(
        written([books.entries, [...books.holds]]),
        written([history(facts).entries, [...history(facts).holds]])
      )
      const ids = books.entries.map(({ entry_id }) => entry_id)
      assert.strictEqual(new Set(ids).size, ids.length)
    })
  })
})
