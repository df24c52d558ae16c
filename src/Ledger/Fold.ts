/**
 * The fold: the books of one IPC, one more fact → new books, new entries, holds opened and closed. Pure.
 *
 * Guarantees: the same facts in the same order give the same entries to the byte; at most one `payment` entry for an
 * IPC and reference; and once no hold is open, the net of the IPC is the same for any order of its facts that begins
 * with the same payment, because entries are only ever the difference between what is posted and what is now known
 * to be settled. What isn't known is asked, never guessed.
 */
import type { Instant } from "../Instant.ts"
import type { CertificateFact, DecisionFact, Entry, Fact, Hold, PaymentFact, Terms } from "./Fact.ts"
import { ask, basisOf, identify, type Known, type Question, settle, type Settled } from "./Settlement.ts"

export interface Books extends Known {
  readonly projectId: string | null
  /** One for each reference; the first is *the* payment. */
  readonly payments: ReadonlyArray<PaymentFact>
  readonly entries: ReadonlyArray<Entry>
  readonly holds: ReadonlyMap<string, Hold>
}

export interface Turn {
  readonly books: Books
  readonly entries: ReadonlyArray<Entry>
  readonly opened: ReadonlyArray<Hold>
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

/** False where a fact says nothing that isn't known already: it need not be kept. */
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
  if (!isNews(before, fact)) return { books: before, entries: [], opened: [], closed: [] }
  const known = learn(before, fact)
  const { entries, questions } = post(known, fact, terms)
  const holds = new Map(
    questions.map((question) => [
      question.holdId,
      before.holds.get(question.holdId) ?? { ...question, since: fact.knownAt }
    ])
  )
  return {
    books: { ...known, entries: [...known.entries, ...entries], holds },
    entries,
    opened: [...holds.values()].filter(({ holdId }) => !before.holds.has(holdId)),
    closed: [...before.holds.values()].filter(({ holdId }) => !holds.has(holdId))
  }
}

/** The books with one more fact known and nothing posted for it. */
export const learn = (books: Books, fact: Fact): Books => {
  switch (fact.kind) {
    case "certificate":
      return { ...books, certificates: [...books.certificates, fact] }
    case "payment":
      return { ...books, payments: [...books.payments, fact] }
    case "project":
      return { ...books, projectId: fact.projectId }
    case "opening":
      return { ...books, opening: fact }
    case "decision":
      return { ...books, decisions: new Map([...books.decisions, [fact.holdId, fact]]) }
  }
}

interface Posting {
  readonly entries: ReadonlyArray<Entry>
  readonly questions: ReadonlyArray<Question>
}

/** What has to be posted and asked now. */
const post = (books: Books, cause: Fact, terms: Terms): Posting => {
  const [payment, ...others] = books.payments
  if (payment === undefined) return { entries: [], questions: [] }
  const entries: Array<Entry> = []
  const questions: Array<Question> = []
  const add = (draft: Draft) => {
    const outcome = dated(books, draft, terms)
    if ("question" in outcome) questions.push(outcome.question)
    else if (outcome.draft !== undefined) entries.push(entry(books, outcome.draft, entries.length, cause, terms))
  }
  const settlement = settle(books, payment)
  if (settlement._tag === "Open") questions.push(settlement.question)
  else {
    const draft = difference(books, payment, settlement.settled)
    if (draft !== undefined) add(draft)
    for (const later of recertified(books, payment, settlement.settled)) {
      decided(books, ask("recertified-after-payment", payment, [later.at, String(later.units)], [later]), {
        asked: (question) => questions.push(question),
        accepted: (decision, units) => add(moved(payment, later, decision, units))
      })
    }
  }
  for (const other of others) {
    decided(books, ask("second-payment-reference", other, [], [payment]), {
      asked: (question) => questions.push(question),
      accepted: (decision, units) => add(second(other, decision, units))
    })
  }
  return { entries, questions }
}

