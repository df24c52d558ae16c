/**
 * Where a payment's amounts are posted: the pair of accounts, the currency, the project. Pure.
 *
 * Everything posted for one payment is in one currency on one pair of accounts, those of its first entry. If its
 * project changes after that, a person is asked; acceptance reverses what was posted and posts it under the new
 * project.
 */
import type { PayableRules } from "../../../config/Payable.ts"
import { ask, type Question } from "./Ask.ts"
import { grounds, keptIn, type Taken, takenBy } from "./CertifiedAs.ts"
import type { DecisionFact, Entry, Fact, PayableGround, PaymentFact, Terms } from "../Fact.ts"
import type { Books } from "./Known.ts"
import { isAccruedHere, isKnown, isOfPayment, markOf, unmoved } from "./Parts.ts"
import { rulesOf } from "./Rules.ts"
import { settlementPart } from "./Settlement.ts"

export interface Account extends Pick<
  Entry,
  "certified_as" | "currency" | "debit_account" | "credit_account" | "project_id"
> {
  readonly basis: ReadonlyArray<Fact | PayableGround>
  /** What the bank withholds from the payment. */
  readonly withheld: PayableRules
}

/** The change of project under which a payment is now posted. */
export interface Move {
  readonly mark: string
  readonly projectId: string | null
  /** Undefined if the payment wasn't moved. */
  readonly decision: DecisionFact | undefined
}

const notMoved: Move = { mark: unmoved, projectId: null, decision: undefined }

export const moveOf = ({ decisions }: Books, { reference }: PaymentFact): Move => {
  let move = notMoved
  for (const decision of decisions.values()) {
    const { about, holdId, verdict } = decision
    if (verdict !== "accept" || about?.reason !== "project-changed" || about.reference !== reference) continue
    move = { mark: holdId, projectId: about.projectId, decision }
  }
  return move
}

/** The entry that determines where the payment's other entries go. */
const firstOf = ({ entries }: Pick<Books, "entries">, { reference }: PaymentFact, { mark }: Move): Entry | undefined =>
  entries.find(
    ({ part, payment_reference }) => payment_reference === reference && isOfPayment(part) && markOf(part) === mark
  )

interface TakenFor extends Taken {
  /** Nothing is posted for the payment yet, so its first entry has to say this. */
  readonly isFirst: boolean
}

/** How its certificates' amounts are interpreted. */
export const takenAs = (books: Books, payment: PaymentFact, move: Move, terms: Terms): TakenFor => {
  const own = { entries: books.entries.filter(({ part }) => !isKnown(part)) }
  const first = firstOf(own, payment, move)
  const isFirst = first === undefined
  const known = move.decision === undefined ? (books.project?.projectId ?? null) : move.projectId
  if (!rulesOf(terms).isCertifiedAsKept) {
    return { as: null, payable: [], withheld: [], before: null, projectId: known, isFirst }
  }
  return { ...keptFrom(first ?? firstAccrual(books, known), known, terms), isFirst }
}

const keptFrom = (first: Entry | undefined, known: string | null, terms: Terms): Taken => {
  const now = takenBy(terms, known)
  if (first === undefined) return now
  const { certified_as, project_id: projectId } = first
  // The assumption has since been confirmed by configuration.
  const isSaid = (certified_as ?? "assumed") === "assumed" && now.as === "each"
  return { ...keptIn(first), as: isSaid ? "each" : (certified_as ?? "assumed"), projectId }
}

/** How the amounts of an unpaid IPC are interpreted. */
export const takenUnpaid = (books: Books, projectId: string | null, terms: Terms): Taken =>
  keptFrom(firstAccrual(books, projectId), projectId, terms)

/**
 * The entry that says how a certificate's amount was interpreted before it was paid. An entry that only reversed what
 * the accounting system had doesn't say it.
 */
const firstAccrual = ({ entries }: Books, projectId: string | null): Entry | undefined =>
  entries.find(
    ({ basis, part, project_id }) =>
      project_id === projectId && isAccruedHere(part) && basis.some(({ kind }) => kind === "payable")
  )

/** The currency in which the payment would be posted; null if none is configured, or while a person is asked for it. */
export const currencyOf = (books: Books, payment: PaymentFact, terms: Terms): string | null => {
  const account = accountOf(books, payment, moveOf(books, payment), terms)
  return "question" in account ? null : account.currency
}

/** As in the payment's first entry; otherwise by the terms, with the currency that a person gave. */
export const accountOf = (
  books: Books,
  payment: PaymentFact,
  move: Move,
  terms: Terms
): Account | { readonly question: Question } => {
  const { isNewestProjectValid } = rulesOf(terms)
  const { creditAccount: credit_account, currencies, currency, debitAccount: debit_account } = terms
  const known = books.project?.projectId ?? null
  const first = firstOf(books, payment, move)
  const taken = takenAs(books, payment, move, terms)
  const { as: certified_as, withheld } = taken
  const kept = taken.isFirst && certified_as !== null ? grounds(books.ipcId, taken) : []
  if (first !== undefined) {
    const project = isNewestProjectValid ? first.project_id : known
    return { ...first, certified_as, project_id: project, basis: kept, withheld }
  }
  const project_id = move.decision === undefined ? known : move.projectId
  const under = { certified_as, credit_account, debit_account, project_id, withheld }
  const given = move.decision === undefined ? currencyGiven(books, payment) : undefined
  if (given?.currency !== undefined) return { ...under, currency: given.currency, basis: [...kept, given] }
  if (project_id === null && Object.keys(currencies).length > 0) {
    return { question: whichCurrency(payment) }
  }
  return { ...under, currency: currencies[project_id ?? ""] ?? currency, basis: kept }
}

const whichCurrency = (payment: PaymentFact): Question =>
  ask("currency-unknown", payment, [], [], { part: settlementPart })

/** Checked first: the question's id is a hash, and most IPCs have no decisions. */
const currencyGiven = ({ decisions }: Books, payment: PaymentFact): DecisionFact | undefined =>
  decisions.size === 0 ? undefined : decisions.get(whichCurrency(payment).holdId)

/** Asked when a payment is posted, or being moved, under a project other than the newest. */
export const changedProjects = (books: Books, terms: Terms): ReadonlyArray<Question> =>
  rulesOf(terms).isNewestProjectValid
    ? books.payments
        .flatMap((payment) => changedProject(books, payment, terms))
        .filter(({ holdId }) => !books.decisions.has(holdId))
    : []

const changedProject = (books: Books, payment: PaymentFact, terms: Terms): ReadonlyArray<Question> => {
  const move = moveOf(books, payment)
  const first = firstOf(books, payment, move)
  const { project } = books
  if (project === undefined || (first === undefined && move.decision === undefined)) return []
  const to = project.projectId
  const from = first === undefined ? move.projectId : first.project_id
  if (from === to || (first !== undefined && from === null && !isOtherCurrency(first, to, terms))) return []
  const units = books.entries
    .filter(({ part, payment_reference }) => payment_reference === payment.reference && isOfPayment(part))
    .reduce((sum, entry) => sum + entry.units, 0n)
  return [ask("project-changed", payment, [move.mark, from ?? "", to], [project], { part: settlementPart, units })]
}

/** A project that is named for the first time matters only if it implies another currency. */
const isOtherCurrency = ({ currency }: Entry, projectId: string, terms: Terms): boolean =>
  Object.keys(terms.currencies).length > 0 && (terms.currencies[projectId] ?? terms.currency) !== currency
