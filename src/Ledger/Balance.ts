/**
 * How much of an IPC is certified, posted as paid, and still open (below zero if more is paid than certified). Pure.
 */
import { type Payable, payableOf } from "../../config/Payable.ts"
import * as Amount from "../Domain/Amount.ts"
import type { Entry, Terms } from "./Fact.ts"
import { moveOf } from "./Fold/Account.ts"
import { type DueBy, dueByOf, takenBy } from "./Fold/CertifiedAs.ts"
import type { Books } from "./Fold/Known.ts"
import { settledOf } from "./Fold/Layout.ts"
import { byHand as partByHand, isAccrued } from "./Fold/Parts.ts"
import { minorUnit } from "./Fold/Precision.ts"
import { regarding } from "./Fold/Refusals.ts"
import { countingFor } from "./Fold/Wanted.ts"
import * as Lines from "./Lines.ts"

export interface Balance {
  /** According to the newest certificate; null if none is known, or if two of the same time disagree. */
  readonly certified: string | null
  /** What is payable of the certified amount; null if not known. */
  readonly due: string | null
  readonly paid: string
  /** Due and not paid. */
  readonly open: string | null
}

/** In ten-thousandths. */
export interface Amounts {
  /** The newest certificate's amount and time. */
  readonly newest: { readonly units: bigint; readonly at: string } | undefined
  readonly due: bigint | undefined
  /** What people have added: released retention. */
  readonly released: bigint
  /** The IPC's own part of the certified amount, with what is held back and added; undefined if not known. */
  readonly of: Payable | undefined
  readonly paid: bigint
}

const textOf = (units: bigint | undefined): string | null => (units === undefined ? null : Amount.sumOfUnits(units))

/** Until terms are known, nothing is posted. */
export const unknown: Balance = { certified: null, due: null, paid: Amount.sumOfUnits(0n), open: null }

export const balanceOf = (books: Books, terms: Terms): Balance => {
  const { due, newest, paid } = amountsOf(books, terms)
  const open = due === undefined ? undefined : due - paid
  return { certified: textOf(newest?.units), due: textOf(due), paid: Amount.sumOfUnits(paid), open: textOf(open) }
}

export const amountsOf = (books: Books, terms: Terms): Amounts => {
  const paid = paidIn(books).reduce((sum, { units }) => sum + units, 0n)
  const released = releasedIn(books, terms)
  const nothing = { newest: undefined, due: undefined, of: undefined, paid, released }
  const { certificates, opening } = regarding(books)
  const at = certificates.reduce((last, each) => (each.at > last ? each.at : last), "")
  const amounts = new Set(certificates.filter((each) => each.at === at).map(({ units }) => units))
  const [only] = amounts
  if (amounts.size > 1) return nothing
  if (only !== undefined) {
    const due = dueIn(books, terms)({ at, units: only })
    const units = due === undefined ? undefined : due.units + released
    return { newest: { at, units: only }, due: units, of: due?.of, paid, released }
  }
  if (opening === undefined) return nothing
  // What a person signed off is due as it stands.
  const { knownAt, units } = opening
  return { newest: { at: knownAt, units }, due: units + released, of: payableOf(units, [], 1n), paid, released }
}

/** What a person has posted on other accounts. */
const onOtherAccounts = ({ byHand }: Books): ReadonlySet<string> => {
  const others = byHand.filter((fact) => fact.kind === "posting" && (fact.debit ?? fact.credit) !== undefined)
  return new Set(others.map(({ number }) => partByHand(number)))
}

/** How much of that went to the receivable, or to the payable. */
const releasedIn = (books: Books, terms: Terms): bigint => {
  const parts = onOtherAccounts(books)
  const paid = books.entries.find(({ kind }) => kind === "payment")
  const { settled } = settledOf(
    paid ?? { debit_account: terms.debitAccount, credit_account: terms.creditAccount },
    terms
  )
  const moved = books.entries
    .filter(({ part }) => parts.has(part))
    .flatMap(Lines.of)
    .filter(({ account }) => account === settled)
  const sum = moved.reduce((all, { units }) => all + units, 0n)
  return terms.settles === "debit" ? -sum : sum
}

/** Such an entry isn't a payment. */
export const paidIn = (books: Books): ReadonlyArray<Entry> => {
  const parts = onOtherAccounts(books)
  return books.entries.filter(({ part }) => !parts.has(part) && !isAccrued(part))
}

const dueIn = (books: Books, terms: Terms): DueBy => {
  const [payment] = books.payments
  if (payment !== undefined) return countingFor(books, payment, moveOf(books, payment), terms).dueBy
  const projectId = books.project?.projectId ?? null
  const currency = terms.currencies[projectId ?? ""] ?? terms.currency
  return dueByOf(books, takenBy(terms, projectId), minorUnit(currency, terms))
}