/** An entry that isn't posted yet. */
interface Draft {
  readonly kind: "payment" | "adjustment" | "reversal"
  readonly units: bigint
  readonly payment: PaymentFact
  readonly effectiveAt: Instant
  readonly certificateUrl: string | null
  readonly part: string
  readonly basis: ReadonlyArray<Fact>
}

const settlementPart = "settlement"

/** What is missing between the books and what the payment settles. */
const difference = (books: Books, payment: PaymentFact, settled: Settled): Draft | undefined => {
  const posted = partOf(books, settlementPart)
  const net = posted.reduce((sum, { units }) => sum + units, 0n)
  if (settled.units === net) return undefined
  return {
    kind: posted.length === 0 ? "payment" : settled.units === 0n ? "reversal" : "adjustment",
    units: settled.units - net,
    payment,
    effectiveAt: payment.at,
    certificateUrl: settled.certificateUrl,
    part: settlementPart,
    basis: settled.basis
  }
}

/** Certificates after the payment that are not its own and say another amount. */
const recertified = (books: Books, payment: PaymentFact, settled: Settled): ReadonlyArray<CertificateFact> =>
  books.certificates.filter(({ at, units }) => at > payment.at && at !== settled.at && units !== settled.units)

const moved = (payment: PaymentFact, later: CertificateFact, decision: DecisionFact, units: bigint): Draft => ({
  kind: "adjustment",
  units,
  payment,
  effectiveAt: later.at,
  certificateUrl: later.url,
  part: decision.holdId,
  basis: [payment, later, decision]
})

const second = (payment: PaymentFact, decision: DecisionFact, units: bigint): Draft => ({
  kind: "payment",
  units,
  payment,
  effectiveAt: payment.at,
  certificateUrl: null,
  part: decision.holdId,
  basis: [payment, decision]
})

interface Answers {
  readonly asked: (question: Question) => void
  readonly accepted: (decision: DecisionFact, units: bigint) => void
}

const decided = (books: Books, question: Question, { accepted, asked }: Answers): void => {
  const decision = books.decisions.get(question.holdId)
  if (decision === undefined) asked(question)
  else if (decision.verdict === "accept" && decision.units !== null && decision.units !== 0n) {
    if (partOf(books, decision.holdId).length === 0) accepted(decision, decision.units)
  }
}

const partOf = (books: Books, part: string): ReadonlyArray<Entry> =>
  books.entries.filter((entry) => entry.part === part)

/** An entry that is effective in a closed period goes into the open one, or waits for a person to say so. */
const dated = (books: Books, draft: Draft, terms: Terms): { draft: Draft | undefined } | { question: Question } => {
  if (terms.openFrom === null || draft.effectiveAt >= terms.openFrom) return { draft }
  const moved = { ...draft, effectiveAt: terms.openFrom }
  if (terms.inClosedPeriod === "post") return { draft: moved }
  const question = ask("period-closed", draft.payment, [draft.part, String(draft.units)], draft.basis)
  const decision = books.decisions.get(question.holdId)
  if (decision === undefined) return { question }
  return { draft: decision.verdict === "accept" ? { ...moved, basis: [...moved.basis, decision] } : undefined }
}

const entry = (books: Books, draft: Draft, before: number, cause: Fact, terms: Terms): Entry => {
  const { basis, certificateUrl, effectiveAt, kind, part, payment, units } = draft
  const about = kind === "payment" ? payment : cause
  return {
    entryId: identify("entry", books.ipcId, part, String(books.entries.length + before)),
    ipcId: books.ipcId,
    projectId: books.projectId,
    kind,
    units,
    currency: terms.currencies[books.projectId ?? ""] ?? terms.currency,
    paymentReference: payment.reference,
    certificateUrl,
    debitAccount: terms.debitAccount,
    creditAccount: terms.creditAccount,
    effectiveAt,
    knownAt: cause.knownAt,
    eventId: about.eventId ?? null,
    reverses: kind === "reversal" ? (partOf(books, part)[0]?.entryId ?? null) : null,
    part,
    basis: basisOf(basis)
  }
}
