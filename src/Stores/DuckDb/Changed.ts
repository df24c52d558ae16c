/**
 * The keys of rows that were written since a copy was made, by table. Too many of them count as all.
 */

/** They take about 15 MB for each copy, and a whole copy then takes hardly longer. */
const mostKeys = 200_000

export class Changed {
  #keys: Map<string, Set<string>> | undefined = new Map()
  #count = 0

  add(table: string, keys: ReadonlyArray<string>): void {
    if (this.#keys === undefined) return
    const known = this.#keys.get(table) ?? new Set()
    this.#keys.set(table, known)
    const before = known.size
    for (const key of keys) known.add(key)
    this.#count += known.size - before
    if (this.#count > mostKeys) this.#keys = undefined
  }

  /** Undefined: all. */
  get keys(): ReadonlyMap<string, ReadonlySet<string>> | undefined {
    return this.#keys
  }

  get count(): number {
    return this.#count
  }
}
