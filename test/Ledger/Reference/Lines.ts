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
  readonly units: bigint | null
}

interface Refusal {
  readonly units: bigint
  /** A person took it back. */
  readonly isTakenBack: boolean
}

interface Line {
  posted: bigint
  readonly refused: Array<Refusal>
  /** Its date or its difference was asked about, and it is neither posted nor refused. */
  waits: boolean
  /** The difference that a person agreed to while something else was still asked. */
  agreed: bigint | undefined
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
  /** Where an accepted move goes, until the payment's amount is known. */
  readonly #moving = new Map<string, string>()
  readonly #givenCurrencies = new Map<string, string>()
  readonly #moves = new Map<string, Partial<Move>>()
  /** The newest project. */
  project: string | null = null

  #line(name: string): Line {
    const line = this.#lines.get(name) ?? {
      posted: 0n,
      refused: [],
      waits: false,
      agreed: undefined,
      dated: undefined
    }
    this.#lines.set(name, line)
    return line
  }

  /** With its currency and project; undefined: nothing was ever posted for this payment. */
  net({ line, reference }: Target): readonly [string, bigint] | undefined {
    const place = this.#places.get(reference)
    return place && [`${reference} ${place.currency} ${place.project}`, this.#line(line).posted]
  }

  post(target: Target, terms: Terms): void {
    const line = this.#line(target.line)
    line.posted = (target.units ?? 0n) - this.#refused(target, line, terms)
    this.#settle(target, line, terms)
  }

  #settle({ effective, reference }: Target, line: Line, terms: Terms): void {
    line.dated ??= openDay(effective, terms)
    line.waits = false
    line.agreed = undefined
    if (this.#places.has(reference)) return
    const place = this.#placeIn(terms, this.#moves.get(reference)?.to ?? this.project)
    this.#places.set(reference, { ...place, currency: this.#givenCurrencies.get(reference) ?? place.currency })
  }

  refuse(target: Target, terms: Terms): void {
    const line = this.#line(target.line)
    const units = (target.units ?? 0n) - line.posted - this.#refused(target, line, terms)
    line.refused.push({ units, isTakenBack: false })
  }

  /** What was refused counts where it is an amount of the currency. What a person took back needn't be taken back again. */
  #refused({ isVoid, reference }: Target, { refused }: Line, terms: Terms): bigint {
    const currency = this.currencyOf(reference, terms)
    return refused
      .filter(({ isTakenBack, units }) => isAmountOf(units, currency, terms) && !(isVoid === true && isTakenBack))
      .reduce((sum, { units }) => sum + units, 0n)
  }

  posted(line: string): bigint {
    return this.#line(line).posted
  }

  /** Posts it, or remembers that a person agreed until the currency is known. */
  agree(target: Target, terms: Terms): void {
    const { line: name, reference, units = 0n } = target
    const line = this.#line(name)
    if (this.#hasCurrency(reference, terms)) this.post(target, terms)
    else Object.assign(line, { agreed: units - line.posted - this.#refused(target, line, terms), waits: false })
  }

  takeBack(name: string, units: bigint): void {
    const line = this.#line(name)
    line.posted -= units
    line.refused.push({ units, isTakenBack: true })
  }

  giveCurrency(reference: string, currency: string): void {
    this.#givenCurrencies.set(reference, currency)
  }

  /** What is posted goes to the new project; what waits goes on waiting. */
  move(reference: string): void {
    if (this.project === null) return
    this.#moving.set(reference, this.project)
    this.#moves.set(reference, { to: this.project })
  }

  /** Moves what is owed, where all amounts are known. What is owed no longer is taken back, and goes nowhere. */
  arrive(targets: ReadonlyArray<Target>, terms: Terms): void {
    for (const [reference, project] of this.#moving) {
      const own = targets.filter((target) => target.reference === reference)
      const isAnywhere = own.some(({ line }) => this.#line(line).posted !== 0n)
      if (isAnywhere && own.some(({ units }) => units === undefined)) continue
      const { currency } = this.#placeIn(terms, project)
      this.#moving.delete(reference)
      this.#givenCurrencies.delete(reference)
      for (const { effective, isVoid, line: name } of own) {
        const line = this.#line(name)
        if (isVoid === true || !isAmountOf(line.posted, currency, terms)) line.posted = 0n
        line.dated = line.posted === 0n ? undefined : openDay(effective, terms)
      }
      // Where nothing is posted, the terms of what is posted first decide.
      const isEmpty = own.every(({ line }) => this.#line(line).posted === 0n)
      if (isEmpty) this.#places.delete(reference)
      else this.#places.set(reference, this.#placeIn(terms, project))
    }
  }

  /** It waits until its amounts are known. */
  isMoving(reference: string): boolean {
    return this.#moving.has(reference)
  }

  /** What its amounts are in, or will be; null: none, or not known yet. */
  currencyOf(reference: string, terms: Terms): string | null {
    const moving = this.#moving.get(reference)
    if (moving !== undefined) return this.#placeIn(terms, moving).currency
    const place = this.#places.get(reference)
    if (place !== undefined) return place.currency
    const given = this.#givenCurrencies.get(reference)
    if (given !== undefined) return given
    const project = this.#moves.get(reference)?.to ?? this.project
    return this.#hasCurrency(reference, terms) ? this.#placeIn(terms, project).currency : null
  }

  stay(reference: string): void {
    const move = this.#moves.get(reference)
    this.#moves.set(reference, { ...move, refused: [...(move?.refused ?? []), String(this.project)] })
  }

  /** Whether a newer event names another project than the one that it is posted under, or moved to. */
  isAskedToMove(reference: string, terms: Terms): boolean {
    const place = this.#moving.has(reference) ? undefined : this.#places.get(reference)
    const move = this.#moves.get(reference)
    const from = place === undefined ? move?.to : place.project
    if (this.project === null || from === undefined || from === this.project) return false
    if (move?.refused?.includes(this.project) === true) return false
    if (from !== null) return true
    // Without a project, only a currency of the project's own is a reason.
    return Object.keys(terms.currencies).length > 0 && place?.currency !== this.#placeIn(terms, this.project).currency
  }

  /** Posts what is missing, or asks. */
  reach(target: Target, terms: Terms): ReadonlyArray<Asked> {
    const { isVoid, line: name, reference, units: wanted } = target
    const line = this.#line(name)
    const refused = this.#refused(target, line, terms)
    const units = wanted === undefined ? 0n : wanted - line.posted - refused
    // What never was posted needn't be taken back.
    if (units === 0n || (isVoid === true && line.dated === undefined)) {
      line.waits = false
      return []
    }
    const reason = line.agreed === units ? undefined : this.#objection(target, line, refused, terms)
    const asked = (what: HoldReason): Asked => ({ reason: what, reference, units })
    if (!this.#hasCurrency(reference, terms)) {
      const stays = line.waits && reason !== undefined ? [asked(reason)] : []
      line.waits = stays.length > 0
      return [asked("currency-unknown"), ...stays]
    }
    line.waits = reason !== undefined
    if (reason !== undefined) return [asked(reason)]
    line.posted += units
    this.#settle(target, line, terms)
    return []
  }

  #objection(target: Target, line: Line, refused: bigint, terms: Terms): HoldReason | undefined {
    const { effective, isVoid } = target
    // What is no longer owed is taken back on the day that it was posted on.
    const isClosed = isClosedOn(isVoid === true ? (line.dated ?? effective) : effective, terms)
    if (isClosed && terms.inClosedPeriod === "hold") return "period-closed"
    const currency = this.currencyOf(target.reference, terms)
    const isInAnother = line.refused.some(({ units }) => !isAmountOf(units, currency, terms))
    if (refused !== 0n || isInAnother) return "changed-after-refusal"
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

/** Whether it has no more decimals than the currency. */
export const isAmountOf = (units: bigint, currency: string | null, { minorDigits }: Terms): boolean => {
  if (currency === null || minorDigits === null) return true
  return Number(units) % 10 ** (4 - (minorDigits[currency] ?? 2)) === 0
}

const isClosedOn = (effective: Instant, { openFrom }: Terms): boolean => openFrom !== null && effective < openFrom

const openDay = (effective: Instant, terms: Terms): Instant =>
  isClosedOn(effective, terms) ? (terms.openFrom ?? effective) : effective
