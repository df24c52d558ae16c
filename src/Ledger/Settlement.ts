/**
 * What one payment settles: which certificate is its own, by everything known so far. Pure.
 *
 * A payment's certificate is the newest one dated at or before it, else the opening certificate, else the earliest one
 * dated after it. The answer depends on which facts there are, never on the order of their arrival.
 */
import { hash } from "node:crypto"
import * as Amount from "../Domain/Amount.ts"
import type { Instant } from "../Domain/Instant.ts"
import type { Basis, CertificateFact, DecisionFact, Fact, Hold, HoldReason, OpeningFact, PaymentFact } from "./Fact.ts"

/** What is known of one IPC. */
export interface Known {
  readonly ipcId: string
  readonly certificates: ReadonlyArray<CertificateFact>
  readonly opening: OpeningFact | undefined
  /** By the hold that was decided. */
  readonly decisions: ReadonlyMap<string, DecisionFact>
}

/** What a hold would be about. It becomes a Hold only when opened: most questions of a turn are open already. */
export interface Question {
  readonly holdId: string
  readonly reason: HoldReason
  readonly payment: PaymentFact
  readonly facts: ReadonlyArray<Fact>
  /** See Hold. */
  readonly units: bigint | null
}

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
    const question = ask(reason, payment, about, candidate, amounts.size === 1 ? first.units : null)
    const decision = known.decisions.get(question.holdId)
    if (decision === undefined) return { _tag: "Open", question }
    if (decision.verdict === "accept" && decision.units !== null) {
      return settled(decision.units, candidate, [payment, ...candidate, decision])
    }
  }
  const question = ask("awaiting-certified-amount", payment, [], [])
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

/** The same question about the same things has the same id, in any order of events. */
export const ask = (
  reason: HoldReason,
  payment: PaymentFact,
  about: ReadonlyArray<string>,
  facts: ReadonlyArray<Fact>,
  units: bigint | null = null
): Question => ({
  holdId: identify("hold", payment.ipcId, payment.reference, reason, ...about),
  reason,
  payment,
  facts,
  units
})

/** The hold that a question becomes. */
export const opened = (
  { facts, holdId, payment, reason, units }: Question,
  since: Instant,
  currency: string | null
): Hold => ({
  hold_id: holdId,
  ipc_id: payment.ipcId,
  payment_reference: payment.reference,
  reason,
  since,
  basis: basisOf([payment, ...facts]),
  units,
  currency
})

/** 128 bits of a hash over the parts, encoded so that no part can run into the next. */
export const identify = (...parts: ReadonlyArray<string>): string =>
  hash("sha256", JSON.stringify(parts), "hex").slice(0, 32)

/** For an auditor: units as amounts, names in one order, so a fact reads the same whether it is new or from the Store. */
export const basisOf = (facts: ReadonlyArray<Fact>): Basis =>
  facts.map(({ ipcId: _ipcId, ...fact }) =>
    Object.fromEntries(
      Object.entries(fact)
        .map(
          ([name, value]) =>
            (typeof value === "bigint" ? ["amount", Amount.ofUnits(value) ?? null] : [name, value]) as [
              string,
              string | number | null
            ]
        )
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
    )
  )
