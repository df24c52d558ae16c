/**
 * The ledger's rules a second time, written from docs/ledger.md: what an accountant expects in the books of one IPC
 * after each fact. It knows no entries and no ids, only how much is posted for what, and what waits for a person.
 *
 * The amounts that should be posted are computed from all facts each time; Lines keeps what was posted.
 */
import type { DecisionFact, Fact, Hold, PostingFact, ProjectFact, ReversalFact, Terms } from "../../src/Ledger/Fact.ts"
import { Amounts } from "./Reference/Amounts.ts"
import type { Fits } from "./Reference/Certified.ts"
import { type Asked, isAmountOf, Lines } from "./Reference/Lines.ts"

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
  readonly #lines = new Lines()
  readonly #amounts = new Amounts(
    (reference) => this.#fits(reference),
    (line) => this.#lines.posted(line)
  )
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
    this.#amounts.learn(fact)
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
    if (this.#amounts.isKnown(fact)) return true
    return fact.kind === "project" && (fact.version ?? "") <= (this.#project?.version ?? "")
  }

  /** By payment or entry by hand, currency and project, where it isn't zero. */
  get nets(): ReadonlyMap<string, bigint> {
    const nets = new Map<string, bigint>()
    for (const target of this.#amounts.work.targets) {
      const [of, units] = this.#lines.net(target) ?? ["", 0n]
      nets.set(of, (nets.get(of) ?? 0n) + units)
    }
    for (const { of, units } of this.#added.values()) nets.set(of, units)
    return new Map([...nets].filter(([, units]) => units !== 0n))
  }

  #posted(reference: string): bigint {
    const targets = this.#amounts.work.targets.filter((target) => target.reference === reference)
    return targets.reduce((sum, target) => sum + (this.#lines.net(target)?.[1] ?? 0n), 0n)
  }

  /** For *the* payment, with what was accepted beside it; undefined: its amount isn't known yet. */
  get owed(): bigint | undefined {
    const [first] = this.#amounts.payments.values()
    const own = this.#amounts.work.targets.filter(({ reference }) => reference === first?.reference)
    if (own.length === 0 || own.some(({ units }) => units === undefined)) return undefined
    return own.reduce((sum, { units }) => sum + (units ?? 0n), 0n)
  }

  #fits(reference: string): Fits {
    const terms = this.#terms
    const posted = this.#postedIn(reference)
    const currency = posted === undefined && terms !== undefined ? this.#lines.currencyOf(reference, terms) : posted
    return (units) => terms === undefined || isAmountOf(units, currency ?? null, terms)
  }

  #decide(fact: DecisionFact, hold: Hold, terms: Terms): void {
    if (this.#amounts.decide(fact, hold)) return
    const { payment_reference: reference, reason } = hold
    const isAccepted = fact.verdict === "accept"
    const line = hold.part.split("@")[0] ?? ""
    if (reason === "currency-unknown") this.#lines.giveCurrency(reference, fact.currency ?? "")
    else if (reason === "project-changed" && isAccepted) this.#lines.move(reference)
    else if (reason === "project-changed") this.#lines.stay(reference)
    else if (reason === "second-person") {
      const added = this.#unconfirmed.get(line)
      this.#unconfirmed.delete(line)
      if (isAccepted && added !== undefined) this.#add(added)
    } else {
      const target = this.#amounts.work.targets.find((each) => each.line === line)
      if (target !== undefined && isAccepted) this.#lines.agree(target, terms)
      else if (target !== undefined) this.#lines.refuse(target, terms)
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
    this.#lines.arrive(this.#amounts.work.targets, terms)
    const { asked, targets } = this.#amounts.work
    const reached = targets.flatMap((target) =>
      this.#lines.reach(this.#lines.isMoving(target.reference) ? { ...target, units: undefined } : target, terms)
    )
    const currencies = Map.groupBy(
      reached.filter(({ reason }) => reason === "currency-unknown"),
      ({ reference }) => reference
    )
    this.asked = [
      ...asked,
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
      ...[...this.#amounts.payments.keys()]
        .filter((reference) => this.#lines.isAskedToMove(reference, terms))
        .map((reference) => ({ reason: "project-changed" as const, reference, units: this.#posted(reference) }))
    ]
  }
}
