/**
 * What one payment settles: which certificate is its own, by everything known so far. Pure.
 *
 * A payment's certificate is the newest one dated at or before it, else the opening certificate, else the earliest one
 * dated after it. The answer depends on which facts there are, never on the order of their arrival.
 */
import type { Instant } from "../../Domain/Instant.ts"
import { ask, type Question } from "./Ask.ts"
import type { CertificateFact, DecisionFact, Fact, OpeningFact, PaymentFact } from "../Fact.ts"

/** What decides which certificate is a payment's own. */
export interface Known {
  readonly certificates: ReadonlyArray<CertificateFact>
  readonly opening: OpeningFact | undefined
  /** By the hold that was decided. */
  readonly decisions: ReadonlyMap<string, DecisionFact>
}

/** The part of the books that a payment's own amount is posted to. */
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

export const settle = (known: Known, payment: PaymentFact): Settlement => {
  for (const candidate of candidates(known, payment.at)) {
    const amounts = new Set(candidate.map(({ units }) => units))
    const [first] = candidate
    if (first === undefined) continue
    if (amounts.size === 1 && first.units > 0n) return settled(first.units, candidate, [payment, first])
    const reason = amounts.size === 1 ? "amount-not-positive" : "ambiguous-order"
    const about = [...dated(candidate), ...[...amounts].map(String).toSorted()]
    const units = amounts.size === 1 ? first.units : null
    const question = ask(reason, payment, about, candidate, { part: settlementPart, units })
    const decision = known.decisions.get(question.holdId)
    if (decision === undefined) return { _tag: "Open", question }
    if (decision.verdict === "accept" && decision.units !== null) {
      return settled(decision.units, candidate, [payment, ...candidate, decision])
    }
  }
  const question = ask("awaiting-certified-amount", payment, [], [], { part: settlementPart })
  const decision = known.decisions.get(question.holdId)
  return decision === undefined || decision.units === null
    ? { _tag: "Open", question }
    : settled(decision.units, [], [payment, decision])
}

type Certificate = CertificateFact | OpeningFact

const settled = (units: bigint, from: ReadonlyArray<Certificate>, basis: ReadonlyArray<Fact>): Settlement => {
  const first = from.find((fact) => fact.kind === "certificate")
  return {
    _tag: "Settled",
    settled: { units, certificate_url: first?.url ?? null, at: first?.at, basis }
  }
}

const dated = (from: ReadonlyArray<Certificate>): ReadonlyArray<string> => {
  const [first] = from
  return [first?.kind === "certificate" ? first.at : "opening"]
}

/** The certificates, one instant at a time, in the order of preference. */
function* candidates(known: Known, paidAt: Instant): Generator<ReadonlyArray<Certificate>> {
  const { certificates, opening } = known
  yield* instants(
    certificates.filter(({ at }) => at <= paidAt),
    (one, other) => one > other
  )
  if (opening !== undefined) yield [opening]
  yield* instants(
    certificates.filter(({ at }) => at > paidAt),
    (one, other) => one < other
  )
}

/** Searched one by one, because the first nearly always settles it: sorting took most of the time of a long list. */
function* instants(
  from: ReadonlyArray<CertificateFact>,
  isBefore: (one: Instant, other: Instant) => boolean
): Generator<ReadonlyArray<CertificateFact>> {
  for (let rest = from; rest.length > 0;) {
    const { at: next } = rest.reduce((first, one) => (isBefore(one.at, first.at) ? one : first))
    yield rest.filter(({ at }) => at === next).toSorted(byContents)
    rest = rest.filter(({ at }) => at !== next)
  }
}

/** Not by number: the order of arrival decides nothing. */
const byContents = (a: CertificateFact, b: CertificateFact): number => {
  const [textA, textB] = [`${a.units} ${a.url}`, `${b.units} ${b.url}`]
  return textA < textB ? -1 : textA > textB ? 1 : 0
}
