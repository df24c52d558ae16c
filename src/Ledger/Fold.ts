/**
 * The fold: the books of one IPC, one more fact → new books, new entries, holds opened and closed. Pure.
 *
 * Guarantees: the same facts in the same order give the same entries to the byte. There is at most one `payment` entry
 * for an IPC and reference. Once no hold is open, the net of the IPC is the same for any order of its facts that begins
 * with the same payment, provided that the same question gets the same answer: an entry is the difference between what
 * is posted and what is now known, and what was posted for a question that went away is taken back. What isn't known is
 * asked, never guessed.
 */
import type { CertificateFact, Entry, Fact, Hold, PaymentFact, Terms } from "./Fact.ts"
import { currencyOf, type Posted, reach, type Target } from "./Posted.ts"
import { ask, opened, type Question, settle, type Settled } from "./Settlement.ts"

export interface Books extends Posted {
  /** One for each reference; the first is *the* payment. */
  readonly payments: ReadonlyArray<PaymentFact>
  readonly holds: ReadonlyMap<string, Hold>
}

export interface Turn {
  readonly books: Books
  readonly entries: ReadonlyArray<Entry>
  readonly opened: ReadonlyArray<Hold>
  /** Open before and after, with another amount. */
  readonly changed: ReadonlyArray<Hold>
  readonly closed: ReadonlyArray<Hold>
}

export const empty = (ipcId: string): Books => ({
  ipcId,
  projectId: null,
  certificates: [],
  opening: undefined,
  payments: [],
  decisions: new Map(),
  entries: [],
  holds: new Map()
})

/** False if everything that the fact says is known already; then it isn't kept. */
export const isNews = (books: Books, fact: Fact): boolean => {
  switch (fact.kind) {
    case "certificate":
      return !books.certificates.some(
        ({ at, units, url }) => at === fact.at && units === fact.units && url === fact.url
      )
    case "payment":
      return !books.payments.some(({ reference }) => reference === fact.reference)
    case "project":
      return books.projectId === null
    case "decision":
      return books.holds.has(fact.holdId)
    case "opening":
      return true
  }
}

export const fold = (before: Books, fact: Fact, terms: Terms): Turn => {
  if (!isNews(before, fact)) return { books: before, entries: [], opened: [], changed: [], closed: [] }
  const known = learn(before, [fact])
  const { entries, questions } = post(known, fact, terms)
  const books = { ...known, entries: [...known.entries, ...entries] }
  const holds = new Map<string, Hold>()
  const currencies = new Map<PaymentFact, string | null>()
  for (const question of questions) {
    const { holdId, payment, units } = question
    // One question may concern several parts of a payment: its hold shows the amount of the first, the settlement.
    if (holds.has(holdId)) continue
    if (!currencies.has(payment)) currencies.set(payment, currencyOf(books, payment, terms))
    const currency = units === null ? null : (currencies.get(payment) ?? null)
    const open = before.holds.get(holdId) ?? opened(question, fact.knownAt, currency)
    holds.set(holdId, open.units === units && open.currency === currency ? open : { ...open, units, currency })
  }
  return {
    books: { ...books, holds },
    entries,
    opened: [...holds.values()].filter(({ hold_id }) => !before.holds.has(hold_id)),
    changed: [...holds.values()].filter((hold) => (before.holds.get(hold.hold_id) ?? hold) !== hold),
    closed: [...before.holds.values()].filter(({ hold_id }) => !holds.has(hold_id))
  }
}

/** The books with these facts known, and nothing posted for them yet. */
export const learn = (books: Books, facts: ReadonlyArray<Fact>): Books => {
  const of = <K extends Fact["kind"]>(kind: K) =>
    facts.filter((fact): fact is Extract<Fact, { readonly kind: K }> => fact.kind === kind)
  return {
    ...books,
    projectId: of("project").at(-1)?.projectId ?? books.projectId,
    certificates: and(books.certificates, of("certificate")),
    opening: of("opening").at(-1) ?? books.opening,
    payments: and(books.payments, of("payment")),
    decisions: new Map([...books.decisions, ...of("decision").map((fact) => [fact.holdId, fact] as const)])
  }
}

