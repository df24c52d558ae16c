/**
 * How long many things took, counted by length, so that counts of several workers and minutes can be added and their
 * percentiles still be told: each is wrong by two percent at the most. To count one makes nothing new.
 *
 * The form in which they are kept is one for all versions: by n, how many took up to 2^(n/16) ms, but more than the n before.
 */

const perDoubling = 16

/** Three days, for whatever takes longer, too. */
const last = 28 * perDoubling

const placeOf = (ms: number): number => (ms > 1 ? Math.min(last, Math.ceil(Math.log2(ms) * perDoubling)) : 0)

/** In the middle of those that are counted there. */
const msAt = (place: number): number => (place === 0 ? 1 : Number((2 ** ((place - 0.5) / perDoubling)).toPrecision(3)))

export class Latencies {
  readonly #counts = new Uint32Array(last + 1)

  add(ms: number): void {
    this.#counts[placeOf(ms)]!++
  }

  /** Those that were kept, too. */
  addKept(kept: string): void {
    const counts = JSON.parse(kept) as Readonly<Record<string, number>>
    for (const [place, count] of Object.entries(counts)) this.#counts[Math.min(last, Number(place))]! += count
  }

  clear(): void {
    this.#counts.fill(0)
  }

  /** As they are kept. */
  get kept(): string {
    const counts = [...this.#counts.entries()].filter(([, count]) => count > 0)
    return JSON.stringify(Object.fromEntries(counts))
  }

  /** In ms, which this share of them didn't exceed; null if there are none. */
  percentile(share: number): number | null {
    const all = this.#counts.reduce((sum, count) => sum + count, 0)
    if (all === 0) return null
    let left = Math.max(1, Math.ceil(all * share))
    const place = this.#counts.findIndex((count) => (left -= count) <= 0)
    return msAt(place)
  }
}
