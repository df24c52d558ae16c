/**
 * The lines of entries that have more than two: what is due by a certificate together with what is held back and added,
 * and a payment from which something is withheld. Pure.
 *
 * They add up to zero despite rounding: shares are rounded, and the receivable (or the bank) takes the remainder.
 */
import { type Payable, payableOf, type PayableRules } from "../../../config/Payable.ts"
import type { Entry, Line, Terms } from "../Fact.ts"
import * as Lines from "../Lines.ts"
import type { Account } from "./Account.ts"

type Accounts = Pick<Entry, "credit_account" | "debit_account">

/** An employer's books mirror a contractor's. */
const sideOf = ({ settles }: Terms): bigint => (settles === "debit" ? -1n : 1n)

/** Of a payment's two accounts: the receivable (or payable) that payments settle, and the other one. */
export const settledOf = ({ credit_account, debit_account }: Accounts, { settles }: Terms) =>
  settles === "debit"
    ? { settled: debit_account, other: credit_account }
    : { settled: credit_account, other: debit_account }

const sharesOf = (shares: ReadonlyArray<bigint>, rules: PayableRules, standard: string, side: bigint) =>
  rules.map(({ account = standard }, index) => ({ account, units: -side * (shares[index] ?? 0n) }))

/** Everything that is due by a certificate. `accounts`: those of the accrual. */
export const ofCertificate = (
  { certified, payable, shares }: Payable,
  rules: PayableRules,
  { credit_account, debit_account }: Accounts,
  terms: Terms
): ReadonlyArray<Line> => {
  const side = sideOf(terms)
  const [receivable, revenue] = side === 1n ? [debit_account, credit_account] : [credit_account, debit_account]
  return Lines.summed([
    { account: receivable, units: side * payable },
    ...sharesOf(shares, rules, revenue, side),
    { account: revenue, units: -side * certified }
  ])
}

interface Of {
  /** What is already posted there. */
  readonly posted: ReadonlyArray<Entry>
  /** What is posted in addition. */
  readonly units: bigint
  /** The smallest amount of the currency. */
  readonly unit: bigint
}

/** What an entry of a payment moves; null if nothing is withheld from it. */
export const ofPayment = (account: Account, { posted, unit, units }: Of, terms: Terms): Entry["lines"] => {
  const { withheld } = account
  if (withheld.length === 0) return null
  const all = posted.reduce((sum, entry) => sum + entry.units, units)
  const side = sideOf(terms)
  const { other, settled } = settledOf(account, terms)
  const { payable, shares } = payableOf(all, withheld, unit)
  const lines = [
    { account: other, units: side * payable },
    ...sharesOf(shares, withheld, other, side),
    { account: settled, units: -side * all }
  ]
  return orNull({ ...account, units }, [...lines, ...posted.flatMap((entry) => Lines.negated(Lines.of(entry)))])
}

/** Null if they are just the entry's own two accounts. */
export const orNull = (
  entry: Accounts & Pick<Entry, "units">,
  lines: ReadonlyArray<Line>
): ReadonlyArray<Line> | null => {
  const all = Lines.summed(lines)
  const own = Lines.summed(Lines.of({ ...entry, lines: null }))
  return Lines.toText(all) === Lines.toText(own) ? null : all
}
