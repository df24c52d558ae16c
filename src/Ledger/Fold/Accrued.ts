/**
 * Accruals: the amount due by an IPC's certificates is posted when it is certified, so that the receivable which a
 * payment credits has been debited before. Pure.
 *
 * Guarantees: in any order of events, the accruals of an IPC add up to what is due by its newest certificate, or to
 * nothing while that isn't known; what a person reversed counts as if it were posted. Nothing is asked, because no
 * money moves, and the payment's own questions are about the same amounts. An accrual never goes into a closed period.
 */
import type { Accrual } from "../../../config/Certificates.ts"
import * as Amount from "../../Domain/Amount.ts"
import { dateIn } from "../../Domain/CalendarDay.ts"
import type { AnyCertificate, Entry, Fact, Line, PayableGround, Terms } from "../Fact.ts"
import * as Lines from "../Lines.ts"
import { accountOf, moveOf, takenAs, takenUnpaid } from "./Account.ts"
import { dueByOf, groundOf, type Taken } from "./CertifiedAs.ts"
import type { Books } from "./Known.ts"
import * as Layout from "./Layout.ts"
import { accruedElsewhere, accruedIn, isAccrued, isAccruedHere, type Place } from "./Parts.ts"
import { inOpenPeriod, make } from "./Posted.ts"
import { fits, isInCurrency, minorUnit } from "./Precision.ts"
import { regarding } from "./Refusals.ts"
import { takenBack } from "./SecondPerson.ts"

export const accruals = (given: Books, cause: Fact, terms: Terms): ReadonlyArray<Entry> => {
  if (accrualOf(given, terms) === undefined) return []
  const place = placeOf(given, terms)
  const parts = Map.groupBy(
    given.entries.filter(({ part }) => isAccrued(part)),
    ({ part }) => part
  )
  const here = new Set(place === undefined ? [] : [accruedIn(place), accruedElsewhere(place.currency)])
  const gone = [...parts].filter(([part]) => !here.has(part)).flatMap(([, entries]) => entries.slice(0, 1))
  const wanted = place === undefined ? [] : [wantedAt(regarding(given), place, cause, terms)]
  const books = [...gone.map((first) => toNothing(first, cause)), ...wanted].reduce(
    (now, target) => posted(now, target, cause, terms),
    given
  )
  return books.entries.slice(given.entries.length)
}

/**
 * Accrual continues from the day that the IPC's first accrual says. If accruals have been switched off since, it also
 * keeps that accrual's account.
 */
const accrualOf = ({ entries }: Books, { accrual, settles }: Terms): Accrual | undefined => {
  const first = entries.find(({ part }) => isAccruedHere(part))
  const from = first?.basis.find(({ kind }) => kind === "payable")?.["from"]
  if (first === undefined || from == null) return accrual
  const account = settles === "debit" ? first.debit_account : first.credit_account
  return { account: accrual?.account ?? account, from: String(from) }
}

/** What the lines of an accrual's parts must add up to. */
interface Target extends Pick<
  Entry,
  "certificate_url" | "certified_as" | "credit_account" | "debit_account" | "effective_at"
> {
  readonly place: Place
  /** The part where it is posted. */
  readonly part: string
  /** Another part that counts too. */
  readonly besides: string | undefined
  readonly lines: ReadonlyArray<Line>
  readonly basis: ReadonlyArray<Fact | PayableGround>
}

/** As for the payment, about which people may have been asked; undefined if not known. */
const placeOf = (books: Books, terms: Terms): Place | undefined => {
  const [payment] = books.payments
  const projectId = books.project?.projectId ?? null
  if (payment === undefined) {
    if (projectId === null && Object.keys(terms.currencies).length > 0) return undefined
    return { projectId, currency: terms.currencies[projectId ?? ""] ?? terms.currency }
  }
  const account = accountOf(books, payment, moveOf(books, payment), terms)
  return "question" in account ? undefined : { projectId: account.project_id, currency: account.currency }
}

const takenIn = (books: Books, { projectId }: Place, terms: Terms): Taken => {
  const [payment] = books.payments
  return payment === undefined
    ? takenUnpaid(books, projectId, terms)
    : takenAs(books, payment, moveOf(books, payment), terms)
}

const wantedAt = (books: Books, place: Place, cause: Fact, terms: Terms): Target => {
  const newest = newestOf(books, place)
  const taken = takenIn(books, place, terms)
  const target = { ...bare(books, place, cause, terms), certified_as: taken.as }
  if (newest === undefined || taken.payable === undefined || !isFrom(books, terms)) return target
  const unit = minorUnit(place.currency, terms)
  const due = dueByOf(books, taken, unit)(newest)
  if (due === undefined || !fits(newest.units, unit)) return target
  const lines = Layout.ofCertificate(due.of, taken.payable, target, terms)
  return {
    ...target,
    lines,
    effective_at: newest.at,
    certificate_url: newest.url,
    basis: [newest, ...due.basis, { ...groundOf(books.ipcId, taken), from: accrualOf(books, terms)?.from ?? "" }]
  }
}

