/**
 * Allows a limited number of something per second, the first ones of each second. The receiver's thread uses it too, so
 * it imports no Effect.
 */
export class PerSecond {
  readonly #most: number
  #second = 0
  #count = 0

  constructor(most: number) {
    this.#most = most
  }

  allows(atMs: number): boolean {
    const second = Math.floor(atMs / 1000)
    if (second !== this.#second) this.#count = 0
    this.#second = second
    return this.#count++ < this.#most
  }
}

/** For each kind of span of deliveries. */
export const mostSteps = 100
