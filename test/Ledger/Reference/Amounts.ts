/** What should be posted for each payment of an IPC, and what has to be asked first. From docs/ledger.md alone. */
import type { Instant } from "../../../src/Domain/Instant.ts"
import type { DecisionFact, Fact, Hold, PaymentFact } from "../../../src/Ledger/Fact.ts"
import { Certified, type Fits } from "./Certified.ts"
import type { Asked, Target } from "./Lines.ts"
import { Paid } from "./Paid.ts"

interface Work {
  readonly targets: ReadonlyArray<Target>
  readonly asked: ReadonlyArray<Asked>
}

export class Amounts {
  readonly #certified = new Certified()
  readonly #said = new Paid()
  /** By reference: the amount that a person said a second payment has; zero: it is none. */
  readonly #seconds = new Map<string, { readonly line: string; readonly units: bigint }>()
  /** Of a payment, by its reference. */
  readonly #fits: (reference: string) => Fits
  readonly #posted: (line: string) => bigint
  /** By reference; the first is *the* payment. */
  readonly payments = new Map<string, PaymentFact>()

  constructor(fits: (reference: string) => Fits, posted: (line: string) => bigint) {
    this.#fits = fits
    this.#posted = posted
  }

  /** It says nothing new. */
  isKnown(fact: Fact): boolean {
    if (fact.kind === "certificate") return this.#certified.has(fact)
    if (fact.kind !== "payment") return false
    const { reference, units } = fact
    return units === undefined ? this.payments.has(reference) : this.#said.has(reference, units)
  }

  learn(fact: Fact): void {
    if (fact.kind === "certificate") this.#certified.add(fact)
    if (fact.kind === "opening") this.#certified.open(fact.units)
    if (fact.kind !== "payment") return
    this.#said.add(fact.reference, fact.units)
    if (!this.payments.has(fact.reference)) this.payments.set(fact.reference, fact)
  }

  /** Returns whether it is about an amount. */
  decide({ holdId, units, verdict }: DecisionFact, hold: Hold): boolean {
    const { basis, payment_reference: reference, reason } = hold
    const isAccepted = verdict === "accept"
    const accepted = isAccepted ? (units ?? 0n) : 0n
    const line = hold.part.split("@")[0] ?? ""
    switch (reason) {
      case "recertified-after-payment": {
        const at = String(basis.find(({ kind }) => kind === "certificate")?.["at"])
        this.#certified.recertify({ at, units: hold.units ?? 0n }, holdId, accepted)
        return true
      }
      case "second-payment-reference":
        this.#seconds.set(reference, { line: holdId, units: accepted })
        return true
      case "paid-amount-unclear":
        this.#said.clarify(reference, accepted)
        return true
      case "over-payment":
        this.#said.judge(reference, hold.units ?? 0n, isAccepted)
        return true
      case "awaiting-certified-amount":
      case "ambiguous-order":
      case "amount-not-positive":
        this.#certified.answer(this.#askedAt(hold), isAccepted ? units : null, this.#fits(reference))
        return true
      case "amount-too-precise":
        if (this.#seconds.get(reference)?.line === line) this.#seconds.set(reference, { line, units: accepted })
        else if (line.startsWith("paid:") && this.#isAboutPaid(hold)) this.#said.clarify(reference, accepted)
        else if (line !== "settlement") this.#certified.correct(line, accepted)
        else if (this.#isAboutPaid(hold)) this.#said.clarify(reference, accepted)
        else this.#certified.answer(this.#askedAt(hold), isAccepted ? units : null, this.#fits(reference))
        return true
      default:
        return false
    }
  }

  /** Not about a certificate. */
  #isAboutPaid({ basis, payment_reference: reference }: Hold): boolean {
    const payment = this.payments.get(reference)
    if (payment === undefined || !this.#isSaid) return false
    if (basis.some(({ kind }) => kind === "certificate" || kind === "opening")) return false
    return this.#certified.amountAt(this.#dueAt(payment), this.#fits(this.#first?.reference ?? "")) !== undefined
  }

  get #first(): PaymentFact | undefined {
    return [...this.payments.values()][0]
  }

  get #isSaid(): boolean {
    return this.#first !== undefined && this.#said.isSaid(this.#first.reference)
  }

  /** A later certificate counts for what is paid after it. */
  #dueAt({ at }: PaymentFact): Instant {
    const first = this.#first?.at ?? at
    return this.#isSaid && this.#certified.hasBetween(first, at) ? at : first
  }

