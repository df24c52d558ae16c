/**
 * What facts say, as numbers that can be compared by the million. Pure.
 */
import type { Agreed } from "../../Ledger/Agreed.ts"
import type { NewFact } from "../../Ledger/Books.ts"
import type { Fact } from "../../Ledger/Fact.ts"
import { rulesOf } from "../../Ledger/Fold/Rules.ts"
import { type Key, KeyedHash } from "./KeyedHash.ts"

export type OfEvent = NewFact | Fact

/** 52 bits each: among a million claims, the chance that two share a number is one in nine thousand. */
export interface Numbers {
  /** Who said it, when it was received, what it says, and whether paid amounts were kept by then. */
  readonly claim: number
  /** What the books keep only once, since the same payment may be reported at another time, or without its amount. */
  readonly money: number | undefined
  /** For a payment that says its amount: its money number without the amount. */
  readonly unsaid: number | undefined
}

/** Stands for a missing text: no text has this length. */
const none = 0xffffffff

/**
 * Turns what facts say into numbers, under the key of an audit: first the money, then everything else that makes it a
 * claim.
 */
export class Claims {
  readonly #hash: KeyedHash

  constructor(key: Key) {
    this.#hash = new KeyedHash(key)
  }

  /** Undefined for facts that no event reports. */
  of(fact: OfEvent, arePaidAmountsKept: boolean): Numbers | undefined {
    if (fact.eventId === undefined) return undefined
    const hash = this.#hash
    hash.begin()
    hash.add(fact.kind)
    hash.add(fact.ipcId)
    switch (fact.kind) {
      case "certificate":
        hash.add(fact.at)
        hash.add(String(fact.units))
        this.#addOr(fact.url)
        return this.#claimed(fact, arePaidAmountsKept, hash.number)
      case "payment": {
        hash.add(fact.reference)
        const unsaid = hash.number
        this.#addOr(fact.units === undefined ? null : String(fact.units))
        const money = fact.units === undefined ? unsaid : hash.number
        hash.add(fact.at)
        return this.#claimed(fact, arePaidAmountsKept, money, fact.units === undefined ? undefined : unsaid)
      }
      case "project":
        // Before version 2 of the rules it had no version.
        hash.add(fact.projectId)
        return this.#claimed(fact, arePaidAmountsKept, undefined)
      default:
        return undefined
    }
  }

  #addOr(text: string | null): void {
    if (text === null) this.#hash.addWord(none)
    else this.#hash.add(text)
  }

  #claimed(
    { eventId, knownAt }: Pick<OfEvent, "eventId" | "knownAt">,
    arePaidAmountsKept: boolean,
    money: number | undefined,
    unsaid?: number
  ): Numbers {
    this.#addOr(eventId ?? null)
    this.#hash.add(knownAt)
    if (!arePaidAmountsKept) this.#hash.addWord(none)
    return { claim: this.#hash.number, money, unsaid }
  }
}

/** In the form from before version 3 of the rules. */
export const withoutAmount = <F extends OfEvent>(fact: F): F => {
  if (fact.kind !== "payment") return fact
  const { units: _, ...payment } = fact
  return payment as F
}

/** What the books say about events. */
export interface Said {
  /** For each fact from an event: its claim, and its number. */
  readonly claims: Float64Array
  readonly numbers: Float64Array
  /** What is certified and paid, in any order. */
  readonly money: Float64Array
}

/** Collects what facts say. */
export class Saying {
  readonly #agreed: ReadonlyArray<Agreed>
  readonly #numbering: Claims
  readonly #claims: Array<number> = []
  readonly #numbers: Array<number> = []
  readonly #money: Array<number> = []

  constructor(agreed: ReadonlyArray<Agreed>, key: Key) {
    this.#agreed = agreed
    this.#numbering = new Claims(key)
  }

  note(facts: ReadonlyArray<Fact>): void {
    for (const fact of facts) {
      const terms = this.#agreed.findLast(({ fromFact }) => fromFact <= fact.number)?.terms
      const said = this.#numbering.of(fact, terms === undefined || rulesOf(terms).arePaidAmountsKept)
      if (said === undefined) continue
      this.#claims.push(said.claim)
      this.#numbers.push(fact.number)
      if (said.money !== undefined) this.#money.push(said.money)
      if (said.unsaid !== undefined) this.#money.push(said.unsaid)
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
