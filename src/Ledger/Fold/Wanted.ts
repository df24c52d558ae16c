/**
 * What is wanted for one payment: targets and questions, and whether all of its amounts are known. Pure.
 */
import { currencyOf, type Move, takenAs } from "./Account.ts"
import { ask, type Question } from "./Ask.ts"
import { dueByOf } from "./CertifiedAs.ts"
import type { PaymentFact, Terms } from "../Fact.ts"
import type { Books } from "./Known.ts"
import { knownOf, unmoved } from "./Parts.ts"
import { answerTo, minorUnit } from "./Precision.ts"
import type { Counting } from "./Settlement.ts"
import type { Target } from "./Posted.ts"

export interface Of extends Counting {
  readonly books: Books
  readonly payment: PaymentFact
  readonly move: Move
}

/** How the certificates of a payment count. */
export const countingFor = (books: Books, payment: PaymentFact, move: Move, terms: Terms): Counting => {
  const currency = currencyOf(books, payment, terms)
  const unit = minorUnit(currency, terms)
  return { currency, dueBy: dueByOf(books, takenAs(books, payment, move, terms), unit), unit }
}

/** Returns whether the amounts are known. */
export type Wanted = Generator<Target | Question, boolean>

/** Whether a further payment is real, and its amount. */
export const whetherPaid = (other: PaymentFact, first: PaymentFact | undefined): Question =>
  ask("second-payment-reference", other, [], first === undefined ? [] : [first], {})

/** What the accounting system had for a payment counts too, except where it was moved. */
export const besides = ({ mark }: Move, { reference }: PaymentFact) =>
  mark === unmoved ? { besides: knownOf(reference) } : undefined

/**
 * The question while it is open, then the accepted amount; nothing if it was rejected. The amount isn't known while an
 * accepted amount is asked for again.
 */
export function* answered(
  { books, move, payment, unit }: Of,
  question: Question,
  accepted: Omit<Target, "base" | "move" | "payment" | "units">
): Wanted {
  const answer = answerTo(question, books.decisions, unit)
  if ("open" in answer) {
    yield answer.open
    return answer.open === question
  }
  const { given, units } = answer
  // The accounting system may have a rejected amount nevertheless.
  if (units === null && accepted.besides === undefined) return true
  const first = move.mark === unmoved ? accepted.first : "adjustment"
  const basis = [...accepted.basis, ...given]
  yield { ...accepted, first, base: question.holdId, move, payment, units: units ?? 0n, basis }
  return true
}
