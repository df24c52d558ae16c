/**
 * A payment whose event doesn't say its amount: it settles its certificate, and a person says what later certificates
 * moved. Pure.
 */
import { ask, type Question } from "./Ask.ts"
import type { AnyCertificate, PaymentFact } from "../Fact.ts"
import { baseOf, isOfPayment, isKnown, knownOf, markOf, moved, unmoved } from "./Parts.ts"
import { answerTo } from "./Precision.ts"
import type { Target } from "./Posted.ts"
import { settle, type Settled, settlementPart } from "./Settlement.ts"
import { answered, besides, type Of, type Wanted } from "./Wanted.ts"

export function* byCertificate(of: Of): Wanted {
  const settlement = settle(of.books, of.payment, of)
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

/** `had`: accepted amounts that the accounting system already has, besides the payment's own. */
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

/** A certificate after the payment, other than its own, with a different amount. */
interface Later {
  readonly certificate: AnyCertificate
  readonly question: Question
  /** What a person said that it moved; undefined for nothing, or not yet answered. */
  readonly accepted: bigint | undefined
}

/** Two certificates of the same time and amount under different URLs count as one. */
const laterThan = ({ books, dueBy, payment, unit }: Of, settled: Settled): ReadonlyArray<Later> => {
  const later = new Map<string, Later>()
  for (const certificate of books.certificates) {
    const { at } = certificate
    if (at <= payment.at || at === settled.at) continue
    const due = dueBy(certificate)?.units ?? null
    if (due === settled.units) continue
    const question = questionOf(payment, certificate, due)
    const { holdId } = question
    if (later.has(holdId)) continue
    const answer = answerTo(question, books.decisions, unit)
    const accepted = "open" in answer || answer.units === null ? undefined : answer.units
    later.set(holdId, { certificate, question, accepted })
  }
  return [...later.values()]
}

/**
 * Accepted after a restore, when the accounting system may already have it: it is posted with the payment's own amount,
 * if at all.
 */
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

/**
 * What was posted for a certificate that no longer qualifies is reversed, because the settlement now includes its
 * amount.
 */
export function* voided(
  { books, move, payment }: Of,
  settled: Settled,
  later: ReadonlyArray<Later>
): Generator<Target> {
  const seen = new Set(later.map(({ question }) => moved(question.holdId, move.mark)))
  for (const { certificate_url, effective_at, part, payment_reference } of books.entries) {
    const base = baseOf(part)
    if (base === settlementPart || !isOfPayment(part) || isKnown(part)) continue
    if (payment_reference !== payment.reference || markOf(part) !== move.mark || seen.has(part)) continue
    seen.add(part)
    const decision = books.decisions.get(base)
    const basis = decision === undefined ? settled.basis : [...settled.basis, decision]
    const counts = "answers" as const
    yield { base, move, units: 0n, counts, first: "adjustment", payment, effective_at, certificate_url, basis }
  }
}

/** Cached: with 2,000 certificates after a payment, hashing all of them again for each new one took seconds. */
const questions = new WeakMap<PaymentFact, WeakMap<AnyCertificate, Question>>()

/** `due`: by the certificate; null if not known. If it isn't the whole certified amount, it is part of the question. */
const questionOf = (payment: PaymentFact, later: AnyCertificate, due: bigint | null): Question => {
  if (due !== later.units) {
    const about = [later.at, String(later.units), ...(due === null ? [] : [String(due)])]
    return ask("recertified-after-payment", payment, about, [later], { units: due })
  }
  const known = questions.get(payment) ?? new WeakMap<AnyCertificate, Question>()
  questions.set(payment, known)
  const question =
    known.get(later) ??
    ask("recertified-after-payment", payment, [later.at, String(later.units)], [later], { units: later.units })
  known.set(later, question)
  return question
}
