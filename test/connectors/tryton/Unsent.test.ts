/**
 * What never becomes a move: entries that aren't for this Tryton are held, others are refused or wait before Tryton has a
 * trace of them.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chart, customer, inTryton, message, reasonOf, started, taken, withRule } from "./TrytonWorld.ts"

describe("held and never sent is an entry", () => {
  const isHeld = (given: Parameters<typeof message>[1], options: Parameters<typeof started>[1], says: string) =>
    inTryton((server) =>
      Effect.gen(function* () {
        const verdict = yield* (yield* started(server, options))(message(1, given))
        assert.strictEqual(verdict._tag, "Held")
        assert.include(reasonOf(verdict), says)
        assert.lengthOf(server.calls, 0)
      })
    )

  it.effect("of another company", () =>
    isHeld(
      {},
      { chart: { ...chart, company: "South Ltd" }, books: { company: "North Ltd", currency: "EUR" } },
      "belongs to the books of South Ltd, and Tryton has those of North Ltd."
    )
  )
  it.effect("of a company, if it isn't said which one Tryton has", () =>
    isHeld({}, { chart: { ...chart, company: "South Ltd" } }, "SITELEDGER_TRYTON_COMPANY isn't set.")
  )
  it.effect("of no company, if Tryton has those of one", () =>
    isHeld({}, { books: { company: "North Ltd", currency: "EUR" } }, "Nothing in the ledger's file says")
  )
  it.effect("in another currency", () => isHeld({ currency: "USD" }, {}, "is in USD, and Tryton takes entries in EUR."))
  it.effect("without a currency", () => isHeld({ currency: null }, {}, "has no currency"))
  it.effect("with a tax code", () => isHeld({}, { chart: withRule({ taxCode: "VAT20" }) }, "has the tax code VAT20"))
})

describe("held once Tryton has said who it is", () => {
  it.effect("is an entry if the company's currency is another one", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        Object.assign(server.books.table("company.company")[0]!["currency"] as object, { code: "USD" })
        const verdict = yield* (yield* started(server))(message(1))
        assert.strictEqual(verdict._tag, "Held")
        assert.strictEqual(reasonOf(verdict), "Tryton keeps these books in USD, and SITELEDGER_TRYTON_CURRENCY is EUR.")
        assert.lengthOf(server.books.moves, 0)
      })
    )
  )

  it.effect("is an amount with more decimals than the currency", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const verdict = yield* (yield* started(server))(message(1, { amount: "0.0001" }))
        assert.strictEqual(verdict._tag, "Held")
        assert.strictEqual(reasonOf(verdict), "The amount 0.0001 has more decimals than EUR has in Tryton (2).")
        assert.lengthOf(server.books.moves, 0)
      })
    )
  )
})

describe("nothing reaches Tryton, not even an empty draft", () => {
  const unsent = (
    tag: "Refused" | "Unavailable",
    says: string,
    given: Parameters<typeof message>[1],
    options: Parameters<typeof started>[1] = {}
  ) =>
    inTryton((server) =>
      Effect.gen(function* () {
        const verdict = yield* (yield* started(server, options))(message(1, given))
        assert.strictEqual(verdict._tag, tag)
        assert.include(reasonOf(verdict), says)
        assert.lengthOf(server.books.moves, 0)
      })
    )

  it.effect("if the period is closed", () =>
    unsent("Refused", "no open period that contains 2026-02-28", { posting_date: "2026-02-28" })
  )
  it.effect("if there is no period", () =>
    unsent("Refused", "no open period that contains 2027-01-01", { posting_date: "2027-01-01" })
  )
  it.effect("if the account is unknown", () =>
    unsent("Refused", 'no active account with the code "cash"', { debit_account: "cash" })
  )
  it.effect("if the account is only a heading, or is closed", () =>
    Effect.gen(function* () {
      yield* unsent("Refused", 'no active account with the code "1"', { debit_account: "1" })
      yield* unsent("Refused", 'no active account with the code "1001"', { debit_account: "1001" })
    })
  )
  it.effect("if the party is unknown", () =>
    unsent(
      "Refused",
      'no active party with the name "Nowhere"',
      { credit_account: "receivable" },
      { chart: withRule({ counterparty: customer("Nowhere") }) }
    )
  )
  it.effect("if the party's name isn't only one's", () =>
    unsent(
      "Refused",
      'Tryton has 2 records with the name "Twin"',
      { credit_account: "receivable" },
      { chart: withRule({ counterparty: customer("Twin") }) }
    )
  )
  it.effect("if the account wants a party and none is named", () =>
    unsent("Refused", "Tryton wants a party on account 1400", { credit_account: "receivable" })
  )
  it.effect("if the journal is unknown", () =>
    unsent("Unavailable", "SITELEDGER_TRYTON_JOURNAL", {}, { journal: "GEN" })
  )
  it.effect("if the company is unknown", () =>
    unsent("Unavailable", "SITELEDGER_TRYTON_PARTY", {}, { company: "West Ltd" })
  )
})

describe("what a person adds in Tryton", () => {
  it.effect("counts with the next attempt", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const post = yield* started(server)
        assert.strictEqual((yield* post(message(1, { debit_account: "cash" })))._tag, "Refused")
        server.books
          .table("account.account")
          .push({ id: 25, code: "cash", company: { id: 1 }, type: 9, party_required: false })
        assert.deepStrictEqual(yield* post(message(1, { debit_account: "cash" })), taken)
      })
    )
  )
})