/** If nothing is due, or while it isn't known what is: reverses what is posted there. */
const bare = (books: Books, place: Place, cause: Fact, terms: Terms): Omit<Target, "certified_as"> => {
  const [part, besides] = [accruedIn(place), accruedElsewhere(place.currency)]
  const first =
    books.entries.find((entry) => entry.part === part) ?? books.entries.find((entry) => entry.part === besides)
  return {
    place,
    part,
    besides,
    ...accountsOf(books, part, terms),
    lines: [],
    effective_at: first?.effective_at ?? "",
    certificate_url: null,
    basis: [cause]
  }
}

/** The accounts of the first entry there, so that other terms change nothing that is posted. */
const accountsOf = (books: Books, part: string, terms: Terms): Pick<Entry, "credit_account" | "debit_account"> => {
  const first = books.entries.find((entry) => entry.part === part)
  if (first !== undefined) return { debit_account: first.debit_account, credit_account: first.credit_account }
  const paid = books.entries.find(({ kind }) => kind === "payment")
  const standard = { debit_account: terms.debitAccount, credit_account: terms.creditAccount }
  const { settled } = Layout.settledOf(paid ?? standard, terms)
  const account = accrualOf(books, terms)?.account ?? ""
  return terms.settles === "debit"
    ? { debit_account: account, credit_account: settled }
    : { debit_account: settled, credit_account: account }
}

/** The certificate that counts; undefined if none does, or if those of the newest time disagree. */
const newestOf = ({ certificates: all, opening }: Books, { currency }: Place): AnyCertificate | undefined => {
  // An IPC with an opening certificate was posted elsewhere, and so are its later certificates.
  if (opening !== undefined) return undefined
  const certificates = all.filter((each) => isInCurrency(each, currency))
  const at = certificates.reduce((last, each) => (each.at > last ? each.at : last), "")
  const [first, ...others] = certificates
    .filter((each) => each.at === at)
    .toSorted((a, b) => (String(a.url) < String(b.url) ? -1 : 1))
  return others.every(({ units }) => units === first?.units) ? first : undefined
}

/** Whether the IPC was first certified on the day from which certificates are accrued, or later. */
const isFrom = (books: Books, terms: Terms): boolean => {
  const first = books.certificates.reduce((least, { at }) => (least === "" || at < least ? at : least), "")
  const accrual = accrualOf(books, terms)
  return accrual !== undefined && dateIn(first, terms.timezone) >= accrual.from
}

/** Reverses what is posted elsewhere, because the IPC belongs to another project. */
const toNothing = (first: Entry, cause: Fact): Target => ({
  place: { projectId: first.project_id, currency: first.currency },
  part: first.part,
  besides: undefined,
  lines: [],
  certified_as: first.certified_as,
  debit_account: first.debit_account,
  credit_account: first.credit_account,
  effective_at: first.effective_at,
  certificate_url: first.certificate_url,
  basis: [cause]
})

/** The books with the difference posted, if there is one. */
const posted = (books: Books, target: Target, cause: Fact, terms: Terms): Books => {
  const { basis, besides, certificate_url, effective_at, lines, part, place } = target
  const counting = [...books.entries, ...takenBack(books)].filter(
    (entry) => entry.part === part || entry.part === besides
  )
  const difference = Lines.summed([...lines, ...counting.flatMap((entry) => Lines.negated(Lines.of(entry)))])
  // No accounting system can hold more than an amount can.
  if (difference.length === 0 || difference.some(({ units }) => Amount.ofUnits(units) === undefined)) return books
  const account = { ...target, currency: place.currency, project_id: place.projectId }
  const units = movedOf(difference, target, terms)
  const entry = make(books, terms, account, basis, {
    kind: "accrual",
    units,
    lines: Layout.orNull({ ...target, units }, difference),
    payment_reference: books.ipcId,
    certificate_url,
    effective_at: inOpenPeriod(effective_at, terms),
    known_at: cause.knownAt,
    event_id: cause.eventId ?? null,
    reverses: null,
    part
  })
  return { ...books, entries: [...books.entries, entry] }
}

/** What goes to the receivable, or to the payable: the amount of the entry. */
const movedOf = (lines: ReadonlyArray<Line>, { credit_account, debit_account }: Target, { settles }: Terms): bigint => {
  const of = (account: string) => lines.find((line) => line.account === account)?.units ?? 0n
  return settles === "debit" ? -of(credit_account) : of(debit_account)
}
