/**
 * What of an IPC is certified, what is posted as paid, and what remains open: below zero if more is paid than certified. Pure.
 */
import { type Payable, payableOf } from "../../config/Payable.ts"
import * as Amount from "../Domain/Amount.ts"
import type { Entry, Terms } from "./Fact.ts"
import { moveOf } from "./Fold/Account.ts"
import { type DueBy, dueByOf, takenBy } from "./Fold/CertifiedAs.ts"
import type { Books } from "./Fold/Known.ts"
import { byHand as partByHand, isAccrued } from "./Fold/Parts.ts"
import { minorUnit } from "./Fold/Precision.ts"
import { regarding } from "./Fold/Refusals.ts"
import { countingFor } from "./Fold/Wanted.ts"

export interface Balance {
  /** What the newest certificate says; null if none is known, or two of one time disagree. */
  readonly certified: string | null
  /** What is payable by it; null if that isn't known. */
  readonly due: string | null
  readonly paid: string
  /** Due, and not paid. */
  readonly open: string | null
}

/** In ten-thousandths. */
export interface Amounts {
  /** What the newest certificate says, and when. */
  readonly newest: { readonly units: bigint; readonly at: string } | undefined
  readonly due: bigint | undefined
  /** What of it is the IPC's own; undefined if that isn't known. */
  readonly of: Payable | undefined
  readonly paid: bigint
}

const textOf = (units: bigint | undefined): string | null => (units === undefined ? null : Amount.sumOfUnits(units))

/** Before any terms are known, nothing is posted. */
export const unknown: Balance = { certified: null, due: null, paid: Amount.sumOfUnits(0n), open: null }

export const balanceOf = (books: Books, terms: Terms): Balance => {
  const { due, newest, paid } = amountsOf(books, terms)
  const open = due === undefined ? undefined : due - paid
  return { certified: textOf(newest?.units), due: textOf(due), paid: Amount.sumOfUnits(paid), open: textOf(open) }
}

export const amountsOf = (books: Books, terms: Terms): Amounts => {
  const paid = paidIn(books).reduce((sum, { units }) => sum + units, 0n)
  const { certificates, opening } = regarding(books)
  const at = certificates.reduce((last, each) => (each.at > last ? each.at : last), "")
  const amounts = new Set(certificates.filter((each) => each.at === at).map(({ units }) => units))
  const [only] = amounts
  if (amounts.size > 1) return { newest: undefined, due: undefined, of: undefined, paid }
  if (only !== undefined) {
    const due = dueIn(books, terms)({ at, units: only })
    return { newest: { at, units: only }, due: due?.units, of: due?.of, paid }
  }
  if (opening === undefined) return { newest: undefined, due: undefined, of: undefined, paid }
  // What a person signed off is due as it is.
  const { knownAt, units } = opening
  return { newest: { at: knownAt, units }, due: units, of: payableOf(units, [], 1n), paid }
}

/** What a person has posted on other accounts is no payment. */
export const paidIn = ({ byHand, entries }: Books): ReadonlyArray<Entry> => {
  const others = byHand.filter((fact) => fact.kind === "posting" && (fact.debit ?? fact.credit) !== undefined)
  const parts = new Set(others.map(({ number }) => partByHand(number)))
  return entries.filter(({ part }) => !parts.has(part) && !isAccrued(part))
}

const dueIn = (books: Books, terms: Terms): DueBy => {
  const [payment] = books.payments
  if (payment !== undefined) return countingFor(books, payment, moveOf(books, payment), terms).dueBy
  const projectId = books.project?.projectId ?? null
  const currency = terms.currencies[projectId ?? ""] ?? terms.currency
  return dueByOf(books, takenBy(terms, projectId), minorUnit(currency, terms))
}