  /** By when the certificates are in question. */
  #askedAt({ basis, reason }: Hold): Instant {
    const dates = new Set(basis.map(({ at, kind }) => (kind === "certificate" ? at : kind)))
    const days = [...this.payments.values()].map((payment) => this.#dueAt(payment))
    const fits = this.#fits(this.#first?.reference ?? "")
    return days.find((day) => this.#certified.isAbout(day, reason, dates, fits)) ?? days[0] ?? ""
  }

  /** What should be posted, and what has to be asked about amounts. */
  get work(): Work {
    const [first, ...others] = this.payments.values()
    if (first === undefined) return { targets: [], asked: [] }
    const isSaid = this.#isSaid
    const fits = this.#fits(first.reference)
    const settled = this.#certified.amountAt(first.at, fits)
    const { reference } = first
    const accepted = this.#certified.accepted(first.at, fits).map((each) => ({
      ...each,
      reference,
      // What was paid is said.
      ...(isSaid ? { units: settled === undefined ? undefined : 0n, isVoid: settled !== undefined } : {})
    }))
    if (!isSaid) {
      const target = { line: "settlement", reference, effective: first.at, units: settled }
      const further = others.map((payment) => this.#further(payment))
      return {
        targets: [target, ...accepted, ...further.flatMap(({ targets }) => targets)],
        asked: [...this.#certified.questions(first, fits), ...further.flatMap(({ asked }) => asked)]
      }
    }
    const all = this.#saidAmounts(first, others)
    const isUnknown = all.targets[0]?.units === undefined
    const rest = accepted.map((each) => (isUnknown ? { ...each, units: undefined, isVoid: false } : each))
    return { targets: [...all.targets, ...rest], asked: all.asked }
  }

  /** A payment beside the first, of an amount that a person says. */
  #further({ at: effective, reference }: PaymentFact): Work {
    const second = this.#seconds.get(reference)
    if (second === undefined) {
      return { targets: [], asked: [{ reason: "second-payment-reference", reference, units: null }] }
    }
    const { line, units } = second
    return this.#fits(reference)(units)
      ? { targets: [{ line, units, reference, effective }], asked: [] }
      : {
          targets: [{ line, units: undefined, reference, effective }],
          asked: [{ reason: "amount-too-precise", reference, units }]
        }
  }

  #saidAmounts(first: PaymentFact, others: ReadonlyArray<PaymentFact>): Work {
    const targets: Array<Target> = []
    const asked = new Map<string, Asked>()
    let paid = 0n
    for (const payment of [first, ...others]) {
      const { at: effective, reference } = payment
      if (payment !== first && (this.#seconds.has(reference) || !this.#said.isSaid(reference))) {
        const further = this.#further(payment)
        targets.push(...further.targets)
        for (const each of further.asked) asked.set(`${each.reason} ${reference}`, each)
        paid += further.targets.reduce((sum, { units = 0n }) => sum + units, 0n)
        continue
      }
      const by = this.#dueAt(payment)
      const due = this.#certified.amountAt(by, this.#fits(first.reference))
      const amount = due === undefined ? undefined : this.#said.amountOf(reference, due - paid, this.#fits(reference))
      const units = typeof amount === "bigint" ? amount : undefined
      const line = payment === first ? "settlement" : `paid:${reference}`
      paid += units ?? this.#posted(line)
      targets.push({ line, reference, effective, units })
      if (typeof amount === "object") asked.set(`${amount.reason} ${reference}`, { ...amount, reference })
      if (amount !== undefined) continue
      // Asked once, of the first payment.
      const [question] = this.#certified.questions({ ...first, at: by }, this.#fits(first.reference))
      if (question !== undefined) asked.set(this.#certified.askedOf(by, this.#fits(first.reference)), question)
    }
    return { targets, asked: [...asked.values()] }
  }
}
