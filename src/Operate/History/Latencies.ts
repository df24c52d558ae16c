/**
 * How long many things took, counted by duration, so that the counts of several workers and minutes can be added and
 * still give percentiles, each accurate to two percent. Counting allocates nothing.
 *
 * The stored form is the same for all versions: for each n, how many took up to 2^(n/16) ms but more than for the
 * previous n.
 */

const perDoubling = 16

/** Three days; also used for anything longer. */
const last = 28 * perDoubling

const placeOf = (ms: number): number => (ms > 1 ? Math.min(last, Math.ceil(Math.log2(ms) * perDoubling)) : 0)

/** The middle of the range that is counted there. */
const msAt = (place: number): number => (place === 0 ? 1 : Number((2 ** ((place - 0.5) / perDoubling)).toPrecision(3)))

export class Latencies {
  readonly #counts = new Uint32Array(last + 1)

  add(ms: number): void {
    this.#counts[placeOf(ms)]!++
  }

  /** Adds stored counts. */
  addKept(kept: string): void {
    const counts = JSON.parse(kept) as Readonly<Record<string, number>>
    for (const [place, count] of Object.entries(counts)) this.#counts[Math.min(last, Number(place))]! += count
  }

  clear(): void {
    this.#counts.fill(0)
  }

  /** The form in which they are stored. */
  get kept(): string {
    const counts = [...this.#counts.entries()].filter(([, count]) => count > 0)
    return JSON.stringify(Object.fromEntries(counts))
  }

  /** In ms: what this share of them didn't exceed; null if there are none. */
  percentile(share: number): number | null {
    const all = this.#counts.reduce((sum, count) => sum + count, 0)
    if (all === 0) return null
    let left = Math.max(1, Math.ceil(all * share))
    const place = this.#counts.findIndex((count) => (left -= count) <= 0)
    return msAt(place)
  }
}
