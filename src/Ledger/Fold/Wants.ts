/**
 * What the books of an IPC should say by everything known, part by part, and what only a person can answer. Pure.
 */
import { currencyOf, type Move, moveOf } from "./Account.ts"
import { ask, type Question } from "./Ask.ts"
import type { CertificateFact, Entry, PaymentFact, Terms } from "../Fact.ts"
import type { Books } from "./Known.ts"
import { baseOf, isByHand, isKnown, knownOf, markOf, moved, unmoved } from "./Parts.ts"
import { answerTo, minorUnit } from "./Precision.ts"
import type { Target } from "./Posted.ts"
import { regarding } from "./Refusals.ts"
import { rulesOf } from "./Rules.ts"
import { settle, type Settled, settlementPart } from "./Settlement.ts"

export function* wants(given: Books, terms: Terms): Generator<Target | Question> {
  const books = rulesOf(terms).areRefusalsFinal ? regarding(given) : given
  const first = books.payments.find(({ reference }) => reference === firstReference(books))
  if (first !== undefined) yield* ofPayment(books, first, terms, firstPayment)
  for (const other of books.payments) {
    if (other === first) continue
    const question = ask("second-payment-reference", other, [], first === undefined ? [] : [first], {})
    yield* ofPayment(books, other, terms, function* (of) {
      return yield* answered(of, question, {
        first: "payment",
        effective_at: other.at,
        certificate_url: null,
        basis: [other],
        ...besides(of.move, other)
      })
    })
  }
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
  /** The smallest amount of its currency. */
  readonly unit: bigint
}

/** Returns whether the amounts are known. */
type Wanted = Generator<Target | Question, boolean>

/** What a change of the project left behind goes to the new place once all of it is known. */
function* ofPayment(
  books: Books,
  payment: PaymentFact,
  terms: Terms,
  wanted: (of: Of) => Wanted
): Generator<Target | Question> {
  const move = moveOf(books, payment)
  const unit = minorUnit(currencyOf(books, payment, terms), terms)
  const there = wanted({ books, payment, move, unit })
  if (move.decision === undefined) return yield* there
  const steps: Array<Target | Question> = []
  let step = there.next()
  for (; step.done !== true; step = there.next()) steps.push(step.value)
  if (step.value) yield* [...steps, ...left(books, payment, move)]
  else yield* isMoved(books, payment, move) ? steps : steps.filter((each) => "holdId" in each)
}

const isMoved = ({ entries }: Books, { reference }: PaymentFact, { mark }: Move): boolean => {
  const others = entries.filter(
    ({ part, payment_reference }) => payment_reference === reference && !isByHand(part) && markOf(part) !== mark
  )
  const nets = Map.groupBy(others, ({ part }) => part).values()
  return [...nets].every((each) => each.reduce((sum, { units }) => sum + units, 0n) === 0n)
}

function* left({ entries }: Books, payment: PaymentFact, { decision, mark }: Move): Generator<Target> {
  const firsts = new Map<string, Entry>()
  for (const entry of entries) {
    const { part, payment_reference } = entry
    if (payment_reference !== payment.reference || isByHand(part) || markOf(part) === mark) continue
    if (!firsts.has(part)) firsts.set(part, entry)
  }
  for (const [part, { certificate_url, effective_at }] of firsts) {
    yield {
      base: baseOf(part),
      move: { mark: markOf(part), projectId: null, decision: undefined },
      units: 0n,
      counts: "nothing",
      first: "adjustment",
      payment,
      effective_at,
      certificate_url,
      basis: decision === undefined ? [payment] : [payment, decision],
      consent: decision
    }
  }
}

function* firstPayment(of: Of): Wanted {
  const settlement = settle(of.books, of.payment, of.unit)
  if (settlement._tag === "Open") {
    yield settlement.question
    return false
  }
  const { settled } = settlement
  const later = laterThan(of, settled)
  const had = later.filter((each) => isHad(of, each))
  yield settlementOf(of, settled, had)
  const isKnown = yield* recertified(
    of,
    later.filter((each) => !had.includes(each))
  )
  yield* voided(of, settled, later)
  return isKnown
}

