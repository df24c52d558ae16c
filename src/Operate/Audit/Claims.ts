/**
 * What facts say, as numbers that can be compared by the million. Pure.
 */
import { hash } from "node:crypto"
import type { Agreed } from "../../Ledger/Agreed.ts"
import type { NewFact } from "../../Ledger/Books.ts"
import type { Fact, PaymentFact } from "../../Ledger/Fact.ts"
import { rulesOf } from "../../Ledger/Fold/Rules.ts"

export type OfEvent = NewFact | Fact

/**
 * 52 bits: among a million claims, one in nine thousand has the number of another. Each part has its length before it, so none
 * can run into the next: to make JSON of them, and to parse a number, took longer than the hash.
 */
const numberOf = (parts: ReadonlyArray<string | null>): number => {
  let text = ""
  for (const part of parts) text += part === null ? "-" : `${part.length}:${part}`
  const digest = hash("sha256", text, "hex")
  let number = 0
  for (let at = 0; at < digits; at++) number = number * 16 + valueOf(digest.charCodeAt(at))
  return number
}

const digits = 13

/** Of a hexadecimal digit. */
const valueOf = (code: number): number => (code < 58 ? code - 48 : code - 87)

/** Undefined for what no event tells of. */
const contentOf = (fact: OfEvent): ReadonlyArray<string | null> | undefined => {
  switch (fact.kind) {
    case "certificate":
      return [fact.kind, fact.ipcId, fact.at, String(fact.units), fact.url]
    case "payment":
      return [fact.kind, fact.ipcId, fact.at, fact.reference, ...paidOf(fact)]
    case "project":
      // Before version 2 of the rules it had no version.
      return [fact.kind, fact.ipcId, fact.projectId]
    default:
      return undefined
  }
}

const paidOf = ({ units }: Pick<PaymentFact, "units">): ReadonlyArray<string> =>
  units === undefined ? [] : [String(units)]

/** Who said it, when that was received, what it says, and whether what was paid was kept by then. */
export const claimOf = (fact: OfEvent, arePaidAmountsKept: boolean): number | undefined => {
  const content = contentOf(fact)
  return content === undefined || fact.eventId === undefined
    ? undefined
    : numberOf([fact.eventId, fact.knownAt, ...content, ...(arePaidAmountsKept ? [] : [null])])
}

/** What the books keep only once: the same payment may be reported at another time, or without its amount. */
export const moneyOf = (fact: OfEvent): number | undefined => {
  if (fact.kind === "payment") return numberOf([fact.kind, fact.ipcId, fact.reference, ...paidOf(fact)])
  return fact.kind === "certificate" ? numberOf(contentOf(fact) ?? []) : undefined
}

/** As it was before version 3 of the rules. */
export const withoutAmount = <F extends OfEvent>(fact: F): F => {
  if (fact.kind !== "payment") return fact
  const { units: _, ...payment } = fact
  return payment as F
}

/** What the books say of events. */
export interface Said {
  /** For each fact of an event: its claim, and its number. */
  readonly claims: Float64Array
  readonly numbers: Float64Array
  /** What is certified and paid, in any order. */
  readonly money: Float64Array
}

/** Takes down what facts say. */
export class Saying {
  readonly #agreed: ReadonlyArray<Agreed>
  readonly #claims: Array<number> = []
  readonly #numbers: Array<number> = []
  readonly #money: Array<number> = []

  constructor(agreed: ReadonlyArray<Agreed>) {
    this.#agreed = agreed
  }

  note(facts: ReadonlyArray<Fact>): void {
    for (const fact of facts) {
      const terms = this.#agreed.findLast(({ fromFact }) => fromFact <= fact.number)?.terms
      const claim = claimOf(fact, terms === undefined || rulesOf(terms).arePaidAmountsKept)
      if (claim === undefined) continue
      const money = moneyOf(fact)
      this.#claims.push(claim)
      this.#numbers.push(fact.number)
      if (money !== undefined) this.#money.push(money)
      if (fact.kind === "payment" && fact.units !== undefined) this.#money.push(moneyOf(withoutAmount(fact)) ?? 0)
    }
  }

  get said(): Said {
    return {
      claims: Float64Array.from(this.#claims),
      numbers: Float64Array.from(this.#numbers),
      money: Float64Array.from(this.#money)
    }
  }
}
