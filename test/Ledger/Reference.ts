/**
 * The ledger's rules a second time, written from docs/ledger.md: what an accountant expects in the books of one IPC after
 * each fact. It knows no entries and no ids, only how much is posted for what, and what waits for a person.
 *
 * What should be posted is worked out from all facts each time; Lines keeps what was.
 */
import type { Instant } from "../../src/Domain/Instant.ts"
import type {
  DecisionFact,
  Fact,
  Hold,
  PaymentFact,
  PostingFact,
  ProjectFact,
  ReversalFact,
  Terms
} from "../../src/Ledger/Fact.ts"
import { Certified, type Fits } from "./Reference/Certified.ts"
import { type Asked, isAmountOf, Lines, type Target } from "./Reference/Lines.ts"

/** Which line an entry belongs to that a person takes back. */
type LineOf = (entryId: string) => string

/** The currency of what is posted for a payment, if the books know better. */
type Posted = (reference: string) => string | null | undefined

/** Whether something is left of an entry that a person takes back. */
type Stands = (entryId: string) => boolean

/** An entry that a person added. */
interface Added {
  readonly of: string
  units: bigint
}

export class Reference {
  readonly #certified = new Certified()
  readonly #lines = new Lines()
  /** By reference; the first is *the* payment. */
  readonly #payments = new Map<string, PaymentFact>()
  /** By reference: the amount that a person said a second payment has; zero: it is none. */
  readonly #seconds = new Map<string, { readonly line: string; readonly units: bigint }>()
  /** What a second person has to confirm. */
  readonly #unconfirmed = new Map<string, PostingFact | ReversalFact>()
  readonly #added = new Map<string, Added>()
  readonly #lineOf: LineOf
  readonly #stands: Stands
  readonly #postedIn: Posted
  #project: ProjectFact | undefined
  #terms: Terms | undefined
  /** What waits for a person. */
  asked: ReadonlyArray<Asked> = []

  constructor(lineOf: LineOf, stands: Stands, posted: Posted = () => undefined) {
    this.#lineOf = lineOf
    this.#stands = stands
    this.#postedIn = posted
  }

  /** `hold`: the one that a decision is about. */
  learn(fact: Fact, terms: Terms, hold: Hold | undefined): void {
    this.#terms = terms
    if (this.#isKnown(fact)) return
    if (fact.kind === "certificate") this.#certified.add(fact)
    if (fact.kind === "opening") this.#certified.open(fact.units)
    if (fact.kind === "payment") this.#payments.set(fact.reference, fact)
    if (fact.kind === "project") {
      this.#project = fact
      this.#lines.project = fact.projectId
    }
    if (fact.kind === "posting" || fact.kind === "reversal") {
      if (fact.needsSecond) this.#unconfirmed.set(`hand:${fact.number}`, fact)
      else this.#add(fact)
    }
    if (fact.kind === "decision" && hold !== undefined) this.#decide(fact, hold, terms)
    this.#settle(terms)
  }

  /** It says nothing new. */
  #isKnown(fact: Fact): boolean {
    if (fact.kind === "payment") return this.#payments.has(fact.reference)
    if (fact.kind === "certificate") return this.#certified.has(fact)
    return fact.kind === "project" && (fact.version ?? "") <= (this.#project?.version ?? "")
  }

  /** By payment or entry by hand, currency and project, where it isn't zero. */
  get nets(): ReadonlyMap<string, bigint> {
    const nets = new Map<string, bigint>()
    for (const target of this.#targets()) {
      const [of, units] = this.#lines.net(target) ?? ["", 0n]
      nets.set(of, (nets.get(of) ?? 0n) + units)
    }
    for (const { of, units } of this.#added.values()) nets.set(of, units)
    return new Map([...nets].filter(([, units]) => units !== 0n))
  }

  #posted(reference: string): bigint {
    const targets = this.#targets().filter((target) => target.reference === reference)
    return targets.reduce((sum, target) => sum + (this.#lines.net(target)?.[1] ?? 0n), 0n)
  }

  /** For *the* payment, with what was accepted beside it; undefined: its amount isn't known yet. */
  get owed(): bigint | undefined {
    const [first] = this.#payments.values()
    const fits = this.#fits(first?.reference ?? "")
    const amount = first === undefined ? undefined : this.#certified.amountAt(this.#paid, fits)
    if (amount === undefined) return undefined
    return this.#certified.accepted(this.#paid, fits).reduce((sum, { units }) => sum + (units ?? 0n), amount)
  }

  #fits(reference: string): Fits {
    const terms = this.#terms
    const posted = this.#postedIn(reference)
    const currency = posted === undefined && terms !== undefined ? this.#lines.currencyOf(reference, terms) : posted
    return (units) => terms === undefined || isAmountOf(units, currency ?? null, terms)
  }

  get #paid(): Instant {
    const [first] = this.#payments.values()
    return first?.at ?? ""
  }

  #targets(): ReadonlyArray<Target> {
    const [first, ...others] = this.#payments.values()
    if (first === undefined) return []
    const { at: effective, reference } = first
    const fits = this.#fits(reference)
    const units = this.#certified.amountAt(effective, fits)
    return [
      { line: "settlement", reference, effective, units },
      ...this.#certified.accepted(effective, fits).map((accepted) => ({ ...accepted, reference })),
      ...others.flatMap((payment) => {
        const second = this.#seconds.get(payment.reference)
        if (second === undefined) return []
        const isKnown = this.#fits(payment.reference)(second.units)
        const { at, reference: other } = payment
        return [{ line: second.line, units: isKnown ? second.units : undefined, reference: other, effective: at }]
      })
    ]
  }

