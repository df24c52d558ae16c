/**
 * The lines of an entry: what it moves on each account. Pure.
 *
 * Guarantees: they add up to zero, none is zero, and each account has one.
 */
import * as Amount from "../Domain/Amount.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import type { Entry, Line } from "./Fact.ts"

export type Columns = Pick<StoreTables["ledger_entries"], "amount" | "credit_account" | "debit_account" | "lines">

/** The lines of a row. */
export const inRow = ({ amount, credit_account, debit_account, lines }: Columns): ReadonlyArray<Line> =>
  of({ credit_account, debit_account, units: Amount.toUnits(amount), lines: lines === null ? null : parsed(lines) })

export const of = ({
  credit_account,
  debit_account,
  lines,
  units
}: Pick<Entry, "credit_account" | "debit_account" | "lines" | "units">): ReadonlyArray<Line> =>
  lines ?? [
    { account: debit_account, units },
    { account: credit_account, units: -units }
  ]

/** In the order in which they are stored as text. */
export const summed = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => {
  const sums: Record<string, bigint> = Object.fromEntries(lines.map(({ account }) => [account, 0n]).toSorted())
  for (const { account, units } of lines) sums[account] = (sums[account] ?? 0n) + units
  return Object.entries(sums).flatMap(([account, units]) => (units === 0n ? [] : [{ account, units }]))
}

export const negated = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> =>
  lines.map(({ account, units }) => ({ account, units: -units }))

/** Debited lines first, as people expect. */
export const inOrder = (lines: ReadonlyArray<Line>): ReadonlyArray<Line> => [
  ...lines.filter(({ units }) => units > 0n),
  ...lines.filter(({ units }) => units < 0n)
]

/** A line as documents show it: its debit and its credit, one of which is zero. */
export const sidesOf = ({ account, units }: Line) => ({
  account,
  debit: Amount.sumOfUnits(units > 0n ? units : 0n),
  credit: Amount.sumOfUnits(units < 0n ? -units : 0n)
})

/** For people: the debited account and the credited one, or, if there are more, all of them with their amounts. */
export const inWords = (row: Columns): string =>
  row.lines === null ? `${row.debit_account} / ${row.credit_account}` : withAmounts(inRow(row))

/** First what is debited, then what is credited. */
export const withAmounts = (lines: ReadonlyArray<Line>): string => {
  const side = (some: ReadonlyArray<Line>): string =>
    some.map(({ account, units }) => `${account} ${Amount.sumOfUnits(units < 0n ? -units : units)}`).join(" + ")
  return `${side(lines.filter(({ units }) => units > 0n))} / ${side(lines.filter(({ units }) => units < 0n))}`
}

export const toText = (lines: ReadonlyArray<Line>): string =>
  JSON.stringify(Object.fromEntries(lines.map(({ account, units }) => [account, amountOf(units)])))

const amountOf = (units: bigint): string => {
  const text = Amount.ofUnits(units)
  if (text === undefined) throw new RangeError(`${units} ten-thousandths don't fit an amount`)
  return text
}

/** Reads what `toText` has written. */
export const parsed = (text: string): ReadonlyArray<Line> =>
  Object.entries(JSON.parse(text) as Readonly<Record<string, string>>).map(([account, amount]) => ({
    account,
    units: Amount.toUnits(amount)
  }))
