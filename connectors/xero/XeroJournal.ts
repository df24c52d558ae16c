/**
 * An entry as a manual journal of Xero (XeroAPI/Xero-OpenAPI, xero_accounting.yaml: ManualJournal, ManualJournalLine),
 * and whether a journal in Xero is the entry's. Pure.
 *
 * Guarantees: amounts are exact decimals, never floats. The narration ends with the entry's id, by which the journal is
 * found again; nothing else in it can look like an id. What Xero can't keep unchanged isn't sent: `whyHeld` says why.
 */
import * as Amount from "../../src/Domain/Amount.ts"
import * as Json from "../../src/Domain/Json.ts"
import type { Voucher, VoucherLine } from "../../src/Ledger/Voucher.ts"

/** The organisation whose books Xero keeps. */
export interface Organisation {
  /** As in the chart; null if the chart names no companies. */
  readonly company: string | null
  /** ISO 4217. Manual journals are in the organisation's currency and name none. */
  readonly currency: string
}

/** A line of a journal in Xero. Texts are in lower case, because Xero's names are case-insensitive. */
export interface JournalLine {
  /** In ten-thousandths; undefined if it can't be read. */
  readonly units: bigint | undefined
  readonly account: string
  readonly taxType: string
  /** In the form of `trackingKey`. */
  readonly tracking: ReadonlyArray<string>
}

/** ManualJournalLine: "Any JournalLine can have a maximum of 2 <TrackingCategory> elements." */
const mostCategories = 2

/** Xero keeps amounts of lines with two decimals, and rounds others. */
const unitsOfCent = 100n

export const whyHeld = (voucher: Voucher, organisation: Organisation): string | undefined => {
  const { company, currency, lines } = voucher
  if (company !== organisation.company) {
    const taken = named(organisation.company)
    return `The entry belongs to ${named(company)}, and this Xero organisation takes entries of ${taken}.`
  }
  if (currency === null) return `The entry has no currency, and this Xero organisation is in ${organisation.currency}.`
  if (currency !== organisation.currency) {
    return `The entry is in ${currency}, and this Xero organisation is in ${organisation.currency}.`
  }
  if (lines.some(({ tracking }) => tracking.length > mostCategories)) {
    return `A line of the entry has more than ${mostCategories} tracking categories, which is the most that Xero takes.`
  }
  const fine = lines.find(({ units }) => units % unitsOfCent !== 0n)
  if (fine === undefined) return undefined
  const amount = Amount.sumOfUnits(fine.units < 0n ? -fine.units : fine.units)
  return `The entry's amount of ${amount} has more than two decimals, and Xero would round it.`
}

const named = (company: string | null): string => (company === null ? "no named company" : `the company ${company}`)

/** Longer texts are cut. */
const mostCharacters = 250

const short = (text: string): string => {
  const line = text.replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}\s]+/gu, " ").trim()
  const characters = [...line]
  return characters.length > mostCharacters ? `${characters.slice(0, mostCharacters - 1).join("")}…` : line
}

const opening = "[siteledger "
const marks = /\[siteledger ([0-9a-f]{32})\]/g

export const narrationOf = ({ id, narration }: Voucher): string =>
  `${short(narration).replaceAll(opening, "(siteledger ")} ${opening}${id}]`

/** The entry's id in a narration; undefined if there is none. People may have added text before and after it. */
export const entryIdIn = (narration: string): string | undefined => [...narration.matchAll(marks)].at(-1)?.[1]

/** The JSON of a request that creates a journal for each. */
export const bodyOf = (vouchers: ReadonlyArray<Voucher>): string =>
  Json.stringify({ ManualJournals: vouchers.map(journalOf) })

const journalOf = (voucher: Voucher) => ({
  Narration: narrationOf(voucher),
  Date: voucher.date,
  // Only with tax included in the amounts do the lines balance for any tax code.
  LineAmountTypes: voucher.lines.some(({ taxCode }) => taxCode !== null) ? "Inclusive" : "NoTax",
  Status: voucher.status === "posted" ? "POSTED" : "DRAFT",
  JournalLines: voucher.lines.map((line) => lineOf(line, voucher.reference))
})

const lineOf = ({ account, costCode, counterparty, taxCode, tracking, units }: VoucherLine, reference: string) => ({
  LineAmount: Json.parse(decimalOf(units)),
  AccountCode: account,
  // A manual journal has no contact and no cost code.
  Description: short([reference, counterparty?.name, costCode].filter(isText).join(", ")),
  ...(taxCode === null ? {} : { TaxType: taxCode }),
  ...(tracking.length === 0
    ? {}
    : { Tracking: tracking.map(({ category, option }) => ({ Name: category, Option: option })) })
})

const isText = (text: string | null | undefined): text is string => typeof text === "string" && text !== ""

/** With two decimals. */
const decimalOf = (units: bigint): string => Amount.sumOfUnits(units).slice(0, -2)

export const trackingKey = (category: string, option: string): string => `${category}: ${option}`.toLowerCase()

/** The same accounts with the same amounts, in any order, and the tax codes and tracking that were sent. */
export const isSame = ({ lines }: Voucher, theirs: ReadonlyArray<JournalLine>): boolean => {
  /** By position: our line. */
  const taken = new Map<number, VoucherLine>()
  // Two lines may be equal for Xero, and one of them may say more: each has to be matched with its own.
  const isPlaced = (own: VoucherLine, tried: Set<number>): boolean =>
    theirs.some((line, place) => {
      if (tried.has(place) || !isLike(own, line)) return false
      tried.add(place)
      const other = taken.get(place)
      if (other !== undefined && !isPlaced(other, tried)) return false
      taken.set(place, own)
      return true
    })
  return lines.length === theirs.length && lines.every((own) => isPlaced(own, new Set()))
}

const isLike = ({ account, taxCode, tracking, units }: VoucherLine, theirs: JournalLine): boolean =>
  theirs.units === units &&
  theirs.account === account.toLowerCase() &&
  (taxCode === null || theirs.taxType === taxCode.toLowerCase()) &&
  tracking.every(({ category, option }) => theirs.tracking.includes(trackingKey(category, option)))
