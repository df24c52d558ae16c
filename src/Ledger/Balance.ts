/**
 * What of an IPC is certified, what is posted as paid, and what remains open: below zero if more is paid than certified. Pure.
 */
import * as Amount from "../Domain/Amount.ts"
import type { Terms } from "./Fact.ts"
import { moveOf } from "./Fold/Account.ts"
import { certifiedAs, type DueBy, eachForItself, lessPreceding } from "./Fold/CertifiedAs.ts"
import type { Books } from "./Fold/Known.ts"
import { regarding } from "./Fold/Refusals.ts"
import { countingFor } from "./Fold/Wanted.ts"

export interface Balance {
  /** What is due by the newest certificate; null if none is known, or two of one time disagree. */
  readonly certified: string | null
  readonly paid: string
  readonly open: string | null
}

/** Before any terms are known, nothing is posted. */
export const unknown: Balance = { certified: null, paid: Amount.sumOfUnits(0n), open: null }

export const balanceOf = (books: Books, terms: Terms): Balance => {
  const certified = certifiedIn(regarding(books), dueIn(books, terms))
  const paid = books.entries.reduce((sum, { units }) => sum + units, 0n)
  return {
    certified: certified === undefined ? null : Amount.sumOfUnits(certified),
    paid: Amount.sumOfUnits(paid),
    open: certified === undefined ? null : Amount.sumOfUnits(certified - paid)
  }
}

const dueIn = (books: Books, terms: Terms): DueBy => {
  const [payment] = books.payments
  if (payment !== undefined) return countingFor(books, payment, moveOf(books, payment), terms).dueBy
  const projectId = books.project?.projectId ?? null
  return certifiedAs(projectId, terms) === "cumulative" ? lessPreceding(books, projectId, terms) : eachForItself
}

const certifiedIn = ({ certificates, opening }: Books, dueBy: DueBy): bigint | undefined => {
  const newest = certificates.reduce((last, { at }) => (at > last ? at : last), "")
  const amounts = new Set(certificates.filter(({ at }) => at === newest).map(({ units }) => units))
  const [only] = amounts
  if (amounts.size > 1) return undefined
  return only === undefined ? opening?.units : dueBy({ at: newest, units: only })?.units
}
