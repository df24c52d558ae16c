/** What events say was paid, and what has to be asked about it. From docs/ledger.md alone. */
import type { HoldReason } from "../../../src/Ledger/Fact.ts"
import type { Fits } from "./Certified.ts"

interface Question {
  readonly reason: HoldReason
  readonly units: bigint | null
}

export class Paid {
  /** By reference. */
  readonly #said = new Map<string, ReadonlyArray<bigint>>()
  /** What a person said it was, by what was unclear. */
  readonly #answers = new Map<string, bigint>()
  /** Whether what was too much is posted, by payment and amount. */
  readonly #tooMuch = new Map<string, boolean>()

  add(reference: string, units: bigint | undefined): void {
    if (units !== undefined && !this.has(reference, units)) this.#said.set(reference, [...this.#of(reference), units])
  }

  has(reference: string, units: bigint): boolean {
    return this.#of(reference).includes(units)
  }

  isSaid(reference: string): boolean {
    return this.#said.has(reference)
  }

  clarify(reference: string, units: bigint): void {
    this.#answers.set(this.#unclear(reference), units)
  }

  /** `isPosted`: a payment of this amount is one of this IPC. */
  judge(reference: string, units: bigint, isPosted: boolean): void {
    this.#tooMuch.set(`${reference} ${units}`, isPosted)
  }

  /** `left`: what is certified and not yet paid. */
  amountOf(reference: string, left: bigint, fits: Fits): bigint | Question {
    const units = this.#clear(reference, fits)
    if (typeof units !== "bigint") return units
    const isPosted = this.#tooMuch.get(`${reference} ${units}`)
    if (isPosted === false) return 0n
    return isPosted === true || units <= left ? units : { reason: "over-payment", units }
  }

  #clear(reference: string, fits: Fits): bigint | Question {
    const [only, ...others] = this.#of(reference)
    if (only !== undefined && others.length === 0 && only > 0n && fits(only)) return only
    const given = this.#answers.get(this.#unclear(reference))
    if (given === undefined)
      return { reason: "paid-amount-unclear", units: others.length === 0 ? (only ?? null) : null }
    return fits(given) ? given : { reason: "amount-too-precise", units: given }
  }

  #of(reference: string): ReadonlyArray<bigint> {
    return this.#said.get(reference) ?? []
  }

  #unclear(reference: string): string {
    return [reference, ...this.#of(reference).map(String).toSorted()].join(" ")
  }
}
