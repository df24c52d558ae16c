/**
 * What of an IPC is certified, what is posted as paid, and what remains open: below zero if more is paid than certified. Pure.
 */
import * as Amount from "../Domain/Amount.ts"
import type { Books } from "./Fold/Known.ts"
import { regarding } from "./Fold/Refusals.ts"

export interface Balance {
  /** By the newest certificate; null if none is known, or two of one time disagree. */
  readonly certified: string | null
  readonly paid: string
  readonly open: string | null
}

export const balanceOf = (books: Books): Balance => {
  const certified = certifiedIn(regarding(books))
  const paid = books.entries.reduce((sum, { units }) => sum + units, 0n)
  return {
    certified: certified === undefined ? null : Amount.sumOfUnits(certified),
    paid: Amount.sumOfUnits(paid),
    open: certified === undefined ? null : Amount.sumOfUnits(certified - paid)
  }
}

const certifiedIn = ({ certificates, opening }: Books): bigint | undefined => {
  const newest = certificates.reduce((last, { at }) => (at > last ? at : last), "")
  const amounts = new Set(certificates.filter(({ at }) => at === newest).map(({ units }) => units))
  const [only] = amounts
  return amounts.size > 1 ? undefined : (only ?? opening?.units)
}
