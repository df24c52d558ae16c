/**
 * A person who answers holds by what they are about, so the same question gets the same answer in every order of the
 * facts; and, from those answers, what the books of an IPC should say. The rules are implemented a second time from
 * docs/ledger.md, and deliberately share nothing with the fold.
 */
import type { Entry, Hold, HoldReason } from "../../src/Ledger/Fact.ts"
import type { Books } from "../../src/Ledger/Fold/Known.ts"
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
const keyOf = (reason: string, certificates: Amounts): string =>
  JSON.stringify([reason, [...new Set(certificates.map(([at, units]) => `${at} ${units}`))].toSorted()])

type Amounts = ReadonlyArray<readonly [at: string, units: bigint]>

const certificatesOf = ({ basis }: Hold): Amounts =>
  basis.flatMap(({ amount, at, kind }) =>
    kind === "certificate" ? [[String(at), BigInt(String(amount).replace(".", ""))] as const] : []
  )

const dated: ReadonlySet<HoldReason> = new Set(["period-closed", "period-reopened", "changed-after-refusal"])

/** Not where a payment was before its project changed. */
const isWhereItIs =
  ({ entries }: Books) =>
  ({ part, payment_reference }: Entry): boolean => {
    const marks = entries
      .filter((entry) => entry.payment_reference === payment_reference)
      .map((entry) => entry.part.split("@")[1])
    return part.split("@")[1] === [...new Set(marks)].at(-1)
  }

export class Clerk {
  readonly #random: Random
  readonly #currency: string
  readonly #intentions: Map<string, Answer>
  readonly #isSteady: boolean
  readonly #certificates: ReadonlyArray<Certificate>
  readonly #answered = new Map<string, Answer>()
  /** What was refused, by part. */
  readonly #refused = new Map<string, bigint>()
  /** The certificates that were disregarded. */
  readonly #disregarded = new Set<string>()
  /** The parts of accepted holds, by the id that their entries name. */
  readonly #parts = new Map<string, string>()

  /** Clerks who share intentions give the same answers; one without them answers each step into a period at random. */
  constructor(random: Random, currency: string, facts: ReadonlyArray<ShortFact>, intentions?: Map<string, Answer>) {
    this.#certificates = facts.filter((fact) => fact.kind === "certificate")
    this.#random = random
    this.#currency = currency
    this.#intentions = intentions ?? new Map()
    this.#isSteady = intentions !== undefined
  }

  answer(hold: Hold): ShortFact {
    const { hold_id, payment_reference, reason } = hold
    if (reason === "currency-unknown") return decision(hold_id, "accept", null, this.#currency)
    if (reason === "project-changed") return decision(hold_id, "accept")
    if (dated.has(reason)) return this.#date(hold)
    const about = certificatesOf(hold)
    const key = keyOf(reason, about)
    const { isAccepted, units } = this.#judge(reason, key, about)
    this.#answered.set(key, { isAccepted, units })
    if (!isAccepted && reason !== "recertified-after-payment") {
      for (const each of about) this.#disregarded.add(String(each))
    }
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

  /** One certificate of an instant is right: the others don't count, whatever the question and whichever came first. */
  #judge(reason: HoldReason, key: string, about: Amounts): Answer {
    if (about.length === 0) return this.#intend(key, reason === "second-payment-reference")
    const valid = about.filter((each) => this.#isRight(each))
    if (valid.length === 0) return { isAccepted: false, units: 0n }
    if (reason === "recertified-after-payment") return { ...this.#intend(key, false), isAccepted: true }
    const [[, units]] = valid as [Amounts[number], ...Amounts]
    return { isAccepted: true, units: units > 0n ? units : this.#intend(keyOf("", valid), false).units }
  }

  #isRight([at, units]: Amounts[number]): boolean {
    const plain = [
      ...new Set(this.#certificates.filter((each) => each.at === at && each.units > 0n).map((each) => each.units))
    ]
    if (plain.length === 0) return this.#intend(`certificate ${at} ${units}`, true).isAccepted
    // As if drawn, but the same for every clerk of these facts.
    return units === plain.toSorted((a, b) => Number(a - b))[Number(at.slice(15, 16)) % plain.length]
  }

  #date(hold: Hold): ShortFact {
    const isAccepted = this.#isSteady
      ? this.#intend(`period ${hold.payment_reference}`, true).isAccepted
      : this.#random.chance(0.6)
    const part = this.partOf(hold)
    if (!isAccepted) this.#refused.set(part, (this.#refused.get(part) ?? 0n) + (hold.units ?? 0n))
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
    const posted = Map.groupBy(books.entries.filter(isWhereItIs(books)), ({ part }) => {
      const base = part.split("@")[0] ?? part
      return this.#parts.get(base) ?? base
    })
    return [...new Set([...expected.keys(), ...posted.keys()])].flatMap((part) => {
      const reference = part.startsWith("second ") ? part.slice(7) : "P"
      if (reference === "P" && !expected.has(settlement)) return []
      const refused = this.#refused.get(part) ?? 0n
      const net = (posted.get(part) ?? []).reduce((sum, { units }) => sum + units, refused)
      const text = `${part} from ${net} to ${expected.get(part) ?? 0n}`
      return net === (expected.get(part) ?? 0n) ? [] : [{ part, reference, text }]
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
      if (this.#disregarded.has(String([at, units]))) continue
      if (at <= paidAt || at === settled.at || units === settled.units) continue
      const key = keyOf("recertified-after-payment", [[at, units]])
      const answer = this.#answered.get(key)
      if (answer?.isAccepted === true) expected.set(key, answer.units)
    }
    return expected
  }

  #settlement({ certificates: all, opening }: Books): { readonly units: bigint; readonly at?: string } | undefined {
    const certificates = all.filter(({ at, units }) => !this.#disregarded.has(String([at, units])))
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
