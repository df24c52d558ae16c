/** Which amount is certified for a payment, and what has to be asked first. From docs/ledger.md alone. */
import type { Instant } from "../../../src/Domain/Instant.ts"
import type { CertificateFact, HoldReason, PaymentFact } from "../../../src/Ledger/Fact.ts"
import type { Asked } from "./Lines.ts"

type Certificate = Pick<CertificateFact, "at" | "units">
type Received = Pick<CertificateFact, "at" | "units" | "url">

interface Question {
  readonly reason: HoldReason
  readonly units: bigint | null
}

/** Whether an amount has no more decimals than its currency. */
export type Fits = (units: bigint) => boolean

export class Certified {
  /** Distinct by time and amount. */
  #certificates: ReadonlyArray<Certificate> = []
  readonly #received = new Set<string>()
  readonly #disregarded = new Set<string>()
  /** What a person said the amount is, by question. */
  readonly #answers = new Map<string, bigint>()
  /** What a person said about later certificates. */
  readonly #recertified = new Map<
    string,
    { readonly line: string; readonly units: bigint; readonly effective: Instant }
  >()
  #opened: Certificate | undefined

  has({ url, ...certificate }: Received): boolean {
    return this.#received.has(`${nameOf(certificate)} ${url}`)
  }

  add({ at, units, url }: Received): void {
    this.#received.add(`${nameOf({ at, units })} ${url}`)
    if (this.#certificates.every((other) => nameOf(other) !== nameOf({ at, units }))) {
      this.#certificates = [...this.#certificates, { at, units }]
    }
  }

  open(units: bigint): void {
    this.#opened = { at: "opening", units }
  }

  get #opening(): Certificate | undefined {
    return this.#opened === undefined || this.#disregarded.has(nameOf(this.#opened)) ? undefined : this.#opened
  }

  /** `units`: the accepted amount; null: the certificates are disregarded. */
  answer(paid: Instant, units: bigint | null, fits: Fits): void {
    const { group, question } = this.#ask(paid, fits)
    const asked = question === undefined ? "" : questionOf(question.reason, group)
    if (units === null) for (const each of group) this.#disregarded.add(nameOf(each))
    else if (question !== undefined) this.#answers.set(asked, units)
  }

  recertify(about: Certificate, line: string, units: bigint): void {
    this.#recertified.set(nameOf(about), { line, units, effective: about.at })
  }

  /** The amount of an accepted later certificate, given again. */
  correct(line: string, units: bigint): void {
    for (const [name, recertified] of this.#recertified) {
      if (recertified.line === line) this.#recertified.set(name, { ...recertified, units })
    }
  }

  get #valid(): ReadonlyArray<Certificate> {
    return this.#certificates.filter((each) => !this.#disregarded.has(nameOf(each)))
  }

  /** The amount, or the question that is still to be answered. */
  #settledAt(paid: Instant, fits: Fits): bigint | Question {
    const { group, question, units } = this.#ask(paid, fits)
    if (question === undefined) return units
    const given = this.#answers.get(questionOf(question.reason, group))
    if (given === undefined) return question
    return fits(given) ? given : { reason: "amount-too-precise", units: given }
  }

  /** The certificates that count, and the amount that they say or the question that they raise. */
  #ask(paid: Instant, fits: Fits): { group: ReadonlyArray<Certificate>; question?: Question; units: bigint } {
    const times = this.#valid.map(({ at }) => at).toSorted()
    const before = times.findLast((at) => at <= paid)
    const opening = this.#opening
    if (before === undefined && opening !== undefined) {
      if (fits(opening.units)) return { group: [], units: opening.units }
      return { group: [opening], units: 0n, question: { reason: "amount-too-precise", units: opening.units } }
    }
    const at = before ?? times[0]
    const group = this.#valid.filter((each) => each.at === at)
    const [only] = group
    if (only === undefined) return { group, units: 0n, question: { reason: "awaiting-certified-amount", units: null } }
    if (group.length > 1) return { group, units: 0n, question: { reason: "ambiguous-order", units: null } }
    if (only.units <= 0n) return { group, units: 0n, question: { reason: "amount-not-positive", units: only.units } }
    return fits(only.units)
      ? { group, units: only.units }
      : { group, units: 0n, question: { reason: "amount-too-precise", units: only.units } }
  }

  /** Whether a certificate that counts is dated after the first payment, and not after another. */
  hasBetween(first: Instant, other: Instant): boolean {
    return this.#valid.some(({ at }) => at > first && at <= other)
  }

  /** The certificates that count by then. */
  askedOf(paid: Instant, fits: Fits): string {
    return this.#ask(paid, fits).group.map(nameOf).join(" ")
  }

  /** Whether this is the question about the certificates of one of these times. */
  isAbout(paid: Instant, reason: HoldReason, dates: ReadonlySet<unknown>, fits: Fits): boolean {
    const settled = this.#settledAt(paid, fits)
    const { group } = this.#ask(paid, fits)
    return typeof settled !== "bigint" && settled.reason === reason && group.every(({ at }) => dates.has(at))
  }

  /** Those after the payment that say another amount than the settled one. */
  #later(paid: Instant, settled: bigint): ReadonlyArray<Certificate> {
    const times = this.#valid.map(({ at }) => at).toSorted()
    const isSettledLate = this.#opening === undefined && times.every((at) => at > paid)
    return this.#valid.filter(({ at, units }) => at > paid && units !== settled && !(isSettledLate && at === times[0]))
  }

  /** Undefined: a question has to be answered first. */
  amountAt(paid: Instant, fits: Fits): bigint | undefined {
    const settled = this.#settledAt(paid, fits)
    return typeof settled === "bigint" ? settled : undefined
  }

  /** What was accepted for later certificates: zero once the payment has that amount. */
  accepted(paid: Instant, fits: Fits) {
    const settled = this.amountAt(paid, fits)
    const later = settled === undefined ? [] : this.#later(paid, settled).map(nameOf)
    return [...this.#recertified].map(([name, { units, ...rest }]) => {
      const isLater = later.includes(name)
      const isKnown = settled !== undefined && (!isLater || fits(units))
      return { ...rest, isVoid: settled !== undefined && !isLater, units: !isKnown ? undefined : isLater ? units : 0n }
    })
  }

  questions({ at, reference }: PaymentFact, fits: Fits): ReadonlyArray<Asked> {
    const settled = this.#settledAt(at, fits)
    if (typeof settled !== "bigint") return [{ ...settled, reference }]
    return this.#later(at, settled).flatMap((each): ReadonlyArray<Asked> => {
      const known = this.#recertified.get(nameOf(each))
      if (known === undefined) return [{ reason: "recertified-after-payment", reference, units: each.units }]
      return fits(known.units) ? [] : [{ reason: "amount-too-precise", reference, units: known.units }]
    })
  }
}

const nameOf = ({ at, units }: Certificate): string => `${at} ${units}`

const questionOf = (reason: HoldReason, about: ReadonlyArray<Certificate>): string =>
  [reason, ...new Set(about.map(nameOf))].toSorted().join(" ")
