/**
 * What depends on the order of the facts: how much is posted and refused on each line, under which project and currency a
 * payment is, and what waited for a closed period. From docs/ledger.md alone.
 */
import type { Instant } from "../../../src/Domain/Instant.ts"
import type { HoldReason, Terms } from "../../../src/Ledger/Fact.ts"

/** What should be posted on a line of the books: the payment's amount, or what a person accepted. */
export interface Target {
  readonly line: string
  readonly reference: string
  readonly effective: Instant
  /** Undefined: a question has to be answered first. */
  readonly units: bigint | undefined
  /** What a person accepted is no longer asked. */
  readonly isVoid?: boolean
}

export interface Asked {
  readonly reason: HoldReason
  readonly reference: string
  /** Null for a move as well: the product's amount isn't compared. */
  readonly units: bigint | null
}

interface Line {
  posted: bigint
  refused: bigint
  /** It was asked about in a closed period, and is neither posted nor refused. */
  waits: boolean
  /** The date of what was posted first; undefined: nothing was. */
  dated: Instant | undefined
}

interface Place {
  readonly currency: string | null
  readonly project: string | null
}

interface Move {
  readonly to: string
  /** Projects that a person refused since. */
  readonly refused: ReadonlyArray<string>
}

export class Lines {
  readonly #lines = new Map<string, Line>()
  /** By reference, as soon as something is posted for it. */
  readonly #places = new Map<string, Place>()
  /** As they were before the last fact. */
  #before: ReadonlyMap<string, Place> = new Map()
  readonly #givenCurrencies = new Map<string, string>()
  readonly #moves = new Map<string, Partial<Move>>()
  /** The newest project. */
  project: string | null = null

  begin(): void {
    this.#before = new Map(this.#places)
  }

  #line(name: string): Line {
    const line = this.#lines.get(name) ?? { posted: 0n, refused: 0n, waits: false, dated: undefined }
    this.#lines.set(name, line)
    return line
  }

  /** With its currency and project; undefined: nothing was ever posted for this payment. */
  net({ line, reference }: Target): readonly [string, bigint] | undefined {
    const place = this.#places.get(reference)
    return place && [`${reference} ${place.currency} ${place.project}`, this.#line(line).posted]
  }

  post({ effective, line: name, reference, units = 0n }: Target, terms: Terms): void {
    const line = this.#line(name)
    line.posted = units - line.refused
    line.dated ??= isClosedOn(effective, terms) ? (terms.openFrom ?? effective) : effective
    line.waits = false
    if (this.#places.has(reference)) return
    const place = this.#placeIn(terms, this.#moves.get(reference)?.to ?? this.project)
    this.#places.set(reference, { ...place, currency: this.#givenCurrencies.get(reference) ?? place.currency })
  }

  refuse({ line: name, units = 0n }: Target): void {
    const line = this.#line(name)
    line.refused = units - line.posted
  }

  takeBack(name: string, units: bigint): void {
    const line = this.#line(name)
    line.posted -= units
    line.refused += units
  }

  giveCurrency(reference: string, currency: string): void {
    this.#givenCurrencies.set(reference, currency)
  }

  /** What was posted is taken back, and reached again under the new project. */
  move(reference: string, targets: ReadonlyArray<Target>): void {
    for (const { line } of targets.filter((target) => target.reference === reference)) {
      Object.assign(this.#line(line), { posted: 0n, waits: false, dated: undefined })
    }
    this.#places.delete(reference)
    this.#givenCurrencies.delete(reference)
    this.#moves.set(reference, this.project === null ? {} : { to: this.project })
  }

  stay(reference: string): void {
    const move = this.#moves.get(reference)
    this.#moves.set(reference, { ...move, refused: [...(move?.refused ?? []), String(this.project)] })
  }

  /** Whether a newer event names another project than the one that it is posted under. */
  isAskedToMove(reference: string, terms: Terms): boolean {
    // What this fact posts is asked about with the next one.
    const place = this.#places.has(reference) ? this.#before.get(reference) : undefined
    if (place === undefined || this.project === null || place.project === this.project) return false
    if (this.#moves.get(reference)?.refused?.includes(this.project) === true) return false
    // Without a project, only a currency of the project's own is a reason.
    const { currency } = this.#placeIn(terms, this.project)
    return place.project !== null || (Object.keys(terms.currencies).length > 0 && place.currency !== currency)
  }

  /** Posts what is missing, or asks. */
  reach(target: Target, terms: Terms): ReadonlyArray<Asked> {
    const line = this.#line(target.line)
    const units = target.units === undefined ? 0n : target.units - line.posted - line.refused
    // What never was posted needn't be taken back.
    const isNothing = units === 0n || (target.isVoid === true && line.dated === undefined)
    const reason = isNothing ? undefined : this.#objection(target, line, terms)
    line.waits = reason === "period-closed" || reason === "period-reopened"
    if (isNothing) return []
    if (reason !== undefined) return [{ reason, reference: target.reference, units }]
    this.post(target, terms)
    return []
  }

  #objection(target: Target, line: Line, terms: Terms): HoldReason | undefined {
    const { effective, isVoid, reference } = target
    if (!this.#hasCurrency(reference, terms)) return "currency-unknown"
    // What is no longer owed is taken back on the day that it was posted on.
    const isClosed = isClosedOn(isVoid === true ? (line.dated ?? effective) : effective, terms)
    if (isClosed && terms.inClosedPeriod === "hold") return "period-closed"
    if (line.refused !== 0n) return "changed-after-refusal"
    return line.waits && terms.inClosedPeriod === "hold" ? "period-reopened" : undefined
  }

  #hasCurrency(reference: string, { currencies }: Terms): boolean {
    const isGiven = this.#places.has(reference) || this.#givenCurrencies.has(reference)
    return isGiven || this.project !== null || Object.keys(currencies).length === 0
  }

  #placeIn({ currencies, currency }: Terms, project: string | null): Place {
    return { currency: project === null ? currency : (currencies[project] ?? currency), project }
  }
}

const isClosedOn = (effective: Instant, { openFrom }: Terms): boolean => openFrom !== null && effective < openFrom
