/** What a real Tryton's own API shows, as a person would read it there: moves with their lines, and the trial balance. */
import type { Chart } from "../../../config/Chart.ts"
import { markOf } from "../../../connectors/tryton/TrytonMove.ts"
import * as Amount from "../../../src/Domain/Amount.ts"
import { eventually } from "../../Radosgw/Daemons.ts"
import type { RealTryton } from "./RealTryton.ts"
import { idOf, linesText } from "../Entries.ts"
import { chart as plainChart, customer, withRule } from "./TrytonWorld.ts"

interface Money {
  readonly decimal: string
}

interface Line {
  readonly "account.": { readonly code: string }
  readonly "party.": { readonly name: string } | null
  readonly debit: Money
  readonly credit: Money
  readonly description: string | null
}

export interface Move {
  readonly id: number
  readonly state: string
  readonly date: unknown
  readonly description: string
  readonly "journal.": { readonly code: string }
  readonly "lines.": ReadonlyArray<Line>
}

interface Total {
  readonly "account.": { readonly code: string | null }
  readonly debit: Money
  readonly credit: Money
}

/** By number: amounts of several sizes, and lines on more than two accounts, some by their codes. */
export const entries = [
  { number: 1, amount: "0.0100", status: "draft" },
  { number: 2, amount: "999999999999.9900", status: "posted" },
  { number: 3, amount: "1234.5000", status: "posted" },
  { number: 4, amount: "-1234.5000", status: "posted" },
  { number: 5, amount: "-0.0100", status: "draft" },
  {
    number: 6,
    amount: "1000.0000",
    status: "posted",
    lines: linesText(["receivable", "1140.0000"], ["5000", "50.0000"], ["income", "-1000.0000"], ["1700", "-190.0000"])
  },
  {
    number: 7,
    amount: "-1000.0000",
    status: "draft",
    lines: linesText(["receivable", "-950.0000"], ["1700", "-50.0000"], ["income", "1000.0000"])
  }
] as const

/** The receivable account wants a party. */
export const chart: Chart = {
  ...withRule({ counterparty: customer("City of Springfield"), tracking: { Site: "{project}" } }),
  accounts: plainChart.accounts
}

export const units = ({ decimal }: Money): bigint => Amount.toUnits(Amount.read(decimal, Amount.Money) ?? "")

const lineFields = ["account.code", "party.name", "debit", "credit", "description"].map((field) => `lines.${field}`)

/** Of this entry. */
export const movesOf = (tryton: RealTryton, number: number): Promise<ReadonlyArray<Move>> =>
  tryton.rows<Move>(
    "account.move",
    [["description", "like", `%${markOf(idOf(number))}%`]],
    ["state", "date", "description", "journal.code", ...lineFields]
  )

/** State and number of lines of each. */
export const shapesOf = (found: ReadonlyArray<Move>) => found.map((move) => [move.state, move["lines."].length])

/** Debit and credit by account, of drafts, too. */
export const trialBalance = async (
  tryton: RealTryton
): Promise<Readonly<Record<string, readonly [bigint, bigint]>>> => {
  const context = { fiscalyear: tryton.fiscalyears[0], posted: false }
  const fields = ["account.code", "debit", "credit"]
  const totals = await tryton.rows<Total>("account.general_ledger.account", [], fields, context)
  return Object.fromEntries(
    totals.flatMap(({ "account.": { code }, credit, debit }) =>
      units(debit) === 0n && units(credit) === 0n ? [] : [[code ?? "", [units(debit), units(credit)] as const]]
    )
  )
}

/** Until Tryton would give a change of the move another time: on SQLite it counts seconds. */
export const untilLater = async (tryton: RealTryton, number: number): Promise<void> => {
  const described = [["description", "like", `%${markOf(idOf(number))}%`]]
  const [move] = await tryton.rows<{ readonly _timestamp: string }>("account.move", described, ["_timestamp"])
  await eventually("the next second", async () => {
    if (Date.now() < (Number(move?._timestamp) + 1) * 1000) throw new Error("not yet")
  })
}
