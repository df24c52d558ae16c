/**
 * The life of an IPC as the generator tells it: what happens when, what really was certified and paid, and what people say if
 * they are asked. Nothing here knows how siteledger decides.
 */
import type { Dice } from "../../sandbox/Seed.ts"
import * as Decimal from "./Decimal.ts"
import type { Calendar, Site } from "./Firm.ts"

/** Delivered before the month is closed, or after it. */
export type Phase = 1 | 2

export interface Certificate {
  readonly at: number
  readonly units: bigint
  readonly phase: Phase
  /** A person says that it isn't to be regarded. */
  readonly isDisregarded: boolean
}

/** The reports of one payment. */
export interface Payment {
  readonly reference: string
  readonly at: number
  readonly phase: Phase
  /** What the events say was paid, if they do. */
  readonly said: ReadonlyArray<bigint>
}

export interface Answer {
  readonly verdict: "accept" | "reject"
  readonly amount?: bigint
  /** Only when all has arrived that comes before the month is closed, or that comes at all. */
  readonly isPatient?: boolean
}

/** What a person does without being asked. */
export type Act =
  | { readonly verb: "reverse"; readonly what: "payments" | "accruals"; readonly isUndone?: boolean }
  | {
      readonly verb: "post"
      readonly reference: string
      readonly amount: bigint
      readonly debit: string
      readonly credit: string
    }

export interface Happening {
  readonly life: Life
  readonly type: string
  readonly at: number
  /** As JSON. */
  readonly fields: Readonly<Record<string, string>>
  readonly phase: Phase
  /** Comes only when these are there. */
  readonly after: ReadonlyArray<Happening>
}

interface Told {
  /** It arrives after the month is closed, whenever it happened. */
  readonly isLate?: boolean
  readonly after?: ReadonlyArray<Happening>
}

/** A project while its month is being told. */
export interface Plot {
  readonly site: Site
  /** What is certified in it so far. */
  total: bigint
  /** Of each event, so that no two have the same. */
  readonly times: Set<number>
}

export interface Slot {
  readonly from: number
  readonly length: number
}

/** After the boundary, events still come for a while before the month is closed. */
const graceMs = 86_400_000

export class Life {
  readonly id: string
  readonly kind: string
  /** Where it is in the end. */
  site: Site
  readonly plot: Plot
  readonly dice: Dice
  readonly certificates: Array<Certificate> = []
  readonly payments: Array<Payment> = []
  readonly happenings: Array<Happening> = []
  readonly acts: Array<Act> = []
  /** By reason, or by reason and payment. */
  readonly answers = new Map<string, Answer>()
  /** What a person signed off before the first event. */
  opening: bigint | undefined
  /** What people say about what comes too late for a month; undefined: it comes in time. */
  late: "accept" | "reject" | undefined
  /** What came in addition with its first certificate. */
  step = 0n
  readonly #slot: Slot
  readonly #calendar: Calendar

  constructor(id: string, kind: string, plot: Plot, slot: Slot, dice: Dice, calendar: Calendar) {
    this.id = id
    this.kind = kind
    this.plot = plot
    this.site = plot.site
    this.dice = dice
    this.#slot = slot
    this.#calendar = calendar
  }

  /** `part`: of its slot; it may be more than all of it. */
  at(part: number): number {
    const { times } = this.plot
    let at = Math.floor(this.#slot.from + part * this.#slot.length) + this.dice.below(this.#slot.length / 20)
    while (times.has(at)) at++
    times.add(at)
    return at
  }

  /** So that what is late can be. */
  get isInClosedMonth(): boolean {
    return this.#slot.from + this.#slot.length < this.#calendar.boundary
  }

  tell(type: string, at: number, fields: Happening["fields"], { after = [], isLate = false }: Told = {}): Happening {
    const phase = isLate || at >= this.#calendar.boundary + graceMs ? 2 : 1
    const happening = { life: this, type, at, fields, phase, after } as const
    this.happenings.push(happening)
    return happening
  }

  begins(part = 0, site = this.site): void {
    this.site = site
    this.tell("ipc.created", this.at(part), { project_id: site.id, draft_amount: this.written(this.some()) })
    if (part > 0) return
    const submitter = JSON.stringify(`Engineer ${this.id}`)
    this.tell("ipc.submitted", this.at(0.1), { submitter, amount: this.written(this.some()) })
  }

  /** The amount of its next certificate: with all that was certified before, where that is how it is done. */
  next(step = this.some()): bigint {
    this.step = step
    this.plot.total += step
    return this.site.company.isCumulative ? this.plot.total : step
  }

  /** A correction, which is less than any step. */
  correction(): bigint {
    const units = BigInt(1 + this.dice.below(50_000)) * 100n
    return this.dice.chance(0.5) ? units : -units
  }

  certified(
    at: number,
    units: bigint,
    { isDisregarded = false, ...told }: Told & { readonly isDisregarded?: boolean } = {}
  ): void {
    if (this.site.company.isCumulative && !isDisregarded && units > this.plot.total) this.plot.total = units
    const url = JSON.stringify(`https://c.example.com/${this.id}/${this.certificates.length + 1}`)
    const fields = { certified_amount: this.written(units), certificate_url: url }
    const { phase } = this.tell("ipc.certified", at, fields, told)
    this.certificates.push({ at, units, phase, isDisregarded })
  }

  paid(at: number, { reference = `PAY-${this.id}`, said, ...told }: Told & Partial<Saying> = {}): Happening {
    const amount: Happening["fields"] = said === undefined ? {} : { amount: this.written(said) }
    const happening = this.tell("ipc.paid", at, { payment_reference: JSON.stringify(reference), ...amount }, told)
    const known = this.payments.findIndex((payment) => payment.reference === reference)
    const said_ = said === undefined ? [] : [said]
    if (known < 0) this.payments.push({ reference, at, phase: happening.phase, said: said_ })
    else {
      const payment = this.payments[known] as Payment
      this.payments[known] = { ...payment, said: [...payment.said, ...said_] }
    }
    return happening
  }

  answer(reason: string, verdict: Answer["verdict"], amount?: bigint, isPatient = false): void {
    this.answers.set(reason, { verdict, ...(amount === undefined ? {} : { amount }), isPatient })
  }

  /** From 1,000 to 400,000, with cents. */
  some(): bigint {
    return BigInt(100_000 + this.dice.below(39_900_000)) * 100n
  }

  /** A part of its step, to the cent. */
  part(percent: number): bigint {
    return ((this.step * BigInt(percent)) / 10_000n) * 100n
  }

  /** As JSON: a number or a text, with the zeros at its end or without. */
  written(units: bigint): string {
    const exact = Decimal.text(units)
    const short = exact.replace(/\.?0+$/, "")
    const text = this.dice.pick([exact, exact.replace(/00$/, ""), short])
    return this.dice.chance(0.5) ? text : JSON.stringify(text)
  }
}

interface Saying {
  readonly reference: string
  readonly said: bigint
}