/** `had`: accepted amounts that the accounting system has already, beside the payment's own. */
const settlementOf = (
  { move, payment }: Of,
  { basis, certificate_url, units }: Settled,
  had: ReadonlyArray<Later>
): Target => ({
  base: settlementPart,
  move,
  units: had.reduce((sum, { accepted }) => sum + (accepted ?? 0n), units),
  // One entry of a payment is its first; what a move posts again isn't.
  first: move.mark === unmoved ? "payment" : "adjustment",
  payment,
  effective_at: payment.at,
  certificate_url,
  basis: move.decision === undefined ? basis : [...basis, move.decision],
  ...besides(move, payment)
})

const besides = ({ mark }: Move, { reference }: PaymentFact) =>
  mark === unmoved ? { besides: knownOf(reference) } : undefined

/** A certificate after the payment, other than its own, with another amount. */
interface Later {
  readonly certificate: CertificateFact
  readonly question: Question
  /** What a person said that it moved; undefined: nothing, or not yet. */
  readonly accepted: bigint | undefined
}

/** Two of one time and amount, under different URLs, are one. */
const laterThan = ({ books, payment, unit }: Of, settled: Settled): ReadonlyArray<Later> => {
  const later = new Map<string, Later>()
  for (const certificate of books.certificates) {
    const { at, units } = certificate
    if (at <= payment.at || at === settled.at || units === settled.units) continue
    const question = questionOf(payment, certificate)
    const { holdId } = question
    if (later.has(holdId)) continue
    const answer = answerTo(question, books.decisions, unit)
    const accepted = "open" in answer || answer.units === null ? undefined : answer.units
    later.set(holdId, { certificate, question, accepted })
  }
  return [...later.values()]
}

/** Accepted after a restore, where the accounting system may have it: it is posted with the payment's own amount, if at all. */
const isHad = ({ books: { entries }, payment }: Of, { accepted, question }: Later): boolean =>
  accepted !== undefined &&
  entries.some(({ part }) => part === knownOf(payment.reference)) &&
  entries.every(({ part }) => baseOf(part) !== question.holdId)

function* recertified(of: Of, later: ReadonlyArray<Later>): Wanted {
  let areKnown = true
  for (const { certificate, question } of later) {
    const isKnown = yield* answered(of, question, {
      first: "adjustment",
      effective_at: certificate.at,
      certificate_url: certificate.url,
      basis: [of.payment, certificate]
    })
    areKnown &&= isKnown
  }
  return areKnown
}

/** What was posted for one that no longer qualifies is taken back, because the settlement has its amount now. */
function* voided({ books, move, payment }: Of, settled: Settled, later: ReadonlyArray<Later>): Generator<Target> {
  const seen = new Set(later.map(({ question }) => moved(question.holdId, move.mark)))
  for (const { certificate_url, effective_at, part, payment_reference } of books.entries) {
    const base = baseOf(part)
    if (base === settlementPart || isByHand(part) || isKnown(part)) continue
    if (payment_reference !== payment.reference || markOf(part) !== move.mark || seen.has(part)) continue
    seen.add(part)
    const decision = books.decisions.get(base)
    const basis = decision === undefined ? settled.basis : [...settled.basis, decision]
    const counts = "answers" as const
    yield { base, move, units: 0n, counts, first: "adjustment", payment, effective_at, certificate_url, basis }
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

/**
 * The question while it is open, then the accepted amount; nothing if it was rejected. Not known while an amount that was
 * accepted is asked again.
 */
function* answered(
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
  // What was rejected, the accounting system may have nevertheless.
  if (units === null && accepted.besides === undefined) return true
  const first = move.mark === unmoved ? accepted.first : "adjustment"
  const basis = [...accepted.basis, ...given]
  yield { ...accepted, first, base: question.holdId, move, payment, units: units ?? 0n, basis }
  return true
}
