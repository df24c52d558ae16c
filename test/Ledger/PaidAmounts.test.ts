/**
 * The amount in a payment's event counts: it is posted as it is, also in parts; an amount that is too high or unclear
 * is asked about.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { minorDigits } from "../../config/Currency.ts"
import type { Terms } from "../../src/Ledger/Fact.ts"
import type { Books } from "../../src/Ledger/Fold/Known.ts"
import { forSeeds } from "../Seeded.ts"
import { contractor } from "./Contractor.ts"
import {
  accept,
  amounts,
  certificate,
  history,
  decision,
  holdFor,
  minute,
  net,
  payment,
  project,
  reasons,
  record,
  reject,
  type ShortFact
} from "./Histories.ts"
import { at, certified, folder, hear, heard, holds, journal, started, startedOnce, verified } from "./Started.ts"

const posted = ({ entries }: Books) => entries.map((entry) => `${entry.kind} ${entry.payment_reference} ${entry.units}`)

describe("a payment whose event says its amount", () => {
  it("is posted as it is, in as many parts as there are", () => {
    const books = history([certificate(1, 100n), payment(5, "P", 60n), payment(6, "Q", 30n), payment(7, "R", 10n)])
    assert.deepStrictEqual([posted(books), reasons(books)], [["payment P 60", "payment Q 30", "payment R 10"], []])
    assert.include(JSON.stringify(books.entries[1]?.basis), '"amount":"0.0030"')
  })

  it("waits for its certificate, whose question is asked once", () => {
    const paid = [payment(5, "P", 60n), payment(6, "Q", 40n)]
    const held = history(paid)
    assert.deepStrictEqual([posted(held), reasons(held)], [[], ["awaiting-certified-amount"]])
    const later = history([...paid, certificate(9, 100n)])
    assert.deepStrictEqual([posted(later), reasons(later)], [["payment P 60", "payment Q 40"], []])
    assert.deepStrictEqual(posted(history([...paid, accept("awaiting-certified-amount", 100n)])), posted(later))
  })

  it("is held if more is paid with it than was certified", () => {
    const paid = [certificate(1, 100n), payment(5, "P", 60n), payment(6, "Q", 50n)]
    const held = history(paid)
    assert.deepStrictEqual([posted(held), reasons(held)], [["payment P 60"], ["over-payment"]])
    assert.deepInclude(holdFor(held, "over-payment"), { units: 50n, payment_reference: "Q" })
    assert.deepStrictEqual(posted(history([...paid, accept("over-payment")])), ["payment P 60", "payment Q 50"])
    const rejected = history([...paid, reject("over-payment"), payment(7, "R", 40n)])
    assert.deepStrictEqual([posted(rejected), reasons(rejected)], [["payment P 60", "payment R 40"], []])
    // It is no longer too much.
    const more = history([...paid, certificate(2, 120n)])
    assert.deepStrictEqual([posted(more), reasons(more)], [["payment P 60", "payment Q 50"], []])
    const alone = history([certificate(1, 100n), payment(5, "P", 101n)])
    assert.deepStrictEqual([posted(alone), reasons(alone)], [[], ["over-payment"]])
  })

  it("is held while what was paid before isn't clear, if it is too much beside what is posted of that", () => {
    const paid = [certificate(1, 1100n), payment(5, "A", 600n), payment(6, "B", 500n), payment(6, "B", 450n)]
    const held = history([...paid, payment(7, "C", 400n)])
    assert.deepStrictEqual([net(held), reasons(held)], [1100n, ["over-payment", "paid-amount-unclear"]])
    const answered = history([...paid, payment(7, "C", 150n), accept("paid-amount-unclear", 450n)])
    assert.deepStrictEqual([net(answered), reasons(answered)], [1050n, ["over-payment"]])
  })

  it("stays as it is if less turns out to be certified, until a person says that it is none of this IPC", () => {
    const paid = [certificate(1, 100n), payment(5, "P", 60n), payment(6, "Q", 40n), certificate(2, 80n)]
    const held = history(paid)
    assert.deepStrictEqual([posted(held), reasons(held)], [["payment P 60", "payment Q 40"], ["over-payment"]])
    assert.deepStrictEqual(posted(history([...paid, accept("over-payment")])), posted(held))
    assert.deepStrictEqual(posted(history([...paid, reject("over-payment")])), [...posted(held), "reversal Q -40"])
  })

  it("may be of a later certificate, which isn't asked about", () => {
    const paid = [certificate(1, 100n), payment(5, "P", 100n), certificate(6, 150n)]
    const certifiedAnew = history(paid)
    assert.deepStrictEqual([posted(certifiedAnew), reasons(certifiedAnew)], [["payment P 100"], []])
    const books = history([...paid, payment(7, "Q", 50n)])
    assert.deepStrictEqual([posted(books), reasons(books)], [["payment P 100", "payment Q 50"], []])
    const atOnce = history([certificate(1, 100n), payment(5, "P", 100n), certificate(7, 150n), payment(7, "Q", 50n)])
    assert.deepStrictEqual([posted(atOnce), reasons(atOnce)], [["payment P 100", "payment Q 50"], []])
    const before = [certificate(1, 100n), certificate(4, 150n), payment(5, "P", 60n), payment(2, "Q", 50n)]
    assert.deepStrictEqual(reasons(history(before)), [])
    const early = history([certificate(1, 100n), payment(5, "P", 100n), payment(6, "Q", 50n), certificate(7, 150n)])
    assert.deepStrictEqual([posted(early), reasons(early)], [["payment P 100"], ["over-payment"]])
  })

  it("is corrected if its amount is reported later, with what a person said about later certificates", () => {
    const paid = [certificate(1, 100n), payment(5), certificate(6, 150n), accept("recertified-after-payment", 20n)]
    assert.deepStrictEqual(amounts(history(paid)), ["payment 100", "adjustment 20"])
    const said = history([...paid, payment(5, "P", 90n)])
    assert.deepStrictEqual(amounts(said), ["payment 100", "adjustment 20", "adjustment -10", "reversal -20"])
    assert.deepStrictEqual(amounts(history([...paid, payment(8, "P", 90n), payment(5), payment(5, "P", 90n)])), [
      ...amounts(said)
    ])
  })

  it("is asked if its reports disagree, or it can't be what was paid", () => {
    const terms: Terms = { ...contractor, currency: "EUR", minorDigits }
    for (const said of [[100n, 200n], [0n], [-100n], [150n]]) {
      const paid = [certificate(1, 500n), ...said.map((units) => payment(5, "P", units))]
      const held = history(paid, terms)
      assert.deepStrictEqual(reasons(held), ["paid-amount-unclear"], said.join())
      assert.strictEqual(holdFor(held, "paid-amount-unclear").units, said.length === 1 ? said[0] : null)
      assert.deepStrictEqual(reasons(history([...paid, reject("paid-amount-unclear")], terms)), ["paid-amount-unclear"])
      const answered = history([...paid, accept("paid-amount-unclear", 300n)], terms)
      assert.deepStrictEqual([net(answered), reasons(answered)], [300n, []], said.join())
    }
  })

  it("is a second payment like any other if the first one's event doesn't say its amount, or a person has answered", () => {
    const unsaid = history([certificate(1, 100n), payment(5), payment(6, "Q", 40n)])
    assert.deepStrictEqual([posted(unsaid), reasons(unsaid)], [["payment P 100"], ["second-payment-reference"]])
    const steps = [certificate(1, 100n), payment(5), payment(6, "Q"), accept("second-payment-reference", 30n)]
    const said = history([...steps, payment(5, "P", 60n), payment(6, "Q", 40n), payment(7, "R", 10n)])
    assert.deepStrictEqual(
      [posted(said), reasons(said)],
      [["payment P 100", "payment Q 30", "adjustment P -40", "payment R 10"], []]
    )
    const over = history([...steps, payment(5, "P", 60n), payment(7, "R", 11n)])
    assert.deepStrictEqual(reasons(over), ["over-payment"])
  })

  it("goes to another project", () => {
    const terms: Terms = { ...contractor, currency: "EUR", currencies: { "7": "USD" } }
    const books = history(
      [project("8", 1), certificate(1, 100n), payment(5, "P", 60n), project("7", 2), accept("project-changed")],
      terms
    )
    assert.deepStrictEqual(
      books.entries.map(({ currency, units }) => `${units} ${currency}`),
      ["60 EUR", "60 USD", "-60 EUR"]
    )
    assert.include(JSON.stringify(books.entries[1]?.basis), '"kind":"decision"')
  })

  it("isn't posted again after a restore if the accounting system has it", () => {
    const common = { currency: null, effectiveAt: null }
    const has = [
      { ...common, entryId: "a".repeat(32), units: 60n, reference: "P" },
      { ...common, entryId: "b".repeat(32), units: 40n, reference: "Q" }
    ]
    const comparison: ShortFact = { kind: "accounting", has, cancels: [], by: "Ana", reason: "compared" }
    const books = history([comparison, certificate(1, 100n), payment(5, "P", 60n), payment(6, "Q", 40n)])
    assert.deepStrictEqual([posted(books), reasons(books)], [["payment P 60", "payment Q 40"], []])
  })

  it("isn't asked about as a second payment, nor posted again, when the accounting system had another before it", () => {
    const terms: Terms = { ...contractor, openFrom: minute(6) }
    const paid = [certificate(1, 1000n), payment(5, "P", 600n), payment(7, "Q", 300n)]
    const has = [{ currency: null, effectiveAt: null, entryId: "a".repeat(32), units: 100n, reference: "R" }]
    const comparison: ShortFact = { kind: "accounting", has, cancels: [], by: "Ana", reason: "compared" }
    const posted = ({ entries }: Books) => entries.map((entry) => `${entry.payment_reference} ${entry.units}`)
    const books = history([...paid, comparison, payment(8, "R", 100n), payment(7, "Q", 300n)], terms)
    assert.deepStrictEqual([posted(books), reasons(books)], [["Q 300", "R 100"], ["period-closed"]])
    // Also while nothing says what the other was.
    const unsaid = history([...paid, comparison, payment(7, "Q", 300n)], terms)
    assert.deepStrictEqual([posted(unsaid), reasons(unsaid)], [["Q 300", "R 100"], ["second-payment-reference"]])
    assert.strictEqual(holdFor(unsaid, "second-payment-reference").payment_reference, "P")
  })

  it("goes to another project with each part", () => {
    const terms: Terms = { ...contractor, currency: "EUR", currencies: { "7": "USD" } }
    const paid = [project("8", 1), certificate(1, 100n), payment(5, "P", 60n), payment(6, "Q", 40n), project("7", 2)]
    const asked = history(paid, terms)
    const moved = [...asked.holds.keys()].reduce(
      (books, holdId, index) => record(books, decision(holdId, "accept"), 10 + index, terms),
      asked
    )
    assert.deepStrictEqual(
      moved.entries.map((entry) => `${entry.payment_reference} ${entry.units} ${entry.currency}`),
      ["P 60 EUR", "Q 40 EUR", "P 60 USD", "P -60 EUR", "Q 40 USD", "Q -40 EUR"]
    )
  })

  it("gives the same net in any order, as long as all of them are no more than what is certified", () => {
    forSeeds(200, ({ below, shuffle }) => {
      const parts = Array.from({ length: 1 + below(4) }, (_, part) => payment(5 + below(4), `P${part}`, 20n))
      const certificates = [certificate(1, 100n), certificate(3, 90n), certificate(6, 80n), certificate(7, 120n)]
      const facts: ReadonlyArray<ShortFact> = [...certificates, project("7"), ...parts]
      const books = history(shuffle([...facts, ...facts]))
      assert.deepStrictEqual([net(books), reasons(books)], [BigInt(parts.length) * 20n, []])
    })
  })
})

it.effect("is asked about anew once other terms say a currency with other decimals", () =>
  Effect.gen(function* () {
    const path = yield* folder
    const inCurrency = (currency: string): Terms => ({ ...contractor, currency, minorDigits })
    const paid = (id: string, amount: string) =>
      heard(id, 5, 6, { payment_reference: "P", paid_amount: amount, paid_at: at(5) })
    const asked = Effect.map(holds, (all) => all.map(({ ipc_id, reason }) => `${ipc_id} ${reason}`).toSorted())
    const first = hear([
      certified("A", 1, 2, "200.0000"),
      paid("A", "100.0050"),
      certified("B", 1, 2, "100.5000"),
      paid("B", "150.0000")
    ])
    const held = yield* started(path, Effect.andThen(first, asked), inCurrency("EUR"))
    assert.deepStrictEqual(held, ["A paid-amount-unclear", "B over-payment"])
    assert.deepStrictEqual(yield* started(path, asked, inCurrency("JPY")), [
      "A paid-amount-unclear",
      "B amount-too-precise"
    ])
    assert.deepStrictEqual(yield* started(path, asked, inCurrency("KWD")), ["B over-payment"])
  }).pipe(Effect.scoped)
)

it.effect("is recorded from its event, and the books verify", () =>
  startedOnce(
    Effect.gen(function* () {
      const paid = (second: number, reference: string, amount: string) =>
        heard("A", second, second + 10, { payment_reference: reference, paid_amount: amount, paid_at: at(second) })
      yield* hear([certified("A", 1, 2, "100.0000"), paid(5, "P", "60.5000"), paid(6, "Q", "39.5000")])
      yield* hear([paid(6, "Q", "39.5000")])
      assert.deepStrictEqual(
        (yield* journal).map(({ amount }) => amount),
        ["60.5000", "39.5000"]
      )
      assert.deepStrictEqual((yield* verified).differences, [])
    })
  )
)
