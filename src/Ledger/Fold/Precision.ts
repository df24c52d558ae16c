/**
 * Amounts fit their currency: 100.005 isn't a valid amount in euros, and no accounting system accepts it. An amount
 * that doesn't fit is asked about, never rounded. Pure.
 */
import * as Amount from "../../Domain/Amount.ts"
import { ask, type Question } from "./Ask.ts"
import type { AnyCertificate, DecisionFact, Terms } from "../Fact.ts"

type Kept = Pick<Terms, "minorDigits">

const mostDigits = Amount.Money.scale

/** How many decimals an amount may have; without a currency, the maximum. */
export const digitsOf = (currency: string | null, { minorDigits }: Kept): number =>
  currency === null || minorDigits === null ? mostDigits : (minorDigits[currency] ?? 2)

/** The smallest amount of the currency, in ten-thousandths. */
export const minorUnit = (currency: string | null, terms: Kept): bigint =>
  10n ** BigInt(mostDigits - digitsOf(currency, terms))

export const fits = (units: bigint, unit: bigint): boolean => units % unit === 0n

/** False if a look-up found it in another currency. Events don't name one. */
export const isInCurrency = (certificate: AnyCertificate, currency: string | null): boolean =>
  certificate.kind !== "looked-up" ||
  certificate.currency === null ||
  currency === null ||
  certificate.currency === currency

/** As much of it as one entry can hold. */
export const fitting = (units: bigint, unit: bigint): bigint => {
  const most = Amount.fitting(units)
  return most === units ? units : most - (most % unit)
}

/** What people answered to a question about an amount; `units` is null if they gave none. */
export type Answer =
  | { readonly open: Question }
  | { readonly units: bigint | null; readonly given: ReadonlyArray<DecisionFact> }

/**
 * Asked again until the amount fits: its currency may have become known only after the answer. There is no other way
 * out: a person who says that money moved has to say how much.
 */
export const answerTo = (question: Question, decisions: ReadonlyMap<string, DecisionFact>, unit: bigint): Answer => {
  const given: Array<DecisionFact> = []
  for (let open = question; ;) {
    const decision = decisions.get(open.holdId)
    if (decision === undefined) return { open }
    const { units, verdict } = decision
    const isRefused = verdict === "reject" || units === null
    if (isRefused) return open === question ? { units: null, given: [decision] } : { open }
    given.push(decision)
    const { facts, part, subject } = question
    const again = ask("amount-too-precise", subject, [open.holdId, String(units)], [...facts, ...given], {
      part,
      units
    })
    // The newest answer counts, even if an earlier one would fit by now.
    if (fits(units, unit) && !decisions.has(again.holdId)) return { units, given }
    open = again
  }
}
