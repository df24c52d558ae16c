/**
 * What one payment settles: which certificate is its own, by everything known so far. Pure.
 *
 * A payment's certificate is the newest one dated at or before it; otherwise the opening certificate; otherwise the
 * earliest one dated after it. A certificate that a look-up found counts only if it isn't dated after the payment and
 * isn't in another currency. The answer depends only on which facts exist, never on the order of their arrival.
 */
import type { Instant } from "../../Domain/Instant.ts"
import { ask, type Question, undated } from "./Ask.ts"
import type { Due, DueBy } from "./CertifiedAs.ts"
import type { AnyCertificate, DecisionFact, Fact, HoldReason, OpeningFact, PaymentFact } from "../Fact.ts"
import { answerTo, fits, isInCurrency } from "./Precision.ts"

/** What determines which certificate is a payment's own. */
export interface Known {
  readonly certificates: ReadonlyArray<AnyCertificate>
  readonly opening: OpeningFact | undefined
  /** By the hold that was decided. */
  readonly decisions: ReadonlyMap<string, DecisionFact>
}

/** The part of the books to which a payment's own amount is posted. */
export const settlementPart = "settlement"

export interface Settled {
  readonly units: bigint
  readonly certificate_url: string | null
  /** The date of its certificate; undefined if a person gave the amount. */
  readonly at: Instant | undefined
  readonly basis: ReadonlyArray<Fact>
}

export type Settlement =
  | { readonly _tag: "Settled"; readonly settled: Settled }
  | { readonly _tag: "Open"; readonly question: Question }

/** How amounts of certificates count. */
export interface Counting {
  readonly dueBy: DueBy
  /** The payment's currency; null if none is known. */
  readonly currency: string | null
  /** Its smallest amount. */
  readonly unit: bigint
}

/** `paidAt`: when a further payment was made, to find what is due by then. */
export const settle = (known: Known, payment: PaymentFact, how: Counting, paidAt = payment.at): Settlement => {
  for (const candidate of candidates(known, how.currency, paidAt)) {
    const { amounts, due, reason } = judge(candidate, how)
    const facts = [...candidate, ...(due?.basis ?? [])]
    if (due !== undefined && reason === undefined) {
      return settled(due.units, candidate, [payment, ...candidate.slice(0, 1), ...due.basis])
    }
    if (reason === undefined) continue
    const about = [...dated(candidate), ...amounts.map(String).toSorted()]
    const question = ask(reason, payment, about, facts, { part: settlementPart, units: due?.units ?? null })
    const answer = answerTo(question, known.decisions, how.unit)
    if ("open" in answer) return { _tag: "Open", question: answer.open }
    if (answer.units !== null) return settled(answer.units, candidate, [payment, ...facts, ...answer.given])
    // The certificate counts, and what is due by it was paid.
    if (reason === "previous-amount-unknown") return { _tag: "Open", question }
  }
  const question = ask("awaiting-certified-amount", payment, [], [], { part: settlementPart })
  const answer = answerTo(question, known.decisions, how.unit)
  if ("open" in answer) return { _tag: "Open", question: answer.open }
  return answer.units === null ? { _tag: "Open", question } : settled(answer.units, [], [payment, ...answer.given])
}

type Certificate = AnyCertificate | OpeningFact

interface Judged {
  /** The amounts that the question is about. */
  readonly amounts: ReadonlyArray<bigint>
  readonly due: Pick<Due, "basis" | "units"> | undefined
  /** Why a person has to be asked. */
  readonly reason: HoldReason | undefined
}

/** The certificates of one instant. */
const judge = (candidate: ReadonlyArray<Certificate>, { dueBy, unit }: Counting): Judged => {
  const [first] = candidate
  const amounts = candidate.length === 1 ? [first!.units] : [...new Set(candidate.map(({ units }) => units))]
  if (first === undefined || amounts.length > 1) {
    // If what precedes has another amount, it is another question.
    const dues = candidate.map((each) => (each.kind === "opening" ? each.units : dueBy(each)?.units))
    const others = dues.filter((units) => units !== undefined && !amounts.includes(units))
    return {
      amounts: [...amounts, ...new Set(others)] as ReadonlyArray<bigint>,
      due: undefined,
      reason: "ambiguous-order"
    }
  }
  // What a person signed off is due as it stands.
  const due: Pick<Due, "basis" | "units"> | undefined =
    first.kind === "opening" ? { units: first.units, basis: [] } : dueBy(first)
  if (due === undefined) return { amounts, due, reason: "previous-amount-unknown" }
  const all = due.units === first.units ? amounts : [...amounts, due.units]
  return { amounts: all, due, reason: objectionTo(due.units, unit) ?? objectionTo(first.units, unit) }
}

const objectionTo = (units: bigint, unit: bigint): HoldReason | undefined => {
  if (units <= 0n) return "amount-not-positive"
  return fits(units, unit) ? undefined : "amount-too-precise"
}

const settled = (units: bigint, from: ReadonlyArray<Certificate>, basis: ReadonlyArray<Fact>): Settlement => {
  const first = from.find((fact) => fact.kind !== "opening")
  return {
    _tag: "Settled",
    settled: { units, certificate_url: first?.url ?? null, at: first?.at, basis }
  }
}

const dated = (from: ReadonlyArray<Certificate>): ReadonlyArray<string> => {
  const [first] = from
  return [first === undefined || first.kind === "opening" ? undated : first.at]
}

/** The certificates, one instant at a time, in order of preference. */
function* candidates(
  { certificates: all, opening }: Known,
  currency: string | null,
  paidAt: Instant
): Generator<ReadonlyArray<Certificate>> {
  const certificates = all.filter((each) => isInCurrency(each, currency))
  yield* instants(
    certificates.filter(({ at }) => at <= paidAt),
    (one, other) => one > other
  )
  if (opening !== undefined) yield [opening]
  yield* instants(
    certificates.filter(({ at, kind }) => at > paidAt && kind !== "looked-up"),
    (one, other) => one < other
  )
}

/** Searched one by one, because the first nearly always settles it: sorting took most of the time for a long list. */
function* instants(
  from: ReadonlyArray<AnyCertificate>,
  isBefore: (one: Instant, other: Instant) => boolean
): Generator<ReadonlyArray<AnyCertificate>> {
  if (from.length === 1) return yield from
  for (let rest = from; rest.length > 0;) {
    const { at: next } = rest.reduce((first, one) => (isBefore(one.at, first.at) ? one : first))
    yield rest.filter(({ at }) => at === next).toSorted(byContents)
    rest = rest.filter(({ at }) => at !== next)
  }
}

/** Not by number: the order of arrival decides nothing. */
const byContents = (a: AnyCertificate, b: AnyCertificate): number => {
  const [textA, textB] = [`${a.units} ${a.url}`, `${b.units} ${b.url}`]
  return textA < textB ? -1 : textA > textB ? 1 : 0
}
