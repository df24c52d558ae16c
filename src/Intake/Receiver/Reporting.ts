/**
 * What the receiver's thread reports to the main thread, gathered into one report at a time. The next report is sent a
 * moment later, after the main thread has heard the previous one. A message for each group of deliveries took a tenth
 * of the thread's time; this way, a busy main thread gets few, large reports.
 *
 * If the process dies, unreported data is lost: counts, and the refusal of a request that the service will send again.
 */
import { mostSteps, PerSecond } from "../../Runtime/PerSecond.ts"
import type { Counters, KnownSecret, Received, RefusedFor, Refusing, Report } from "./Messages.ts"

/** Too short to be noticed, and the first report after a silence doesn't wait. */
const everyMs = 10

/** Enough for the main thread, which keeps a hundred. */
const mostRefusals = 200

const none = (): Counters => ({ accepted: 0, rejected: 0, tooLarge: 0, encoded: 0, notStored: 0 })

export class Reporting {
  readonly #say: (report: Report) => void
  #counters = none()
  #accepted = new Map<number, { secret: number; events: number; pings: number }>()
  #wrong = { before: 0, after: 0 }
  #refusals: Array<Refusing> = []
  #received: Array<Received> = []
  readonly #traced = new PerSecond(mostSteps)
  #failing: string | null | undefined
  #isFailing = false
  #isNews = false
  #isUnheard = false
  #isPausing = false

  constructor(say: (report: Report) => void) {
    this.#say = say
  }

  accepted({ number }: KnownSecret, isPing: boolean): void {
    const before = this.#accepted.get(number)
    const uses = before ?? { secret: number, events: 0, pings: 0 }
    if (before === undefined) this.#accepted.set(number, uses)
    if (isPing) uses.pings++
    else uses.events++
    if (this.#counters.accepted++ === 0) this.#wrong.before = this.#wrong.after
    this.#wrong.after = 0
    if (this.#isFailing) this.#failing = null
    this.#isFailing = false
    this.#soon()
  }

  received(received: Received): void {
    if (!this.#traced.allows(received.endMs)) return
    this.#received.push(received)
    this.#soon()
  }

  rejected(): void {
    this.#counters.rejected++
    this.#wrong.after++
    this.#soon()
  }

  refused(why: RefusedFor, signature: string, eventId: string | null, isSigned: boolean): void {
    this.#counters[why === "too-large" ? "tooLarge" : "encoded"]++
    this.#refusal({ kind: "refused", why, signature, eventId, isSigned })
  }

  came(signature: string, eventId: string | null): void {
    this.#refusal({ kind: "came", signature, eventId })
  }

  notStored(cause: unknown): void {
    this.#counters.notStored++
    this.#isFailing = true
    this.#failing = cause instanceof Error ? cause.message : String(cause)
    this.#soon()
  }

  /** The main thread has heard the last report. */
  heard(): void {
    this.#isUnheard = false
    this.#sendIfDue()
  }

  /** Sends without waiting for the main thread to have heard the last report. */
  send(): void {
    this.#isNews = false
    this.#isUnheard = true
    this.#pause()
    this.#say({
      counters: this.#counters,
      accepted: [...this.#accepted.values()],
      wrong: this.#wrong,
      refusals: this.#refusals,
      received: this.#received,
      failing: this.#failing
    })
    this.#counters = none()
    this.#accepted = new Map()
    this.#wrong = { before: 0, after: 0 }
    this.#refusals = []
    this.#received = []
    this.#failing = undefined
  }

  #refusal(refusing: Refusing): void {
    if (this.#refusals.length >= mostRefusals) this.#refusals.shift()
    this.#refusals.push(refusing)
    this.#soon()
  }

  /** Together with what else happens in this turn of the event loop. */
  #soon(): void {
    if (this.#isNews) return
    this.#isNews = true
    if (!this.#isUnheard && !this.#isPausing) setImmediate(() => this.#sendIfDue())
  }

  #sendIfDue(): void {
    if (this.#isNews && !this.#isUnheard && !this.#isPausing) this.send()
  }

  #pause(): void {
    if (this.#isPausing) return
    this.#isPausing = true
    setTimeout(() => {
      this.#isPausing = false
      this.#sendIfDue()
    }, everyMs)
  }
}
