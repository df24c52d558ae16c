/**
 * Looks up which number each row of a table has, for `StoredRows`: of all rows, or only of those that have other numbers by
 * now.
 *
 * A checkpoint drops rows that lie together and are all deleted, mostly those that were replaced a moment ago: the rows after
 * them then have lower numbers, in the same order, and those before them keep theirs. Of millions, only the last few
 * thousand are looked up again.
 */
import { seen } from "../Ddl.ts"
import type { RecentRows } from "./RecentRows.ts"
import { RowNumbers } from "./RowNumbers.ts"
import type { TableRows } from "./TableRows.ts"

/** Of one table. */
export interface Numbered {
  readonly numbers: RowNumbers
  readonly recent: RecentRows
  /** The number of the next row. */
  next: number
  /** Some rows have other numbers by now. */
  isOutdated?: boolean
}

export class Numbering {
  readonly #rows: TableRows
  readonly #seen: string
  readonly #key: string

  /** `key`: the column with the ids. */
  constructor(rows: TableRows, name: string, key: string) {
    this.#rows = rows
    this.#seen = seen(name)
    this.#key = key
  }

  /** By a scan of the whole table. */
  async all(recent: RecentRows): Promise<Numbered> {
    const numbered: Numbered = { numbers: new RowNumbers(), recent, next: 0 }
    await this.#scan(numbered, 0, () => undefined)
    return numbered
  }

  /** Those that changed. Returns false if the numbers don't hold even then, so that all are to be looked up. */
  async changed(numbered: Numbered): Promise<boolean> {
    const first = await this.#firstChanged(numbered)
    const recent = numbered.recent.takeFrom(first)
    numbered.numbers.dropFrom(first)
    numbered.next = first
    await this.#scan(numbered, first, (id, number) => {
      const row = recent.get(id)
      if (row !== undefined) numbered.recent.keep(id, { row, number })
    })
    numbered.isOutdated = false
    const counted = await this.#rows.connection.runAndReadAll(`select count(*) from ${this.#seen}`)
    return Number(counted.getRows()[0]?.[0]) === numbered.numbers.count
  }

  /** All rows with lower numbers have kept them. Sought from the end. */
  async #firstChanged({ next, numbers }: Numbered): Promise<number> {
    for (let back = nearEnd; ; back *= 8) {
      const least = Math.max(0, next - back)
      const known = numbers.from(least)
      if (least > 0 && (known.length === 0 || !(await this.#isStill(numbers, known[0]!)))) continue
      let [low, high] = [0, known.length]
      while (low < high) {
        const middle = (low + high) >>> 1
        if (await this.#isStill(numbers, known[middle]!)) low = middle + 1
        else high = middle
      }
      return low === 0 ? least : known[low - 1]! + 1
    }
  }

  /** The row that had this number has it still. */
  async #isStill(numbers: RowNumbers, number: number): Promise<boolean> {
    const text = `select cast(${this.#key} as varchar) from ${this.#seen} where rowid = cast($1 as bigint)`
    const [found] = await (await this.#rows.run(text, String(number))).getRows()
    return found !== undefined && numbers.of(String(found[0])).includes(number)
  }

  /** Adds those that aren't below `first`. */
  async #scan(numbered: Numbered, first: number, hear: (id: string, number: number) => void): Promise<void> {
    const where = first === 0 ? "" : ` where rowid >= ${first}`
    const result = await this.#rows.connection.stream(`select ${this.#key}, rowid from ${this.#seen}${where}`)
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      const [ids, numbers] = [chunk.getColumnVector(0), chunk.getColumnVector(1)]
      for (let index = 0; index < chunk.rowCount; index++) {
        const [id, number] = [String(ids.getItem(index)), Number(numbers.getItem(index))]
        numbered.numbers.add(id, number)
        numbered.next = Math.max(numbered.next, number + 1)
        hear(id, number)
      }
    }
  }
}

/** Few rows are replaced between two checkpoints. */
const nearEnd = 4096
