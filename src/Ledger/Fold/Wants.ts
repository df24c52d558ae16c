/**
 * What the books of an IPC should say by everything known, part by part, and what only a person can answer. Pure.
 */
import { changedProject, type Move, moveOf } from "./Account.ts"
import { ask, type Question } from "./Ask.ts"
import type { CertificateFact, PaymentFact, Terms } from "../Fact.ts"
import type { Books } from "./Known.ts"
import { baseOf, isByHand, isKnown, knownOf, markOf, moved, unmoved } from "./Parts.ts"
import type { Target } from "./Posted.ts"
import { regarded } from "./Refusals.ts"
import { rulesOf } from "./Rules.ts"
import { unconfirmed } from "./SecondPerson.ts"
import { settle, type Settled, settlementPart } from "./Settlement.ts"

export function* wants(given: Books, terms: Terms): Generator<Target | Question> {
  const books = rulesOf(terms).areRefusalsFinal ? { ...given, certificates: regarded(given) } : given
  const first = books.payments.find(({ reference }) => reference === firstReference(books))
  if (first !== undefined) yield* ofPayment(books, first, terms, firstPayment)
  for (const other of books.payments) {
    if (other === first) continue
    yield* ofPayment(books, other, terms, function* (of) {
      yield* answered(of, ask("second-payment-reference", other, [], first === undefined ? [] : [first], {}), {
        first: "payment",
        effective_at: other.at,
        certificate_url: null,
        basis: [other],
        ...(of.move.mark === unmoved ? { besides: knownOf(other.reference) } : {})
      })
    })
  }
  yield* unconfirmed(books)
}

/**
 * Of *the* payment: the first that arrived. After a restore, events may come again in another order: then it is the one that
 * the accounting system was sent first, unless another is posted.
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

interface Of {
  readonly books: Books
  readonly payment: PaymentFact
  readonly move: Move
}

type Wanted = Generator<Target | Question>

/** Also takes back what a change of the project left behind. */
function* ofPayment(books: Books, payment: PaymentFact, terms: Terms, wanted: (of: Of) => Wanted): Wanted {
  const move = moveOf(books, payment)
  const question = changedProject(books, payment, move, terms)
  if (question !== undefined && !books.decisions.has(question.holdId)) yield question
  yield* wanted({ books, payment, move })
  if (move.decision !== undefined) yield* left(books, payment, move)
}

function* left({ entries }: Books, payment: PaymentFact, { decision, mark }: Move): Wanted {
  const parts = new Map(
    entries
      .filter(({ part, payment_reference }) => payment_reference === payment.reference && !isByHand(part))
      .filter(({ part }) => markOf(part) !== mark)
      .map((entry) => [entry.part, entry])
  )
  for (const [part, { certificate_url }] of parts) {
    yield {
      base: baseOf(part),
      move: { mark: markOf(part), projectId: null, decision: undefined },
      units: 0n,
      isLeft: true,
      first: "adjustment",
      payment,
      effective_at: payment.at,
      certificate_url,
      basis: decision === undefined ? [payment] : [payment, decision],
      consent: decision
    }
  }
}

function* firstPayment(of: Of): Wanted {
  const { books, payment } = of
  const settlement = settle(books, payment)
  if (settlement._tag === "Open") return yield settlement.question
  yield settlementOf(of, settlement.settled)
  yield* recertified(of, settlement.settled)
}

const settlementOf = ({ move, payment }: Of, { basis, certificate_url, units }: Settled): Target => ({
  base: settlementPart,
  move,
  units,
  // One entry of a payment is its first; what a move posts again isn't.
  first: move.mark === unmoved ? "payment" : "adjustment",
  payment,
  effective_at: payment.at,
  certificate_url,
  basis: move.decision === undefined ? basis : [...basis, move.decision],
  ...(move.mark === unmoved ? { besides: knownOf(payment.reference) } : {})
})

/**
 * Certificates after the payment, other than its own, with another amount. What was posted for one that no longer
 * qualifies is taken back, because the settlement has its amount now.
 */
function* recertified(of: Of, settled: Settled): Wanted {
  const { books, move, payment } = of
  const asked = new Set<string>()
  for (const later of books.certificates) {
    if (later.at <= payment.at || later.at === settled.at || later.units === settled.units) continue
    const question = questionOf(payment, later)
    asked.add(moved(question.holdId, move.mark))
    yield* answered(of, question, {
      first: "adjustment",
      effective_at: later.at,
      certificate_url: later.url,
      basis: [payment, later]
    })
  }
  for (const { certificate_url, effective_at, part, payment_reference } of books.entries) {
    if (baseOf(part) === settlementPart || isByHand(part) || isKnown(part)) continue
    if (payment_reference !== payment.reference || markOf(part) !== move.mark || asked.has(part)) continue
    asked.add(part)
    const base = baseOf(part)
    const decision = books.decisions.get(base)
    const basis = decision === undefined ? settled.basis : [...settled.basis, decision]
    yield { base, move, units: 0n, first: "adjustment", payment, effective_at, certificate_url, basis }
  }
}

/** Cached: with 2,000 certificates after a payment, hashing all of them again for each new one took seconds. */
const questions = new WeakMap<PaymentFact, WeakMap<CertificateFact, Question>>()

const questionOf = (payment: PaymentFact, later: CertificateFact): Question => {
  const known = questions.get(payment) ?? new WeakMap<CertificateFact, Question>()
  questions.set(payment, known)
  const question =
    known.get(later) ??
    ask("recertified-after-payment", payment, [later.at, String(later.units)], [later], { units: later.units })
  known.set(later, question)
  return question
}

/** The question while it is open, then the accepted amount, or nothing if it was rejected. */
function* answered(
  { books, move, payment }: Of,
  question: Question,
  accepted: Omit<Target, "base" | "move" | "payment" | "units">
): Wanted {
  const decision = books.decisions.get(question.holdId)
  if (decision === undefined) yield question
  else if (decision.verdict === "accept" && decision.units !== null) {
    const first = move.mark === unmoved ? accepted.first : "adjustment"
    const basis = [...accepted.basis, decision]
    yield { ...accepted, first, base: decision.holdId, move, payment, units: decision.units, basis }
  }
}
