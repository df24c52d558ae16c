/**
 * What the books of an IPC should say by everything known, part by part, and what only a person can answer. Pure.
 */
import { moveOf } from "./Account.ts"
import type { Question } from "./Ask.ts"
import { byCertificate } from "./Certified.ts"
import type { PaymentFact, Terms } from "../Fact.ts"
import type { Books } from "./Known.ts"
import { isMoved, left } from "./Moving.ts"
import { byPaidAmount, paidAmounts } from "./PaidAmounts.ts"
import { baseOf, isKnown } from "./Parts.ts"
import type { Target } from "./Posted.ts"
import { regarding } from "./Refusals.ts"
import { rulesOf } from "./Rules.ts"
import { settlementPart } from "./Settlement.ts"
import { answered, besides, countingFor, type Of, type Wanted, whetherPaid } from "./Wanted.ts"

export function* wants(given: Books, terms: Terms): Generator<Target | Question> {
  if (given.payments.length === 0) return
  const books = rulesOf(terms).areRefusalsFinal ? regarding(given) : given
  const reference = firstReference(books)
  const first = books.payments.find((payment) => payment.reference === reference)
  const others = books.payments.filter((payment) => payment !== first)
  const amounts = paidAmounts(books, first, others, terms)
  for (const payment of first === undefined ? others : [first, ...others]) {
    yield* ofPayment(books, payment, terms, (of) => {
      const paid = amounts.get(payment)
      if (paid !== undefined) return byPaidAmount(of, paid, payment === first)
      return payment === first ? byCertificate(of) : further(of, first)
    })
  }
}

function* further(of: Of, first: PaymentFact | undefined): Wanted {
  const { move, payment } = of
  return yield* answered(of, whetherPaid(payment, first), {
    first: "payment",
    effective_at: payment.at,
    certificate_url: null,
    basis: [payment],
    ...besides(move, payment)
  })
}

/**
 * The reference of *the* payment: the first that arrived. After a restore, events may come again in another order. Then
 * it is the payment that the accounting system was sent first, unless another one is posted.
 */
const firstReference = ({ entries, payments }: Books): string | undefined => {
  const known = entries.find(({ part }) => isKnown(part))
  const posted = (reference: string): bigint =>
    entries
      .filter(({ part, payment_reference }) => baseOf(part) === settlementPart && payment_reference === reference)
      .reduce((sum, { units }) => sum + units, 0n)
  const sent = known === undefined ? undefined : payments.find(({ reference }) => posted(reference) !== 0n)
  return (sent ?? (known === undefined ? payments[0] : undefined))?.reference ?? known?.payment_reference
}

/** What a change of project left behind moves to the new place once all of it is known. */
function* ofPayment(
  books: Books,
  payment: PaymentFact,
  terms: Terms,
  wanted: (of: Of) => Wanted
): Generator<Target | Question> {
  const move = moveOf(books, payment)
  const there = wanted({ books, payment, move, ...countingFor(books, payment, move, terms) })
  if (move.decision === undefined) return yield* there
  const steps: Array<Target | Question> = []
  let step = there.next()
  for (; step.done !== true; step = there.next()) steps.push(step.value)
  if (step.value) yield* [...steps, ...left(books, payment, move)]
  else yield* isMoved(books, payment, move) ? steps : steps.filter((each) => "holdId" in each)
}
