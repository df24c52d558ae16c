/**
 * What becomes of an entry in Tryton: a move with its journal, period, date, accounts, parties and exact amounts, in
 * the right company.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { decimalOf } from "../../../connectors/tryton/TrytonMove.ts"
import { idOf } from "../Entries.ts"
import { customer, inTryton, message, reasonOf, started, taken, withRule } from "./TrytonWorld.ts"

const decimal = (text: string) => ({ __class__: "Decimal", decimal: text })

describe("an entry", () => {
  it.effect("becomes a move of its day in the journal, and is posted", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const post = yield* started(server)
        assert.deepStrictEqual(yield* post(message(1)), taken)
        assert.lengthOf(server.books.moves, 1)
        const { date, description, journal, lines, period, state } = server.books.moves[0]!
        assert.deepStrictEqual(
          { date, description, journal, period, state },
          {
            date: { __class__: "date", year: 2026, month: 3, day: 1 },
            description: `IPC IPC-1, PAY-1 [siteledger ${idOf(1)}]`,
            journal: 5,
            period: 12,
            state: "posted"
          }
        )
        assert.deepStrictEqual(
          lines.map(({ account, credit, debit }) => ({ account, credit, debit })),
          [
            { account: 21, debit: decimal("1250.00"), credit: decimal("0.00") },
            { account: 23, debit: decimal("0.00"), credit: decimal("1250.00") }
          ] as never
        )
      })
    )
  )

  it.effect("that is a draft stays one", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* (yield* started(server))(message(1, { status: "draft" })), taken)
        assert.deepStrictEqual(
          server.books.moves.map(({ lines, state }) => [state, lines.length]),
          [["draft", 2]]
        )
        assert.strictEqual(server.count("account.move.post"), 0)
      })
    )
  )

  it.effect.each([
    { amount: "0.0100", debit: "0.01" },
    { amount: "999999999999.9900", debit: "999999999999.99" },
    { amount: "1234.5000", debit: "1234.50" },
    { amount: "123456789012345678901234.5600", debit: "123456789012345678901234.56" }
  ])("of $amount keeps every digit, and changes sides below zero", ({ amount, debit }) =>
    inTryton((server) =>
      Effect.gen(function* () {
        const post = yield* started(server)
        assert.deepStrictEqual(yield* post(message(1, { amount })), taken)
        assert.deepStrictEqual(yield* post(message(2, { amount: `-${amount}` })), taken)
        assert.deepStrictEqual(
          server.books.moves.map(({ lines }) =>
            lines.map((line) => [line.account, line.debit.decimal, line.credit.decimal])
          ),
          [
            [
              [21, debit, "0.00"],
              [23, "0.00", debit]
            ],
            [
              [23, debit, "0.00"],
              [21, "0.00", debit]
            ]
          ]
        )
      })
    )
  )

  it.effect("names the party where the account wants one, and tells the rest in words", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const tracking = { Site: "{project}", Phase: "A\n1" }
        const given = withRule({ counterparty: customer("City of Springfield"), costCode: "4711", tracking })
        const post = yield* started(server, { chart: given })
        assert.deepStrictEqual(yield* post(message(1, { credit_account: "receivable" })), taken)
        assert.deepStrictEqual(
          server.books.moves[0]?.lines.map(({ account, description, party }) => ({ account, description, party })),
          [
            { account: 21, description: "City of Springfield; Site: 7; Phase: A 1; cost code 4711", party: undefined },
            { account: 22, description: "Site: 7; Phase: A 1; cost code 4711", party: 31 }
          ]
        )
      })
    )
  )

  it("has as many decimals as its currency", () => {
    assert.deepStrictEqual(
      [decimalOf(12_500_000n, 0), decimalOf(12_500_000n, 3), decimalOf(12_345_678n, 4), decimalOf(1n, 6)],
      ["1250", "1250.000", "1234.5678", "0.000100"]
    )
    assert.isUndefined(decimalOf(12_505_000n, 0))
  })
})

describe("a company", () => {
  it.effect("is chosen by its party's name where the user has several", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const companies = server.books.table("company.company")
        companies.unshift({ ...companies[0]!, id: 2, party: { id: 2, name: "South Ltd" } })
        server.books.preferences = { companies: [1, 2], company: 2, company_filter: "all" }
        const undecided = yield* (yield* started(server))(message(1))
        assert.strictEqual(undecided._tag, "Unavailable")
        assert.include(reasonOf(undecided), "sees several companies")
        assert.deepStrictEqual(yield* (yield* started(server, { company: "North Ltd" }))(message(1)), taken)
        assert.deepStrictEqual(
          server.books.moves.map(({ lines }) => lines.map(({ account }) => account)),
          [[21, 23]]
        )
      })
    )
  )

  it.effect("is the user's current one, if others aren't shown", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const companies = server.books.table("company.company")
        companies.unshift({ ...companies[0]!, id: 2, party: { id: 2, name: "South Ltd" } })
        assert.deepStrictEqual(yield* (yield* started(server))(message(1)), taken)
        const other = yield* (yield* started(server, { company: "South Ltd" }))(message(2))
        assert.strictEqual(other._tag, "Unavailable")
        assert.include(reasonOf(other), "make it the user's current company")
        server.books.preferences = { companies: [1] }
        const none = yield* (yield* started(server))(message(2))
        assert.strictEqual(none._tag, "Unavailable")
        assert.include(reasonOf(none), "has no current company")
        assert.lengthOf(server.books.moves, 1)
      })
    )
  )
})
