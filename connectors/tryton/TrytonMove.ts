/**
 * A voucher as an account move of Tryton, and whether a stored move is the same. Pure.
 *
 * Guarantees: amounts are exact decimals of the currency. What Tryton can't hold unchanged (another company's or
 * currency's money, a tax without its amount, too many decimals) is named in one sentence and never sent.
 */
import { Schema } from "effect"
import * as Amount from "../../src/Domain/Amount.ts"
import type { Voucher, VoucherLine } from "../../src/Ledger/Voucher.ts"

/** The books of the one Tryton company. */
export interface Books {
  /** As named in the ledger's file; null if it names none. */
  readonly company: string | null
  readonly currency: string
}

/** As in Tryton. */
export interface Company {
  readonly id: number
  readonly currency: string
  /** Decimals of the currency. */
  readonly digits: number
}

/** Checked before Tryton is asked. One sentence; undefined if it can be sent. */
export const whyHeld = (voucher: Voucher, { company, currency }: Books): string | undefined => {
  if (voucher.company !== company) return foreign(voucher.company, company)
  if (voucher.currency === null) return `This entry has no currency, and Tryton takes entries in ${currency}.`
  if (voucher.currency !== currency)
    return `This entry is in ${voucher.currency}, and Tryton takes entries in ${currency}.`
  const taxed = voucher.lines.find(({ taxCode }) => taxCode !== null)
  if (taxed === undefined) return undefined
  return (
    `The line on account ${taxed.account} has the tax code ${taxed.taxCode}, which Tryton takes only with an amount of tax, ` +
    "and the ledger has none. Remove taxCode from the ledger's file."
  )
}

const foreign = (own: string | null, company: string | null): string => {
  const books = company === null ? "SITELEDGER_TRYTON_COMPANY isn't set" : `Tryton has those of ${company}`
  return own === null
    ? `Nothing in the ledger's file says whose books this entry belongs to, and ${books}.`
    : `This entry belongs to the books of ${own}, and ${books}.`
}

/** Checked once Tryton has said which company it is. */
export const whyHeldBy = (company: Company, { lines }: Voucher, { currency }: Books): string | undefined => {
  if (company.currency !== currency)
    return `Tryton keeps these books in ${company.currency}, and SITELEDGER_TRYTON_CURRENCY is ${currency}.`
  const fine = lines.find(({ units }) => decimalOf(units, company.digits) === undefined)
  if (fine === undefined) return undefined
  const amount = Amount.sumOfUnits(magnitude(fine.units))
  return `The amount ${amount} has more decimals than ${currency} has in Tryton (${company.digits}).`
}

const magnitude = (units: bigint): bigint => (units < 0n ? -units : units)

/** As text with this many decimals; undefined if the amount has more. */
export const decimalOf = (units: bigint, digits: number): string | undefined => {
  const [whole = "", fraction = ""] = Amount.sumOfUnits(units).split(".")
  if (!/^0*$/.test(fraction.slice(digits))) return undefined
  return digits === 0 ? whole : `${whole}.${fraction.slice(0, digits).padEnd(digits, "0")}`
}

/** Tryton's JSON for a number without a float. */
const decimal = (units: bigint, digits: number) => ({
  __class__: "Decimal",
  decimal: decimalOf(units, digits) ?? ""
})

/** Tryton's JSON for a day. */
export const dayOf = (date: string) => {
  const [year, month, day] = date.split("-").map(Number)
  return { __class__: "date", year, month, day }
}

/** By this a move is found again. */
export const markOf = (entryId: string): string => `[siteledger ${entryId}]`

/** Later versions of Tryton refuse other white space. */
const onOneLine = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, " ").trim()

/** Without lines. The numbers are Tryton's own. */
export const moveOf = (
  voucher: Voucher,
  ids: { readonly company: number; readonly journal: number; readonly period: number }
) => ({
  ...ids,
  date: dayOf(voucher.date),
  description: onOneLine(`${voucher.narration} ${markOf(voucher.id)}`)
})

/** Tryton's own numbers of what a line names. */
export interface LineIds {
  readonly account: number
  /** Null if the account takes none. */
  readonly party: number | null
}

/** A line with the numbers of what it names. */
export interface IdentifiedLine {
  readonly line: VoucherLine
  readonly ids: LineIds
}

/** In the form in which lines are written into a move. */
export const linesOf = (lines: ReadonlyArray<IdentifiedLine>, digits: number) =>
  [["create", lines.map((line) => lineOf(line, digits))]] as const

const lineOf = ({ ids: { account, party }, line }: IdentifiedLine, digits: number) => {
  const description = descriptionOf(line, party !== null)
  return {
    account,
    debit: decimal(line.units > 0n ? line.units : 0n, digits),
    credit: decimal(line.units < 0n ? -line.units : 0n, digits),
    ...(party === null ? {} : { party }),
    ...(description === "" ? {} : { description })
  }
}

/** What has no field in Tryton's account module. */
const descriptionOf = ({ costCode, counterparty, tracking }: VoucherLine, hasParty: boolean): string =>
  onOneLine(
    [
      ...(counterparty === null || hasParty ? [] : [counterparty.name]),
      ...tracking.map(({ category, option }) => `${category}: ${option}`),
      ...(costCode === null ? [] : [`cost code ${costCode}`])
    ].join("; ")
  )

const Money = Schema.Struct({ decimal: Schema.String })

const Stored = Schema.Struct({
  id: Schema.Int,
  state: Schema.String,
  /** What it was made from; a move that cancels another names the other one. */
  origin: Schema.NullOr(Schema.String),
  _timestamp: Schema.Unknown,
  "lines.": Schema.Array(Schema.Struct({ account: Schema.Int, debit: Money, credit: Money }))
})
export type Stored = typeof Stored.Type

/** The fields that `readStored` needs. */
export const storedFields = ["state", "origin", "_timestamp", "lines.account", "lines.debit", "lines.credit"] as const

export const readStored = Schema.decodeUnknownOption(Stored)

/** Tryton created it to cancel another move, and copied that one's description. */
export const isCancelling = ({ origin }: Stored): boolean => origin?.startsWith("account.move,") === true

/** Whether it debits and credits the same accounts with the same amounts. `accounts`: Tryton's numbers, by line. */
export const isSame = (stored: Stored, { lines }: Voucher, accounts: ReadonlyArray<number>): boolean => {
  const sent = lines.map(({ units }, index) => movement(accounts[index], units))
  const there = stored["lines."].map(({ account, credit, debit }) => movement(account, unitsOf(debit, credit)))
  return sent.toSorted().join() === there.toSorted().join()
}

/** Undefined if they have more decimals or digits than any amount of the ledger. */
const unitsOf = (debit: typeof Money.Type, credit: typeof Money.Type): bigint | undefined => {
  const [debited, credited] = [debit, credit].map((money) => Amount.read(money.decimal, Amount.Money))
  return debited === undefined || credited === undefined
    ? undefined
    : Amount.toUnits(debited) - Amount.toUnits(credited)
}

const movement = (account: number | undefined, units: bigint | undefined): string => `${account} ${units}`
