/**
 * Reasons for a finding, each with a degree of doubt. Together they make up its confidence. Pure.
 */
import type { Confidence } from "./Review.ts"

export class Doubts {
  readonly #reasons: Array<string> = []
  readonly #problems: Array<string> = []
  readonly #needs: Array<string> = []
  #doubt = 0

  /** `doubt`: 0, none; 1, a person should look; 2, it may well be wrong. */
  because(reason: string, doubt = 0): void {
    this.#reasons.push(reason)
    this.#doubt += doubt
  }

  /** Why it can't be synced, unless a person knows better. */
  fail(problem: string): void {
    this.#problems.push(problem)
  }

  /** What a person must give before it can be on. */
  need(what: string): void {
    this.#needs.push(what)
    this.#doubt += 1
  }

  get reasons(): ReadonlyArray<string> {
    return this.#reasons
  }

  get problems(): ReadonlyArray<string> {
    return this.#problems
  }

  get needs(): ReadonlyArray<string> {
    return this.#needs
  }

  get confidence(): Confidence {
    if (this.#doubt === 0) return "high"
    return this.#doubt <= 2 ? "medium" : "low"
  }
}
