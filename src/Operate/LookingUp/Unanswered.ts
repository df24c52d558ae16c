/**
 * Records of a list for which the service has no answer while it answers for others. Each goes behind all that wait,
 * and is asked for again after growing pauses. A pause grows only if something else was answered meanwhile: a service
 * that is down says nothing about a record. Kept in memory: a worker that restarts tries each at once.
 */
import * as Instant from "../../Domain/Instant.ts"
import type { Detail } from "../../Walk/Details.ts"

interface Failing {
  readonly times: number
  readonly sinceMs: number
  readonly dueMs: number
  /** How many others had been answered at that time. */
  readonly answered: number
  readonly message: string
}

const minute = 60_000
/** Pauses double from this length. */
const firstPauseMs = minute
const longestPauseMs = 60 * minute
/** A person needn't know of a failure that is over by then. */
const shownAfterMs = 5 * minute
/** A record that is no longer asked for is forgotten. */
const forgottenAfterMs = 15 * minute

export class Unanswered {
  readonly #byId = new Map<string, Failing>()
  #answered = 0

  get count(): number {
    return this.#byId.size
  }

  /** When the first of them failed: they are in that order. */
  get sinceMs(): number | undefined {
    const [first] = this.#byId.values()
    return first?.sinceMs
  }

  failed(id: string, message: string, nowMs: number): void {
    const before = this.#byId.get(id)
    const isOwn = before === undefined || before.answered < this.#answered
    const times = (before?.times ?? 0) + (isOwn ? 1 : 0)
    const pauseMs = Math.min(firstPauseMs * 2 ** (times - 1), longestPauseMs)
    const sinceMs = before?.sinceMs ?? nowMs
    this.#byId.set(id, { times, sinceMs, dueMs: nowMs + pauseMs, answered: this.#answered, message })
  }

  succeeded(id: string): void {
    this.#answered++
    this.#byId.delete(id)
  }

  isDue(id: string, nowMs: number): boolean {
    return (this.#byId.get(id)?.dueMs ?? nowMs) <= nowMs
  }

  forget(nowMs: number): void {
    for (const [id, { dueMs }] of this.#byId) if (dueMs + forgottenAfterMs < nowMs) this.#byId.delete(id)
  }

  /** For a person; undefined if there is nothing to report. */
  sentence({ read }: Pick<Detail, "read">, nowMs: number): string | undefined {
    const long = [...this.#byId].filter(([, { sinceMs }]) => nowMs - sinceMs >= shownAfterMs)
    const [first] = long
    if (first === undefined) return undefined
    const [id, { message, sinceMs }] = first
    const [records, are] = long.length === 1 ? ["1 record", "It is"] : [`${long.length} records`, "They are"]
    return (
      `${read} gives no answer for ${records}, for example for ${id} since ${Instant.fromMillis(sinceMs)}: ` +
      `${message.replace(/\.$/, "")}. ${are} asked for again after growing pauses; the others go on.`
    )
  }
}