const and = <A>(known: ReadonlyArray<A>, more: ReadonlyArray<A>): ReadonlyArray<A> =>
  more.length === 0 ? known : [...known, ...more]

interface Posting {
  readonly entries: ReadonlyArray<Entry>
  readonly questions: ReadonlyArray<Question>
}

/** What has to be posted and asked now. */
const post = (books: Books, cause: Fact, terms: Terms): Posting => {
  const entries: Array<Entry> = []
  const questions: Array<Question> = []
  for (const wanted of wants(books)) {
    if ("holdId" in wanted) questions.push(wanted)
    else {
      // Including this turn's entries: two certificates of one instant and amount want the same part, once.
      const next = () => reach({ ...books, entries: [...books.entries, ...entries] }, wanted, cause, terms)
      for (let outcome = next(); outcome !== undefined; outcome = next()) {
        if ("question" in outcome) {
          questions.push(outcome.question)
          break
        }
        entries.push(outcome.entry)
      }
    }
  }
  return { entries, questions }
}

/** What each part of the books should be by everything known, and what only a person can answer. */
function* wants(books: Books): Generator<Target | Question> {
  const [payment, ...others] = books.payments
  if (payment === undefined) return
  const settlement = settle(books, payment)
  if (settlement._tag === "Open") yield settlement.question
  else {
    yield settlementOf(payment, settlement.settled)
    yield* recertified(books, payment, settlement.settled)
  }
  for (const other of others) yield* second(books, other, payment)
}

const settlementPart = "settlement"

const settlementOf = (payment: PaymentFact, { basis, certificate_url, units }: Settled): Target => ({
  part: settlementPart,
  units,
  first: "payment",
  payment,
  effective_at: payment.at,
  certificate_url,
  basis
})

/**
 * Certificates after the payment, other than its own, with another amount. What was posted for one that no longer
 * qualifies is taken back, because the settlement has its amount now.
 */
function* recertified(books: Books, payment: PaymentFact, settled: Settled): Generator<Target | Question> {
  const asked = new Set<string>()
  for (const later of books.certificates) {
    if (later.at <= payment.at || later.at === settled.at || later.units === settled.units) continue
    const question = questionOf(payment, later)
    asked.add(question.holdId)
    yield* answered(books, question, {
      first: "adjustment",
      payment,
      effective_at: later.at,
      certificate_url: later.url,
      basis: [payment, later]
    })
  }
  for (const { certificate_url, effective_at, part, payment_reference } of books.entries) {
    if (part === settlementPart || payment_reference !== payment.reference || asked.has(part)) continue
    asked.add(part)
    const decision = books.decisions.get(part)
    const basis = decision === undefined ? settled.basis : [...settled.basis, decision]
    yield { part, units: 0n, first: "adjustment", payment, effective_at, certificate_url, basis }
  }
}

/** Cached: with 2,000 certificates after a payment, hashing all of them again for each new one took seconds. */
const questions = new WeakMap<PaymentFact, WeakMap<CertificateFact, Question>>()

const questionOf = (payment: PaymentFact, later: CertificateFact): Question => {
  const known = questions.get(payment) ?? new WeakMap<CertificateFact, Question>()
  questions.set(payment, known)
  const question =
    known.get(later) ?? ask("recertified-after-payment", payment, [later.at, String(later.units)], [later], later.units)
  known.set(later, question)
  return question
}

const second = (books: Books, payment: PaymentFact, first: PaymentFact): Generator<Target | Question> =>
  answered(books, ask("second-payment-reference", payment, [], [first]), {
    first: "payment",
    payment,
    effective_at: payment.at,
    certificate_url: null,
    basis: [payment]
  })

/** The question while it is open, then the accepted amount, or nothing if it was rejected. */
function* answered(
  books: Books,
  question: Question,
  accepted: Omit<Target, "part" | "units">
): Generator<Target | Question> {
  const decision = books.decisions.get(question.holdId)
  if (decision === undefined) yield question
  else if (decision.verdict === "accept" && decision.units !== null) {
    yield { ...accepted, part: decision.holdId, units: decision.units, basis: [...accepted.basis, decision] }
  }
}
