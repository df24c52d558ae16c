/**
 * The keys of rows that were written since a copy was made, by table. If there are too many, everything counts as
 * changed. Pure.
 *
 * Events are tracked by their numbers, which are mostly consecutive, so of each run only the first and last number are
 * kept. In a busy hour they would be half of all keys and take 10 MB.
 */
import { eventsTable } from "../WarehouseTables.ts"

/** These ids take about 15 MB for each copy; with more, a complete copy takes hardly longer. */
const mostKeys = 200_000

export class Changed {
  #ids: Map<string, Set<string>> | undefined = new Map()
  readonly #events = new Numbers()
  #count = 0

  add(table: string, keys: ReadonlyArray<string>): void {
    if (this.#ids === undefined) return
    for (const key of keys) this.#count += this.#isNew(table, key) ? 1 : 0
    if (this.#count > mostKeys) this.#becomeAll()
  }

  include(other: Changed): void {
    const { keys } = other
    if (keys === undefined) return this.#becomeAll()
    for (const [table, some] of keys) this.add(table, some)
  }

  #becomeAll(): void {
    this.#ids = undefined
    this.#events.clear()
  }

  /** Undefined means all rows. */
  get keys(): ReadonlyMap<string, ReadonlyArray<string>> | undefined {
    if (this.#ids === undefined) return undefined
    const keys = [...this.#ids].map(([table, ids]) => [table, [...ids]] as const)
    const events = this.#events.all
    return new Map(events.length === 0 ? keys : [...keys, [eventsTable.name, events]])
  }

  get count(): number {
    return this.#count
  }

  #isNew(table: string, key: string): boolean {
    if (table === eventsTable.name) return this.#events.add(Number(key))
    const ids = this.#ids!.get(table) ?? new Set()
    this.#ids!.set(table, ids)
    return ids.size < ids.add(key).size
  }
}

/** A set of whole numbers, as runs of consecutive ones. */
class Numbers {
  /** In order; no two runs touch. */
  readonly #pieces: Array<{ readonly first: number; readonly last: number }> = []

  /** Returns false if the number is already known. */
  add(number: number): boolean {
    const at = this.#after(number)
    const [before, after] = [this.#pieces[at - 1], this.#pieces[at]]
    if (before !== undefined && number <= before.last) return false
    const first = before?.last === number - 1 ? before.first : number
    const last = after?.first === number + 1 ? after.last : number
    const joins = first < number ? 1 : 0
    this.#pieces.splice(at - joins, joins + (last > number ? 1 : 0), { first, last })
    return true
  }

  get all(): ReadonlyArray<string> {
    return this.#pieces.flatMap(({ first, last }) =>
      Array.from({ length: last - first + 1 }, (_, at) => String(first + at))
    )
  }

  clear(): void {
    this.#pieces.length = 0
  }

  /** The index of the first run that begins after it. */
  #after(number: number): number {
    let [low, high] = [0, this.#pieces.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#pieces[middle]!.first <= number) low = middle + 1
      else high = middle
    }
    return low
  }
}
