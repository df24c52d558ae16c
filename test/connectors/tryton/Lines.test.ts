/**
 * An entry with more than two lines in Tryton: each line with the account, the party and the texts of its account; and
 * an existing move is compared line by line.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Chart, LineRule } from "../../../config/Chart.ts"
import { accrued, linesText, takenBack, withheld } from "../Entries.ts"
import type { StandIn } from "./StandIn.ts"
import type { Line } from "./StandInBooks.ts"
import { chart, customer, inTryton, message, reasonOf, started, taken } from "./TrytonWorld.ts"

const rule: LineRule = { account: null, projects: [], taxCode: null, costCode: null, counterparty: null, tracking: {} }

/** The account of `receivable` wants a party. */
const laidOut: Chart = {
  ...chart,
  accounts: {
    ...chart.accounts,
    retention: "1410",
    revenue: "4000",
    VAT: "1776",
    withholding: "1420"
  },
  lines: [
    { ...rule, account: "receivable", counterparty: customer("City of Springfield") },
    { ...rule, account: "revenue", costCode: "03", tracking: { Site: "{project}" } }
  ]
}

/** Tryton has the accounts of the chart. */
const opened = (server: StandIn): void => {
  for (const [id, code] of [
    [41, "1410"],
    [42, "1776"],
    [43, "1420"]
  ] as const)
    server.books.table("account.account").push({ id, code, company: { id: 1 }, type: 9, party_required: false })
}

const start = (server: StandIn, of = laidOut) =>
  Effect.suspend(() => {
    opened(server)
    return started(server, { chart: of })
  })

const shown = ({ account, credit, debit }: Line): string => `${account} ${debit.decimal} ${credit.decimal}`

describe("an entry with more than two lines", () => {
  it.effect("is one posted move with all of them, each by the rules of its account", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const post = yield* start(server)
        assert.deepStrictEqual(yield* post(message(1, accrued)), taken)
        const [move, ...more] = server.books.moves
        assert.deepStrictEqual(more, [])
        assert.strictEqual(move?.state, "posted")
        assert.deepStrictEqual(
          move?.lines.map((line) => [shown(line), line.party, line.description]),
          [
            ["22 1140.00 0.00", 31, undefined],
            ["41 50.00 0.00", undefined, undefined],
            ["23 0.00 1000.00", undefined, "Site: 7; cost code 03"],
            ["42 0.00 190.00", undefined, undefined]
          ]
        )
      })
    )
  )

  it.effect.each([
    {
      what: "taken back",
      given: takenBack,
      expected: ["23 1000.00 0.00", "42 190.00 0.00", "22 0.00 1140.00", "41 0.00 50.00"]
    },
    {
      what: "a payment with a tax withheld",
      given: withheld,
      expected: ["21 95.00 0.00", "43 5.00 0.00", "22 0.00 100.00"]
    },
    {
      what: "of 24 digits",
      given: {
        lines: linesText(
          ["bank", "123456789012345678901234.5600"],
          ["VAT", "-0.5600"],
          ["revenue", "-123456789012345678901234.0000"]
        )
      },
      expected: ["21 123456789012345678901234.56 0.00", "42 0.00 0.56", "23 0.00 123456789012345678901234.00"]
    }
  ])("$what has its exact amounts, debits first", ({ expected, given }) =>
    inTryton((server) =>
      Effect.gen(function* () {
        const post = yield* start(server)
        assert.deepStrictEqual(yield* post(message(1, given)), taken)
        assert.deepStrictEqual(
          server.books.moves.map(({ lines }) => lines.map(shown)),
          [expected]
        )
      })
    )
  )

  it.effect("is held if one of its amounts has more decimals than the currency", () =>
    inTryton((server) =>
      Effect.gen(function* () {
        const lines = linesText(["bank", "1.0000"], ["VAT", "-0.0050"], ["revenue", "-0.9950"])
        const verdict = yield* (yield* start(server))(message(1, { lines }))
        assert.strictEqual(verdict._tag, "Held")
        assert.include(reasonOf(verdict), "The amount 0.0050 has more decimals than EUR")
        assert.lengthOf(server.books.moves, 0)
      })
    )
  )

  it.effect.each([
    { what: "names no party", of: { ...laidOut, lines: [] }, says: "Tryton wants a party on account 1400" },
    {
      what: "has an unknown account",
      of: { ...laidOut, accounts: { ...laidOut.accounts, VAT: "2200" } },
      says: 'no active account with the code "2200"'
    }
  ])("is refused before Tryton has a trace of it if one of its lines $what", ({ of, says }) =>
    inTryton((server) =>
      Effect.gen(function* () {
        const verdict = yield* (yield* start(server, of))(message(1, accrued))
        assert.strictEqual(verdict._tag, "Refused")
        assert.include(reasonOf(verdict), says)
        assert.lengthOf(server.books.moves, 0)
      })
    )
  )

  const found = (change: (lines: Array<Line>) => Array<Line>) =>
    inTryton((server) =>
      Effect.gen(function* () {
        const post = yield* start(server)
        yield* post(message(1, accrued))
        const [move] = server.books.moves
        assert.isDefined(move)
        move.lines = change(move.lines)
        const verdict = yield* post(message(1, accrued))
        assert.lengthOf(server.books.moves, 1)
        return verdict._tag
      })
    )

  const decimal = (text: string) => ({ __class__: "Decimal", decimal: text })

  it.effect("is found again, with its lines in any order", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found((lines) => lines.toReversed()), "Taken")
    })
  )

  it.effect.each([
    { what: "a line less", change: (lines: Array<Line>) => lines.slice(1) },
    { what: "a line more", change: (lines: Array<Line>) => [...lines, { ...lines[0]!, debit: decimal("0") }] },
    {
      what: "amounts moved between two lines, which leaves the total",
      change: ([first, second, ...rest]: Array<Line>) => [
        { ...first!, debit: decimal("1130") },
        { ...second!, debit: decimal("60") },
        ...rest
      ]
    },
    {
      what: "another account on one line",
      change: ([first, ...rest]: Array<Line>) => [{ ...first!, account: 21 }, ...rest]
    }
  ])("with $what in Tryton is refused", ({ change }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* found(change), "Refused")
    })
  )
})