  #decide({ currency, holdId, units, verdict }: DecisionFact, hold: Hold, terms: Terms): void {
    const { basis, payment_reference: reference, reason } = hold
    const isAccepted = verdict === "accept"
    const accepted = isAccepted ? (units ?? 0n) : 0n
    const line = hold.part.split("@")[0] ?? ""
    if (reason === "recertified-after-payment") {
      const at = String(basis.find(({ kind }) => kind === "certificate")?.["at"])
      this.#certified.recertify({ at, units: hold.units ?? 0n }, holdId, accepted)
    } else if (reason === "second-payment-reference") this.#seconds.set(reference, { line: holdId, units: accepted })
    else if (reason === "currency-unknown") this.#lines.giveCurrency(reference, currency ?? "")
    else if (reason === "project-changed" && isAccepted) this.#lines.move(reference)
    else if (reason === "project-changed") this.#lines.stay(reference)
    else if (reason === "second-person") {
      const fact = this.#unconfirmed.get(line)
      this.#unconfirmed.delete(line)
      if (isAccepted && fact !== undefined) this.#add(fact)
    } else if (reason === "amount-too-precise" && line !== "settlement") {
      if (this.#seconds.get(reference)?.line === line) this.#seconds.set(reference, { line, units: accepted })
      else this.#certified.correct(line, accepted)
    } else if (isAboutAmount.has(reason)) {
      this.#certified.answer(this.#paid, isAccepted ? units : null, this.#fits(reference))
    } else {
      const target = this.#targets().find((each) => each.line === line)
      if (target !== undefined && isAccepted) this.#lines.agree(target, terms)
      else if (target !== undefined) this.#lines.refuse(target)
    }
  }

  #add(fact: PostingFact | ReversalFact): void {
    if (fact.kind === "posting") {
      const name = `hand:${fact.number}`
      const of = `${name} ${fact.currency} ${this.#project?.projectId ?? null}`
      this.#added.set(name, { of, units: fact.units })
      return
    }
    const line = this.#lineOf(fact.entryId)
    const added = this.#added.get(line)
    if (added === undefined) this.#lines.takeBack(line, fact.units)
    else added.units -= fact.units
  }

  /** Posts what can be posted, and asks for the rest. */
  #settle(terms: Terms): void {
    const [first] = this.#payments.values()
    const references = [...this.#payments.keys()]
    this.#lines.arrive(this.#targets(), terms)
    const reached = this.#targets().flatMap((target) =>
      this.#lines.reach(this.#lines.isMoving(target.reference) ? { ...target, units: undefined } : target, terms)
    )
    const currencies = Map.groupBy(
      reached.filter(({ reason }) => reason === "currency-unknown"),
      ({ reference }) => reference
    )
    this.asked = [
      ...(first === undefined ? [] : this.#certified.questions(first, this.#fits(first.reference))),
      ...references
        .slice(1)
        .filter((reference) => !this.#seconds.has(reference))
        .map((reference) => ({ reason: "second-payment-reference" as const, reference, units: null })),
      ...[...this.#seconds]
        .filter(([reference, { units }]) => !this.#fits(reference)(units))
        .map(([reference, { units }]) => ({ reason: "amount-too-precise" as const, reference, units })),
      ...reached.filter(({ reason }) => reason !== "currency-unknown"),
      // One for each payment.
      ...[...currencies.values()].flatMap((asked) => asked.slice(0, 1)),
      ...[...this.#unconfirmed.values()]
        .filter((fact) => fact.kind === "posting" || this.#stands(fact.entryId))
        .map(({ reference, units }) => ({
          reason: "second-person" as const,
          reference,
          units
        })),
      ...references
        .filter((reference) => this.#lines.isAskedToMove(reference, terms))
        .map((reference) => ({ reason: "project-changed" as const, reference, units: this.#posted(reference) }))
    ]
  }
}

const isAboutAmount: ReadonlySet<string> = new Set([
  "awaiting-certified-amount",
  "ambiguous-order",
  "amount-not-positive",
  "amount-too-precise"
])
