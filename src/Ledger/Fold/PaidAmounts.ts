/**
 * Payments whose events say what was paid: each posts its own amount, as long as all of them together don't exceed what
 * is certified. Pure.
 *
 * An amount is never chosen or rounded: if reports of a payment disagree, or the amount can't be right, a person is
 * asked. Which payment is too much depends on which arrived first.
 */
import { moveOf } from "./Account.ts"
import { ask, type Question } from "./Ask.ts"
import { voided } from "./Certified.ts"
import type { Entry, Fact, PaymentFact, Terms } from "../Fact.ts"
import type { Books } from "./Known.ts"
import { baseOf, paidOf, unmoved } from "./Parts.ts"
import { answerTo, fits } from "./Precision.ts"
import { settle, type Settled, settlementPart } from "./Settlement.ts"
import { besides, countingFor, type Of, type Wanted, whetherPaid } from "./Wanted.ts"

interface Known {
  readonly units: bigint
  /** Undefined if not known; then nothing is too much. */
  readonly due: Settled | undefined
  readonly basis: ReadonlyArray<Fact>
}

/** What is paid, or the question to be answered first. */
export type Paid = Known | { readonly open: Question }

/**
 * For each payment that posts what its event says: all payments of an IPC if the first one's event says it, and those
 * that did so before another payment became the first. Payments about which a person has answered stay as answered.
 */
export const paidAmounts = (
  books: Books,
  first: PaymentFact | undefined,
  others: ReadonlyArray<PaymentFact>,
  terms: Terms
): ReadonlyMap<PaymentFact, Paid> => {
  const all = new Map<PaymentFact, Paid>()
  if (books.amounts.length === 0) return all
  const isSaid = first !== undefined && reportsOf(books, first).length > 0
  const counting = (payment: PaymentFact) => countingFor(books, payment, moveOf(books, payment), terms)
  let before = 0n
  for (const payment of first === undefined ? others : [first, ...others]) {
    const part = payment === first ? settlementPart : paidOf(payment.reference)
    const posted = postedFor(books, part, payment)
    const { unit } = counting(payment)
    const given = payment === first ? undefined : givenFor(books, payment, first, unit)
    const hasPosted = payment !== first && posted.length > 0
    if (!hasPosted && (!isSaid || given !== undefined || reportsOf(books, payment).length === 0)) {
      before += given ?? 0n
      continue
    }
    const due = isSaid ? settle(books, first, counting(first), dueAt(books, first, payment)) : undefined
    const paid =
      due?._tag === "Open" ? { open: due.question } : ofReports(books, payment, due?.settled, { before, part, unit })
    all.set(payment, paid)
    // What is posted stays while a question is open.
    before += "open" in paid ? posted.reduce((sum, { units }) => sum + units, 0n) : paid.units
  }
  return all
}

const postedFor = ({ entries }: Books, part: string, { reference }: PaymentFact): ReadonlyArray<Entry> =>
  entries.filter((entry) => entry.payment_reference === reference && baseOf(entry.part) === part)

/** The amount that a person gave for a further payment; undefined if there is no answer. */
const givenFor = (
  books: Books,
  payment: PaymentFact,
  first: PaymentFact | undefined,
  unit: bigint
): bigint | undefined => {
  const asked = whetherPaid(payment, first)
  if (!books.decisions.has(asked.holdId)) return undefined
  const answer = answerTo(asked, books.decisions, unit)
  return "open" in answer ? 0n : (answer.units ?? 0n)
}

const reportsOf = ({ amounts }: Books, { reference }: PaymentFact): ReadonlyArray<PaymentFact> =>
  amounts.filter((report) => report.reference === reference)

/** A later certificate counts for payments after it. */
const dueAt = ({ certificates }: Books, first: PaymentFact, { at: paidAt }: PaymentFact) =>
  certificates.some(({ at }) => at > first.at && at <= paidAt) ? paidAt : first.at

interface In {
  /** What was paid before. */
  readonly before: bigint
  readonly part: string
  /** The smallest amount of its currency. */
  readonly unit: bigint
}

const ofReports = (books: Books, payment: PaymentFact, due: Settled | undefined, { before, part, unit }: In): Paid => {
  const reports = reportsOf(books, payment)
  const amounts = [...new Set(reports.map(({ units }) => units ?? 0n))]
  const [only = 0n] = amounts
  const isClear = amounts.length === 1 && only > 0n && fits(only, unit)
  const units = amounts.length === 1 ? only : null
  const others = reports.filter((report) => report !== payment)
  const question = ask("paid-amount-unclear", payment, amounts.map(String).toSorted(), others, { part, units })
  const answer = isClear ? { units: only, given: [] } : answerTo(question, books.decisions, unit)
  if ("open" in answer) return answer
  // A payment that was made can't be rejected.
  if (answer.units === null) return { open: question }
  const certified = due?.basis.filter(({ kind }) => kind !== "payment") ?? []
  const basis = [payment, ...others, ...answer.given, ...certified]
  const over = ask("over-payment", payment, [String(answer.units)], basis.slice(1), { part, units: answer.units })
  const decision = books.decisions.get(over.holdId)
  if (decision === undefined) {
    const isTooMuch = due !== undefined && before + answer.units > due.units
    return isTooMuch ? { open: over } : { units: answer.units, due, basis }
  }
  return { units: decision.verdict === "reject" ? 0n : answer.units, due, basis: [...basis, decision] }
}

export function* byPaidAmount(of: Of, paid: Paid, isFirst: boolean): Wanted {
  if ("open" in paid) {
    yield paid.open
    return false
  }
  const { move, payment } = of
  const { basis, due, units } = paid
  yield {
    base: isFirst ? settlementPart : paidOf(payment.reference),
    move,
    units,
    first: move.mark === unmoved ? "payment" : "adjustment",
    payment,
    effective_at: payment.at,
    certificate_url: due?.certificate_url ?? null,
    basis: move.decision === undefined ? basis : [...basis, move.decision],
    ...besides(move, payment)
  }
  // The amount already includes what a later certificate was said to have moved.
  if (isFirst && due !== undefined) yield* voided(of, due, [])
  return true
}
