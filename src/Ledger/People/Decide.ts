/**
 * A person's decision about a hold, checked before it becomes a fact: who, why, and the amount or currency it needs.
 */
import { Schema } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import type { Instant } from "../../Domain/Instant.ts"
import { isCurrency, isNoCurrency } from "../../../config/Currency.ts"
import type { NewFact } from "../Books.ts"
import type { Basis, HoldReason, Terms } from "../Fact.ts"
import { digitsOf, fits, minorUnit } from "../Fold/Precision.ts"
import { questions } from "./Questions.ts"

export class LedgerError extends Schema.TaggedError<LedgerError>()("LedgerError", { message: Schema.String }) {}

export interface Decision {
  /** A hold's id, or its beginning if that is unique. */
  readonly hold: string
  readonly verdict: "accept" | "reject"
  /** As the person wrote it. */
  readonly amount: string | undefined
  /** As the person wrote it, if the hold asks for it. */
  readonly currency?: string | undefined
  readonly by: string
  readonly reason: string
}

interface Decided extends Decision {
  /** Who decides, as the worker knows them; null if it doesn't. */
  readonly principal: string | null
}

interface Open {
  readonly hold_id: string
  readonly ipc_id: string
  readonly reason: HoldReason
  /** As stored. */
  readonly basis: string
}

/** The currency and terms of an amount. */
interface In {
  /** Null if there is none, or it isn't known yet. */
  readonly currency: string | null
  readonly terms: Terms
}

/** Which amount an acceptance needs; undefined for none. */
const amounts: Readonly<Record<HoldReason, "positive" | "any" | undefined>> = {
  "awaiting-certified-amount": "positive",
  "ambiguous-order": "positive",
  "previous-amount-unknown": "positive",
  "amount-not-positive": "any",
  "amount-too-precise": "any",
  "recertified-after-payment": "any",
  "second-payment-reference": "positive",
  "paid-amount-unclear": "any",
  "over-payment": undefined,
  "period-closed": undefined,
  "currency-unknown": undefined,
  "period-reopened": undefined,
  "changed-after-refusal": undefined,
  "project-changed": undefined,
  "second-person": undefined,
  "differs-from-accounting": undefined
}

/** Holds that can't be rejected because the payment was made, and what to do instead. */
const awaited: Readonly<Partial<Record<HoldReason, string>>> = {
  "awaiting-certified-amount": "Accept it with its amount, or wait for its certificate.",
  "previous-amount-unknown":
    "Accept it with the amount due for it, or state in the ledger's file what was certified before.",
  "paid-amount-unclear": "Accept it with the amount paid, 0 if nothing was.",
  "currency-unknown": "Accept it with its currency, or wait for an event that names its project."
}

const insteadOf = ({ basis, reason }: Open): string | undefined =>
  reason === "amount-too-precise" && (JSON.parse(basis) as Basis).some(({ kind }) => kind === "decision")
    ? "Accept it with an amount that has no more decimals than its currency."
    : awaited[reason]

/** The fact, or a sentence for the person that says what is wrong. */
export const factOf = (decision: Decided, open: ReadonlyArray<Open>, money: In, now: Instant): NewFact | string => {
  const { by, reason, verdict } = decision
  const [hold, another] = open
  if (hold === undefined) return `There is no open hold ${decision.hold}.`
  if (another !== undefined) return `Several open holds begin with ${decision.hold}: give more of the id.`
  if (by.trim() === "" || reason.trim() === "") return "Say who decides (--by) and why (--reason)."
  const instead = insteadOf(hold)
  if (verdict === "reject" && instead !== undefined) {
    return `A payment that was made can't be rejected. ${instead}`
  }
  const first = hold.reason === "second-person" && verdict === "accept" ? firstPerson(hold) : undefined
  if (first !== undefined && isSamePerson(first, decision)) {
    return `${first.by} asked for it: another person has to accept it.`
  }
  const units = unitsOf(decision, hold.reason, money)
  if (typeof units === "string") return units
  const currency = currencyOf(decision, hold.reason)
  if (typeof currency === "string") return currency
  const { hold_id: holdId, ipc_id: ipcId } = hold
  return { kind: "decision", ipcId, knownAt: now, holdId, verdict, units, ...currency, by, reason }
}

interface Person {
  readonly by: string
  readonly principal: string | null
}

const firstPerson = ({ basis }: Open): Person => {
  const [act] = JSON.parse(basis) as Basis
  const principal = act?.["principal"]
  return { by: String(act?.["by"]), principal: typeof principal === "string" ? principal : null }
}

/**
 * The admin token and an operating-system user may be shared. A principal is one person, no matter what name is noted.
 */
const isShared = (principal: string): boolean => principal === "admin" || principal.startsWith("os:")

const isSamePerson = (one: Person, other: Person): boolean =>
  isSame(one.by, other.by) || (one.principal !== null && one.principal === other.principal && !isShared(one.principal))

/** Regardless of spelling: case, spaces and the form of accented letters don't make another person. */
const isSame = (one: string, other: string): boolean => plain(one) === plain(other)

const plain = (name: string): string => name.normalize("NFKC").toLowerCase().replace(/\s+/g, " ").trim()

/** As part of the fact, or a sentence for the person. */
const currencyOf = ({ currency, verdict }: Decision, reason: HoldReason): { readonly currency?: string } | string => {
  if (verdict === "reject" || reason !== "currency-unknown") {
    return currency === undefined ? {} : "This decision takes no currency."
  }
  if (currency === undefined) return `Say the currency (--currency). ${questions[reason]}`
  return isCurrency(currency) ? { currency } : isNoCurrency
}

const unitsOf = (
  { amount, verdict }: Decision,
  reason: HoldReason,
  { currency, terms }: In
): bigint | string | null => {
  const takes = verdict === "accept" ? amounts[reason] : undefined
  if (takes === undefined) return amount === undefined ? null : "This decision takes no amount."
  if (amount === undefined) return `Say the amount (--amount). ${questions[reason]}`
  const units = written(amount, currency, terms)
  return takes === "positive" && typeof units === "bigint" && units <= 0n ? "The amount must be more than zero." : units
}

/** An amount as a person writes it, or a sentence that says what is wrong. */
export const written = (amount: string, currency: string | null, terms: Terms): bigint | string => {
  const text = Amount.read(amount, Amount.Money)
  if (text === undefined) return "The amount isn't a number with at most 24 digits before the point and 4 after it."
  const units = Amount.toUnits(text)
  if (fits(units, minorUnit(currency, terms))) return units
  const digits = digitsOf(currency, terms)
  return `The amount has too many decimals: ${currency} has ${digits === 0 ? "none" : digits}.`
}
