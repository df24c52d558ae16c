/**
 * The life of an IPC as the generator tells it: what happens when, what really was certified and paid, and what people
 * answer if they are asked. Nothing here knows how siteledger decides.
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
  /** A person says that it must be disregarded. */
  readonly isDisregarded: boolean
}

/** The reports of one payment. */
export interface Payment {
  readonly reference: string
  readonly at: number
  readonly phase: Phase
  /** The amounts paid according to the events, if they state any. */
  readonly said: ReadonlyArray<bigint>
}

export interface Answer {
  readonly verdict: "accept" | "reject"
  readonly amount?: bigint
  /** A person waits until every event has arrived that comes before the month is closed, or every event at all. */
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
  /** It is sent only once these have arrived. */
  readonly after: ReadonlyArray<Happening>
}

interface Told {
  /** It arrives after the month is closed, no matter when it happened. */
  readonly isLate?: boolean
  readonly after?: ReadonlyArray<Happening>
}

/** A project while its month is generated. */
export interface Plot {
  readonly site: Site
  /** What is certified in it so far. */
  total: bigint
  /** The times of all its events, so that no two are equal. */
  readonly times: Set<number>
}

export interface Slot {
  readonly from: number
  readonly length: number
}

/** How long events still arrive after the boundary before the month is closed. */
const graceMs = 86_400_000

export class Life {
  readonly id: string
  readonly kind: string
  /** Its final project. */
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
  /** What people say about events that come too late for a month; undefined: all come in time. */
  late: "accept" | "reject" | undefined
  /** The increase of its first certificate. */
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

  /** `part`: a fraction of its slot, which may exceed 1. */
  at(part: number): number {
    const { times } = this.plot
    let at = Math.floor(this.#slot.from + part * this.#slot.length) + this.dice.below(this.#slot.length / 20)
    while (times.has(at)) at++
    times.add(at)
    return at
  }

  /** Only then can its events be late. */
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

  /** The amount of its next certificate: a cumulative total, if its company certifies that way. */
  next(step = this.some()): bigint {
    this.step = step
    this.plot.total += step
    return this.site.company.isCumulative ? this.plot.total : step
  }

  /** A correction, smaller than any step. */
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

  /** A percentage of its step, to the cent. */
  part(percent: number): bigint {
    return ((this.step * BigInt(percent)) / 10_000n) * 100n
  }

  /** As JSON: a number or a text, with or without trailing zeros. */
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
