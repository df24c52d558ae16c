/** Random steps of a history: events, other terms, answers to holds, and what people add. */
import * as Amount from "../../../src/Domain/Amount.ts"
import type { Entry, Hold, HoldReason, Terms } from "../../../src/Ledger/Fact.ts"
import type { Books } from "../../../src/Ledger/Fold/Known.ts"
import type { Random } from "../../Seeded.ts"
import { contractor } from "../Contractor.ts"
import { certificate, minute, opening, payment, project, type ShortFact } from "../Histories.ts"
import type { Recording } from "./Recording.ts"

const amounts = [100n, 200n, 300n, 400n, 100n, 200n, 300n, 0n, -40n]
const people = ["Ana", "Ben", "Cy"]

export const randomTerms = ({ below, chance, pick }: Random): Terms => ({
  ...contractor,
  ...(chance(0.5) ? {} : { debitAccount: "payable", creditAccount: "bank" }),
  currency: pick(["EUR", "CHF", null]),
  currencies: chance(0.4) ? { "7": "USD", "9": "GBP" } : {},
  minorDigits: pick([null, {}, { EUR: 3, CHF: 3 }, { EUR: 4, USD: 1 }]),
  openFrom: chance(0.6) ? minute(2 + below(12)) : null,
  inClosedPeriod: chance(0.25) ? "post" : "hold",
  confirmAbove: chance(0.5) ? "0.0150" : null
})

export const steps = (recording: Recording, random: Random, count: number): void => {
  for (let step = 0; step < count; step++) oneStep(recording, random)
}

export const oneStep = (recording: Recording, random: Random): void => {
  const { below, chance, pick } = random
  const { holds, terms } = recording
  if (chance(0.1)) {
    recording.change(
      chance(0.5) ? randomTerms(random) : { ...terms, openFrom: chance(0.4) ? null : minute(2 + below(12)) }
    )
  } else if (holds.length > 0 && chance(0.5)) recording.record(answer(pick(holds), random))
  else recording.record(chance(0.15) ? byHand(recording, random) : event(random))
}

const event = ({ below, chance, pick }: Random): ShortFact => {
  const kind = below(10)
  if (kind < 5) return certificate(1 + below(9), pick(amounts), pick(["https://c/a", "https://c/b"]))
  if (kind < 7) {
    const units = chance(0.4) ? pick([60n, 100n, 100n, 200n, 0n]) : undefined
    return payment(1 + below(9), chance(0.6) ? "P" : pick(["Q", "R"]), units)
  }
  return kind < 9 ? project(pick(["7", "8", "9"]), below(20)) : opening(BigInt(50 + below(3) * 50))
}

/** Amounts that an acceptance takes. */
const accepted: Readonly<Partial<Record<HoldReason, ReadonlyArray<bigint>>>> = {
  "awaiting-certified-amount": [100n, 200n, 350n],
  "ambiguous-order": [100n, 200n, 350n],
  "second-payment-reference": [100n, 200n, 350n],
  "amount-not-positive": [100n, -20n, 20n, 0n],
  "paid-amount-unclear": [60n, 100n, 200n, 1000n],
  "amount-too-precise": [100n, 1000n, 1000n, 120n, 0n],
  "recertified-after-payment": [100n, -20n, 20n, 0n]
}

export const answer = (hold: Hold, { chance, pick }: Random): ShortFact => {
  const { reason } = hold
  const isAwaited =
    reason === "awaiting-certified-amount" ||
    reason === "currency-unknown" ||
    reason === "paid-amount-unclear" ||
    (reason === "amount-too-precise" && hold.basis.some(({ kind }) => kind === "decision"))
  const verdict = isAwaited || chance(0.6) ? "accept" : "reject"
  const units = verdict === "accept" ? pick(accepted[reason] ?? [null]) : null
  const first = reason === "second-person" ? hold.basis[0]?.["by"] : undefined
  return {
    kind: "decision",
    holdId: hold.hold_id,
    verdict,
    units,
    ...(reason === "currency-unknown" ? { currency: "SEK" } : {}),
    by: pick(people.filter((name) => name !== first)),
    reason: "checked"
  }
}

const byHand = ({ books, terms }: Recording, { chance, pick }: Random): ShortFact => {
  const limit = terms.confirmAbove === null ? undefined : Amount.toUnits(terms.confirmAbove)
  const needsSecond = (units: bigint) => limit !== undefined && (units < 0n ? -units : units) > limit
  const common = { by: pick(people), reason: "because" }
  const entries = books.entries.filter((entry) => isReversible(books, entry))
  if (entries.length > 0 && chance(0.6)) {
    const { currency, entry_id: entryId, payment_reference: reference, units } = pick(entries)
    return { kind: "reversal", entryId, units, currency, reference, needsSecond: needsSecond(units), ...common }
  }
  const reference = pick(["P", "P", "Q", "IPC-1"])
  const own = books.entries.findLast((entry) => entry.payment_reference === reference)
  const currency = own === undefined ? pick(["EUR", "USD"]) : own.currency
  const units = pick([30n, 170n, -60n, -200n])
  return { kind: "posting", units, currency, reference, evidence: "paper", needsSecond: needsSecond(units), ...common }
}

const isReversible = (books: Books, entry: Entry): boolean =>
  books.entries.every(({ reverses }) => reverses !== entry.entry_id) &&
  books.byHand.every((fact) => fact.kind !== "reversal" || fact.entryId !== entry.entry_id) &&
  !isAtZero(books, entry)

export const isAtZero = ({ entries }: Books, { part }: Entry): boolean =>
  entries.filter((entry) => entry.part === part).reduce((sum, { units }) => sum + units, 0n) === 0n
