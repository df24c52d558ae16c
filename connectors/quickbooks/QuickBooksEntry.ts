/**
 * A voucher as a JournalEntry of QuickBooks Online, and whether a stored entry is the same. Pure.
 *
 * Guarantees: amounts are written as exact decimals. What QuickBooks can't hold unchanged (a fraction of a cent, a tax
 * without its amount, another company's or currency's money) is named in one sentence and never sent.
 */
import { Schema } from "effect"
import * as Amount from "../../src/Domain/Amount.ts"
import * as Json from "../../src/Domain/Json.ts"
import type { Voucher, VoucherLine } from "../../src/Ledger/Voucher.ts"

/** The entry is found again by this number; QuickBooks accepts 21 characters. */
export const docNumberOf = (entryId: string): string => `SL-${entryId.slice(0, 18)}`

/**
 * For the same id QuickBooks may repeat its first answer, even a refusal. A refused request stored nothing, so the next
 * one may have another id, and what a person has fixed since takes effect.
 */
export const requestIdOf = (entryId: string, refusals: number): string =>
  refusals === 0 ? entryId : `${entryId}-${refusals}`

/** The company in QuickBooks. */
export interface Company {
  /** As named in the ledger's file; null if it names none. */
  readonly company: string | null
  readonly currency: string
}

/** One sentence; undefined if QuickBooks can take it. */
export const whyHeld = (voucher: Voucher, { company, currency }: Company): string | undefined => {
  if (voucher.company !== company) return foreign(voucher.company, company)
  if (voucher.currency === null) return `This entry has no currency, and QuickBooks takes entries in ${currency}.`
  if (voucher.currency !== currency)
    return `This entry is in ${voucher.currency}, and QuickBooks takes entries in ${currency}.`
  return voucher.lines.map(whyLineHeld).find((why) => why !== undefined)
}

const foreign = (own: string | null, company: string | null): string => {
  const books = company === null ? "SITELEDGER_QUICKBOOKS_COMPANY isn't set" : `QuickBooks has those of ${company}`
  return own === null
    ? `Nothing in the ledger's file says whose books this entry belongs to, and ${books}.`
    : `This entry belongs to the books of ${own}, and ${books}.`
}

const whyLineHeld = ({ account, taxCode, tracking, units }: VoucherLine): string | undefined => {
  if (taxCode !== null)
    return (
      `The line on account ${account} has the tax code ${taxCode}, which QuickBooks takes only with an amount of tax, ` +
      "and the ledger has none. Remove taxCode from the ledger's file."
    )
  const strange = tracking.find(({ category }) => !(category in tracked))
  if (strange !== undefined)
    return (
      `The line on account ${account} has the tracking category ${strange.category}, and QuickBooks has Class and ` +
      "Location. Name one of them in the ledger's file."
    )
  return cents(units) === undefined
    ? `The amount ${Amount.sumOfUnits(magnitude(units))} has a fraction of a cent, which QuickBooks can't hold.`
    : undefined
}

/** The reference of a line that a tracking category becomes. */
export const tracked = { Class: "ClassRef", Location: "DepartmentRef" } as const

const magnitude = (units: bigint): bigint => (units < 0n ? -units : units)

/** As text with two decimals. */
const cents = (units: bigint): string | undefined => {
  const positive = magnitude(units)
  if (positive % 100n !== 0n) return undefined
  const digits = String(positive / 100n).padStart(3, "0")
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`
}

const sideOf = (units: bigint) => (units > 0n ? "Debit" : "Credit")

/** QuickBooks' own ids of what a line names. */
export interface LineIds {
  readonly account: string
  readonly counterparty: string | null
  readonly tracking: ReadonlyArray<{ readonly reference: (typeof tracked)[keyof typeof tracked]; readonly id: string }>
}

/** A line with the ids of what it names. */
export interface IdentifiedLine {
  readonly line: VoucherLine
  readonly ids: LineIds
}

const entityTypes = { customer: "Customer", vendor: "Vendor" } as const

const lineOf = ({ ids, line }: IdentifiedLine, narration: string) => ({
  // Keeps its digits as written here.
  Amount: Json.parse(cents(line.units) ?? ""),
  Description: cut(line.costCode === null ? narration : `${narration} (cost code ${line.costCode})`, mostCharacters),
  DetailType: "JournalEntryLineDetail",
  JournalEntryLineDetail: {
    PostingType: sideOf(line.units),
    AccountRef: { value: ids.account },
    ...(line.counterparty === null || ids.counterparty === null
      ? {}
      : { Entity: { Type: entityTypes[line.counterparty.kind], EntityRef: { value: ids.counterparty } } }),
    ...Object.fromEntries(ids.tracking.map(({ id, reference }) => [reference, { value: id }]))
  }
})

/** For a note and for a description. */
const mostCharacters = 4000
/** Leaves room for the id. */
const mostNarration = 3900

const cut = (text: string, most: number): string => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

/** JSON. `currency`: set if QuickBooks keeps several. */
export const bodyOf = (
  { date, id, narration }: Voucher,
  lines: ReadonlyArray<IdentifiedLine>,
  currency: string | undefined
): string =>
  Json.stringify({
    TxnDate: date,
    DocNumber: docNumberOf(id),
    PrivateNote: `${cut(narration, mostNarration)} (siteledger ${id})`,
    ...(currency === undefined ? {} : { CurrencyRef: { value: currency } }),
    Line: lines.map((line) => lineOf(line, narration))
  })

const Stored = Schema.Struct({
  Id: Schema.String,
  Line: Schema.Array(
    Schema.Struct({
      Amount: Schema.optional(Schema.Unknown),
      // A line that is only a description has no such detail.
      JournalEntryLineDetail: Schema.optional(
        Schema.Struct({ PostingType: Schema.String, AccountRef: Schema.Struct({ value: Schema.String }) })
      )
    })
  )
})
export type Stored = typeof Stored.Type

export const readStored = Schema.decodeUnknownOption(Stored)

/** Whether it debits and credits the same accounts with the same amounts. `accounts`: QuickBooks' ids, by line. */
export const isSame = (stored: Stored, { lines }: Voucher, accounts: ReadonlyArray<string>): boolean => {
  const sent = lines.map(({ units }, index) =>
    movement(sideOf(units), accounts[index], Amount.sumOfUnits(magnitude(units)))
  )
  const there = stored.Line.flatMap(({ Amount: amount, JournalEntryLineDetail: detail }) =>
    detail === undefined
      ? []
      : [movement(detail.PostingType, detail.AccountRef.value, Amount.read(amount, Amount.Money))]
  )
  return sent.toSorted().join() === there.toSorted().join()
}

const movement = (side: string, account: string | undefined, amount: string | undefined): string =>
  `${side} ${account} ${amount}`
