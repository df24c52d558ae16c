/**
 * A person who answers holds by what they are about, so the same question gets the same answer in every order of the
 * facts; and, from those answers, what the books of an IPC should say. The rules are implemented a second time from
 * docs/ledger.md, and deliberately share nothing with the fold.
 */
import type { Hold } from "../../src/Ledger/Fact.ts"
import type { Books } from "../../src/Ledger/Fold.ts"
import type { Random } from "../Seeded.ts"
import { decision, minute, type ShortFact } from "./Histories.ts"

type Certificate = Extract<ShortFact, { kind: "certificate" }>

export interface Answer {
  readonly isAccepted: boolean
  readonly units: bigint
}

/** From what is posted to what should be. */
export interface Step {
  readonly part: string
  readonly reference: string
  readonly text: string
}

const settlement = "settlement"
const paidAt = minute(5)

/** Reason and certificates: by content, because ids belong to the fold. */
const keyOf = (reason: string, certificates: ReadonlyArray<readonly [at: string, units: bigint]>): string =>
  JSON.stringify([reason, [...new Set(certificates.map(([at, units]) => `${at} ${units}`))].toSorted()])

const aboutOf = ({ basis, reason }: Hold): string =>
  keyOf(
    reason,
    basis.flatMap(({ amount, at, kind }) =>
      kind === "certificate" ? [[String(at), BigInt(String(amount).replace(".", ""))] as const] : []
    )
  )

export class Clerk {
  readonly #random: Random
  readonly #currency: string
  readonly #intentions: Map<string, Answer>
  readonly #isSteady: boolean
  readonly #answered = new Map<string, Answer>()
  readonly #rejectedSteps = new Set<string>()
  /** The parts of accepted holds, by the id that their entries name. */
  readonly #parts = new Map<string, string>()

  /** Clerks who share intentions give the same answers; one without them answers each step into a period at random. */
  constructor(random: Random, currency: string, intentions?: Map<string, Answer>) {
    this.#random = random
    this.#currency = currency
    this.#intentions = intentions ?? new Map()
    this.#isSteady = intentions !== undefined
  }

  answer(hold: Hold, books: Books): ShortFact {
    const { hold_id, payment_reference, reason } = hold
    if (reason === "currency-unknown") return decision(hold_id, "accept", null, this.#currency)
    if (reason === "period-closed") return this.#date(hold, books)
    const key = aboutOf(hold)
    const { isAccepted, units } = this.#intend(key, reason !== "awaiting-certified-amount")
    this.#answered.set(key, { isAccepted, units })
    if (isAccepted && reason === "recertified-after-payment") this.#parts.set(hold_id, key)
    if (isAccepted && reason === "second-payment-reference") this.#parts.set(hold_id, `second ${payment_reference}`)
    return isAccepted ? decision(hold_id, "accept", units) : decision(hold_id, "reject")
  }

  #intend(key: string, mayReject: boolean): Answer {
    const known = this.#intentions.get(key)
    if (known !== undefined) return known
    const isAccepted = !mayReject || this.#random.chance(0.7)
    const amounts = key.includes("recertified") ? [-20n, 0n, 20n, 30n] : [70n, 100n, 200n]
    const intended = { isAccepted, units: this.#random.pick(amounts) }
    this.#intentions.set(key, intended)
    return intended
  }

  #date(hold: Hold, books: Books): ShortFact {
    const isAccepted = this.#isSteady
      ? this.#intend(`period ${hold.payment_reference}`, true).isAccepted
      : this.#random.chance(0.6)
    const rejected = isAccepted ? [] : this.lacking(books).filter(({ part }) => part === this.partOf(hold))
    for (const { text } of rejected) this.#rejectedSteps.add(text)
    return decision(hold.hold_id, isAccepted ? "accept" : "reject")
  }

  /** Which part of the books a closed-period hold is about. */
  partOf({ basis }: Hold): string {
    return (
      basis.map(({ holdId }) => this.#parts.get(String(holdId))).findLast((part) => part !== undefined) ?? settlement
    )
  }

  /** Steps that no person has rejected. */
  lacking(books: Books): ReadonlyArray<Step> {
    const expected = this.#expected(books)
    const posted = Map.groupBy(books.entries, ({ part }) => this.#parts.get(part) ?? part)
    return [...new Set([...expected.keys(), ...posted.keys()])].flatMap((part) => {
      const reference = part.startsWith("second ") ? part.slice(7) : "P"
      if (reference === "P" && !expected.has(settlement)) return []
      const net = (posted.get(part) ?? []).reduce((sum, { units }) => sum + units, 0n)
      const text = `${part} from ${net} to ${expected.get(part) ?? 0n}`
      return net === (expected.get(part) ?? 0n) || this.#rejectedSteps.has(text) ? [] : [{ part, reference, text }]
    })
  }

  /** By part. Without a settlement, nothing is expected for the payment itself. */
  #expected(books: Books): ReadonlyMap<string, bigint> {
    const expected = new Map<string, bigint>()
    const [payment, ...others] = books.payments
    for (const { reference } of others) {
      const answer = this.#answered.get(keyOf("second-payment-reference", []))
      if (answer?.isAccepted === true) expected.set(`second ${reference}`, answer.units)
    }
    const settled = payment === undefined ? undefined : this.#settlement(books)
    if (settled === undefined) return expected
    expected.set(settlement, settled.units)
    for (const { at, units } of books.certificates) {
      if (at <= paidAt || at === settled.at || units === settled.units) continue
      const key = keyOf("recertified-after-payment", [[at, units]])
      const answer = this.#answered.get(key)
      if (answer?.isAccepted === true) expected.set(key, answer.units)
    }
    return expected
  }

  #settlement({ certificates, opening }: Books): { readonly units: bigint; readonly at?: string } | undefined {
    const byInstant = Map.groupBy<string, Omit<Certificate, "kind">>(certificates, ({ at }) => at)
    const instants = [...byInstant.keys()].toSorted()
    const later = instants.filter((at) => at > paidAt)
    for (const at of [...instants.filter((one) => one <= paidAt).toReversed(), "opening", ...later]) {
      if (at === "opening") {
        if (opening !== undefined) return { units: opening.units }
        continue
      }
      const [first, ...different] = [...new Set((byInstant.get(at) ?? []).map(({ units }) => units))]
      if (first === undefined) continue
      if (different.length === 0 && first > 0n) return { units: first, at }
      const reason = different.length === 0 ? "amount-not-positive" : "ambiguous-order"
      const about = [first, ...different].map((units) => [at, units] as const)
      const answer = this.#answered.get(keyOf(reason, about))
      if (answer === undefined) return undefined
      if (answer.isAccepted) return { units: answer.units, at }
    }
    return this.#answered.get(keyOf("awaiting-certified-amount", []))
  }
}
