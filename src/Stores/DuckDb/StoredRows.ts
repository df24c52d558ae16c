/**
 * The rows of entities in the file, by id: found by their numbers (`RowNumbers`), or in memory if an event changed them
 * recently (`RecentRows`).
 *
 * The few rows that events concern are taken: read and deleted by one statement. To select a row, DuckDB decodes the
 * two thousand rows around it in every column, and to delete it, it does so again.
 */
import { type EntityTables, inTexts, keyOf } from "../EntityTables.ts"
import { type Numbered, Numbering } from "./Numbering.ts"
import { RecentRows, type Stored } from "./RecentRows.ts"
import { isOf, type RowNumbers } from "./RowNumbers.ts"
import { seen } from "../Ddl.ts"
import * as Rows from "./Rows.ts"
import { listed, type TableRows } from "./TableRows.ts"

export interface Found extends Stored {
  /** It is already deleted. */
  readonly isTaken?: true
}

/**
 * A row that is in memory has another number by now. The transaction must be rolled back; the next try reads the row
 * again.
 */
export class Renumbered extends Error {
  override readonly name = "Renumbered"
  /** The table of these rows. */
  readonly table: string

  constructor(table: string) {
    super(`rows of construction.${table} have other numbers`)
    this.table = table
  }
}

export class StoredRows {
  readonly #rows: TableRows
  readonly #tables: EntityTables
  readonly #makeRecent: () => RecentRows
  readonly #numbered = new Map<string, Numbered>()

  constructor(rows: TableRows, tables: EntityTables, makeRecent = () => new RecentRows()) {
    this.#rows = rows
    this.#tables = tables
    this.#makeRecent = makeRecent
  }

  /** How many rows have their numbers in memory. */
  get count(): number {
    return [...this.#numbered.values()].reduce((sum, { numbers }) => sum + numbers.count, 0)
  }

  /** A table in which rows were found before. */
  known(name: string): Numbered {
    return this.#numbered.get(name)!
  }

  /**
   * All rows have other numbers by now, or it isn't known which rows exist, or memory is to be given back. For a table
   * of 400,000 rows, looking them up again takes 0.15 s.
   */
  forget(): void {
    this.#numbered.clear()
  }

  /** Rows of this table have other numbers by now. */
  renumbered(name: string): void {
    const known = this.#numbered.get(name)
    if (known !== undefined) known.isOutdated = true
  }

  async numbered(name: string): Promise<Numbered> {
    const known = this.#numbered.get(name)
    if (known === undefined) return this.#lookUp(name)
    // A caller that asks which ids have no row must not get outdated numbers.
    if (known.isOutdated === true && !(await this.#numbering(name).changed(known))) return this.#lookUp(name)
    return known
  }

  /** `isOfEvents`: these rows are about to be changed. Other rows may be taken too. */
  async of(name: string, ids: ReadonlyArray<string>, isOfEvents: boolean): Promise<Map<string, Found>> {
    const known = this.#numbered.get(name)
    if (known !== undefined && known.isOutdated !== true) {
      const [recent, others] = parted(ids, known.recent)
      const areFew = others.length <= Math.max(few, known.numbers.count * fewShare)
      const read =
        isOfEvents && areFew
          ? await this.#taken(name, others, known.numbers)
          : await this.#read(name, others, known.numbers)
      if (read !== undefined) return new Map([...recent, ...read])
    }
    if (known !== undefined && (await this.#numbering(name).changed(known))) {
      const read = await this.#read(name, ids, known.numbers)
      if (read !== undefined) return read
    }
    const again = await this.#read(name, ids, (await this.#lookUp(name)).numbers)
    if (again === undefined) throw new Error(`the row numbers of construction.${name} don't hold`)
    return again
  }

  #numbering(name: string): Numbering {
    return new Numbering(this.#rows, name, this.#tables.of(name).key)
  }

  async #lookUp(name: string): Promise<Numbered> {
    const numbered = await this.#numbering(name).all(this.#makeRecent())
    this.#numbered.set(name, numbered)
    return numbered
  }

  /** By id: rows that are now deleted. */
  async #taken(name: string, ids: ReadonlyArray<string>, numbers: RowNumbers): Promise<ReadonlyMap<string, Found>> {
    const wanted = new Set(ids.flatMap((id) => numbers.of(id)))
    const taken = new Map<string, Found>()
    if (wanted.size === 0) return taken
    const table = this.#tables.of(name)
    for (const found of await this.#rows.take(table, [...wanted])) {
      const row = inTexts(table, found)
      const id = keyOf(table.resource, row)
      const number = numbers.of(id).find((each) => wanted.delete(each))
      if (number !== undefined) taken.set(id, { row, number, isTaken: true })
    }
    // One of them doesn't exist, or belongs to another id.
    if (wanted.size > 0) throw new Renumbered(name)
    return taken
  }

  /** By id; undefined if a row no longer has its number. */
  async #read(name: string, ids: ReadonlyArray<string>, numbers: RowNumbers): Promise<Map<string, Found> | undefined> {
    const wanted = new Map<number, string>()
    for (const id of ids) for (const number of numbers.of(id)) wanted.set(number, id)
    const stored = new Map<string, Found>()
    if (wanted.size === 0) return stored
    const table = this.#tables.of(name)
    const result = await this.#rows.run(
      `select *, rowid from ${seen(name)} where rowid in (${listed("BIGINT")})`,
      JSON.stringify([...wanted.keys()].map(String))
    )
    for await (const part of Rows.inParts(result)) {
      for (const { rowid, ...found } of part) {
        const row = inTexts(table, found)
        const [id, number] = [keyOf(table.resource, row), Number(rowid)]
        if (!isOf(id, wanted.get(number) ?? "")) return undefined
        stored.set(id, { row, number })
      }
    }
    return stored.size === wanted.size ? stored : undefined
  }
}

/**
 * For up to this many rows, taking is faster than selecting and deleting. For more in a large table, because they lie
 * far apart.
 */
const few = 25
const fewShare = 1 / 400

/** The rows that are in memory, and the ids of the others. */
const parted = (
  ids: ReadonlyArray<string>,
  recent: RecentRows
): readonly [ReadonlyMap<string, Stored>, ReadonlyArray<string>] => {
  const found = new Map<string, Stored>()
  const others: Array<string> = []
  for (const id of ids) {
    const stored = recent.get(id)
    if (stored === undefined) others.push(id)
    else found.set(id, stored)
  }
  return [found, others]
}
