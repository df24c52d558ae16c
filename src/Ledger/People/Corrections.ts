/**
 * What a person adds to the books or reverses, checked before it becomes a fact.
 */
import { Result } from "effect"
import { isCurrency, isNoCurrency } from "../../../config/Currency.ts"
import * as Parse from "../../../config/Parse.ts"
import * as Amount from "../../Domain/Amount.ts"
import type { Instant } from "../../Domain/Instant.ts"
import type { NewFact } from "../Books.ts"
import type { Entry, Terms } from "../Fact.ts"
import type { Books } from "../Fold/Known.ts"
import { isBeingTakenBack, isGone } from "../Fold/SecondPerson.ts"
import { written } from "./Decide.ts"

interface ByPerson {
  readonly by: string
  readonly reason: string
}

export interface Posting extends ByPerson {
  readonly ipcId: string
  /** As the person wrote it. */
  readonly amount: string
  readonly evidence: string
  /** Undefined for the payment's currency. */
  readonly currency: string | undefined
  /** Undefined for the IPC's payment. */
  readonly reference: string | undefined
  /** Undefined for the configured account. */
  readonly debit: string | undefined
  readonly credit: string | undefined
}

/** The fact, or a sentence for the person that says what is wrong. */
export const postingOf = (posting: Posting, books: Books | undefined, terms: Terms, now: Instant): NewFact | string => {
  const { amount, by, evidence, ipcId, reason } = posting
  if (books === undefined) {
    return `No IPC ${ipcId} is known. If the id is right, sign off its certificate first (\`siteledger ledger opening\`).`
  }
  const unsigned = unsignedBy(posting)
  if (unsigned !== undefined) return unsigned
  if (evidence.trim() === "") return "Say what proves it (--evidence)."
  const reference = posting.reference ?? books.payments[0]?.reference ?? evidence
  const currency = currencyOf(posting, reference, books, terms)
  if (typeof currency === "string") return currency
  const units = written(amount, currency.currency, terms)
  if (typeof units === "string") return units
  if (units === 0n) return "The amount is zero: there is nothing to post."
  const accounts = accountsOf(posting, terms)
  if (typeof accounts === "string") return accounts
  const needsSecond = isAbove(units, terms)
  return {
    kind: "posting",
    ipcId,
    knownAt: now,
    units,
    ...currency,
    ...accounts,
    reference,
    evidence,
    by,
    reason,
    needsSecond
  }
}

interface Accounts {
  readonly debit?: string
  readonly credit?: string
}

/** As part of the fact, or a sentence for the person. */
const accountsOf = ({ credit, debit }: Posting, { creditAccount, debitAccount }: Terms): Accounts | string => {
  for (const name of [debit, credit]) {
    const read = name === undefined ? Result.succeed("") : Parse.account(name)
    if (name === "" || Result.isFailure(read)) return "An account has up to 64 characters, and no line breaks."
  }
  if ((debit ?? debitAccount) === (credit ?? creditAccount)) return "An entry needs two different accounts."
  return { ...(debit === undefined ? {} : { debit }), ...(credit === undefined ? {} : { credit }) }
}

interface Currency {
  readonly currency: string | null
}

/** As part of the fact, or a sentence for the person. */
const currencyOf = (
  { currency: given }: Posting,
  reference: string,
  { entries, project }: Books,
  { currencies, currency }: Terms
): Currency | string => {
  if (given !== undefined && !isCurrency(given)) return isNoCurrency
  const posted = entries.findLast(({ payment_reference }) => payment_reference === reference)
  if (posted !== undefined) {
    return given === undefined || given === posted.currency
      ? { currency: posted.currency }
      : `Payment ${reference} is posted ${posted.currency === null ? "without a currency" : `in ${posted.currency}`}.`
  }
  if (given !== undefined) return { currency: given }
  if (project === undefined && Object.keys(currencies).length > 0) {
    return "Projects have different currencies, and this IPC's isn't known: say the currency (--currency)."
  }
  return { currency: currencies[project?.projectId ?? ""] ?? currency }
}

/** The fact, or a sentence for the person that says what is wrong. */
export const reversalOf = (by: ByPerson, entry: Entry, books: Books, terms: Terms, now: Instant): NewFact | string => {
  const { currency, entry_id: entryId, ipc_id: ipcId, payment_reference: reference, units } = entry
  const unsigned = unsignedBy(by)
  if (unsigned !== undefined) return unsigned
  if (isBeingTakenBack(books, entryId)) return `Entry ${entryId} is taken back already, or waits for a second person.`
  if (isGone(books, entryId)) return `Entry ${entryId} is taken back already: its payment was moved or corrected.`
  const needsSecond = isAbove(units, terms)
  return { kind: "reversal", ipcId, knownAt: now, entryId, units, currency, reference, needsSecond, ...by }
}

const unsignedBy = ({ by, reason }: ByPerson): string | undefined =>
  by.trim() === "" || reason.trim() === "" ? "Say who does it (--by) and why (--reason)." : undefined

const isAbove = (units: bigint, { confirmAbove }: Terms): boolean =>
  confirmAbove !== null && (units < 0n ? -units : units) > Amount.toUnits(confirmAbove)
