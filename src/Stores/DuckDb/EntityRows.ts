/**
 * Merges changes into the rows of entities: each stored row that they touch is read by its number (`RowNumbers`), unless an
 * event changed it lately (`RecentRows`), merged, deleted and appended again. This code keeps one row per id, because DuckDB would hold a whole index in memory (`Ddl`).
 *
 * A caller merges within a transaction and then says how it ended, because only a commit gives rows their numbers.
 * An id that is taken for a new one would get a second row: so in any doubt all numbers are looked up again.
 */
import type { Change } from "../../Domain/Change.ts"
import { Listed } from "../../Domain/Listed.ts"
import type { Row } from "../../Domain/Merge.ts"
import { byName, type EntityName } from "../../Domain/Resource.ts"
import { mergeGently } from "../Merging.ts"
import { entityTable } from "../WarehouseTables.ts"
import { RecentRows, type Stored } from "./RecentRows.ts"
import { isOf, RowNumbers } from "./RowNumbers.ts"
import * as Rows from "./Rows.ts"
import { listed, type TableRows } from "./TableRows.ts"

/** Of one table. */
interface Numbered {
  readonly numbers: RowNumbers
  readonly recent: RecentRows
  /** The number of the next row. */
  next: number
}

interface Written {
  readonly name: EntityName
  /** In the order in which they were appended; `from`: the number of the outdated row. */
  readonly rows: ReadonlyArray<{
    readonly id: string
    readonly from: number | undefined
    /** Undefined: no event is expected to change it soon. */
    readonly recent: Row | undefined
  }>
  /** Ids of rows that were appended after these, without being merged. */
  readonly first: ReadonlyArray<string>
}

/** A row that is in memory has another number by now. To be rolled back; the next try reads it again. */
export class Renumbered extends Error {
  override readonly name = "Renumbered"

  constructor(name: EntityName) {
    super(`rows of construction.${name} have other numbers`)
  }
}

export class EntityRows {
  readonly #tables: TableRows
  readonly #numbered = new Map<EntityName, Numbered>()
  #written: Array<Written> = []

  constructor(tables: TableRows) {
    this.#tables = tables
  }

  /** How many rows have their numbers in memory. */
  get numbered(): number {
    return [...this.#numbered.values()].reduce((sum, { numbers }) => sum + numbers.count, 0)
  }

  /** True if analysts can see that something has changed. */
  async merge(name: EntityName, changes: ReadonlyArray<Change>): Promise<boolean> {
    const table = entityTable(name)
    const resource = byName(name)
    const { first, others } = await this.#sorted(name, changes)
    const byId = groupById(others)
    const stored = await this.#stored(name, [...byId.keys()])
    const merged: Array<Row> = []
    const rows: Array<Written["rows"][number]> = []
    let isVisible = false
    for (const [id, ofId] of byId) {
      const found = stored.get(id)
      const before = found?.row
      const merging = mergeGently(resource, before, ofId)
      const after = merging instanceof Promise ? await merging : merging
      if (after === undefined || after === before) continue
      merged.push(after)
      rows.push({ id, from: found?.number, recent: ofId.at(-1)?.source === "event" ? after : undefined })
      isVisible ||= before?.["_changed_at"] !== after["_changed_at"]
    }
    const outdated = rows.flatMap(({ from, id }) => (from === undefined ? [] : [{ number: from, id }]))
    if ((await this.#tables.deleteNumbered(table, outdated)) < outdated.length) throw new Renumbered(name)
    await this.#tables.append(table, merged)
    await this.#tables.appendTexts(table, first, (listed, column) => listed.textOf(column))
    this.#written.push({ name, rows, first: first.map(({ id }) => id) })
    return isVisible || first.length > 0
  }

  committed(): void {
    for (const { first, name, rows } of this.#written) {
      const numbered = this.#numbered.get(name)!
      for (const { from, id, recent } of rows) {
        const number = numbered.next++
        if (from === undefined) numbered.numbers.add(id, number)
        else numbered.numbers.move(id, from, number)
        if (recent === undefined) numbered.recent.drop(id)
        else numbered.recent.keep(id, { row: recent, number })
      }
      for (const id of first) numbered.numbers.add(id, numbered.next++)
    }
    this.#written = []
  }

  /** Rows have been renumbered, or it isn't known whether what was merged was committed. */
  forget(): void {
    this.#written = []
    this.#numbered.clear()
  }

  /** `first`: the only changes of entities that have no row, which need no merging. */
  async #sorted(name: EntityName, changes: ReadonlyArray<Change>): Promise<Sorted> {
    const listed = changes.filter((change) => change instanceof Listed)
    if (listed.length === 0 || new Set(changes.map(({ id }) => id)).size < changes.length) {
      return { first: [], others: changes }
    }
    const { numbers } = await this.#numbersOf(name)
    const isFirst = (change: Change): change is Listed => change instanceof Listed && !numbers.mayHave(change.id)
    return { first: listed.filter(isFirst), others: changes.filter((change) => !isFirst(change)) }
  }

  async #numbersOf(name: EntityName): Promise<Numbered> {
    const known = this.#numbered.get(name) ?? (await this.#lookUp(name))
    this.#numbered.set(name, known)
    return known
  }

  async #stored(name: EntityName, ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, Stored>> {
    const known = this.#numbered.get(name)
    if (known !== undefined) {
      const [recent, others] = parted(ids, known.recent)
      const read = await this.#read(name, others, known.numbers)
      if (read !== undefined) return new Map([...recent, ...read])
    }
    const numbered = await this.#lookUp(name)
    this.#numbered.set(name, numbered)
    const again = await this.#read(name, ids, numbered.numbers)
    if (again === undefined) throw new Error(`the row numbers of construction.${name} don't hold`)
    return again
  }

  /** By id; undefined if a row doesn't have its number any more. */
  async #read(
    name: EntityName,
    ids: ReadonlyArray<string>,
    numbers: RowNumbers
  ): Promise<ReadonlyMap<string, Stored> | undefined> {
    const wanted = new Map<number, string>()
    for (const id of ids) for (const number of numbers.of(id)) wanted.set(number, id)
    const stored = new Map<string, Stored>()
    if (wanted.size === 0) return stored
    const result = await this.#tables.run(
      `select *, rowid from construction.${name} where rowid in (${listed("BIGINT")})`,
      JSON.stringify([...wanted.keys()].map(String))
    )
    const read = Rows.reader(result)
    for (const chunk of await result.fetchAllChunks()) {
      for (const { rowid, ...row } of read(chunk)) {
        const [id, number] = [String(row["id"]), Number(rowid)]
        if (!isOf(id, wanted.get(number) ?? "")) return undefined
        stored.set(id, { row: row as Row, number })
      }
    }
    return stored.size === wanted.size ? stored : undefined
  }

  /** By a scan of the whole table. */
  async #lookUp(name: EntityName): Promise<Numbered> {
    const numbered: Numbered = { numbers: new RowNumbers(), recent: new RecentRows(), next: 0 }
    const result = await this.#tables.connection.stream(`select id, rowid from construction.${name}`)
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      const [ids, rows] = [chunk.getColumnVector(0), chunk.getColumnVector(1)]
      for (let index = 0; index < chunk.rowCount; index++) {
        const row = Number(rows.getItem(index))
        numbered.numbers.add(String(ids.getItem(index)), row)
        numbered.next = Math.max(numbered.next, row + 1)
      }
    }
    return numbered
  }
}

/** Those that are in memory, and the ids of the others. */
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

interface Sorted {
  readonly first: ReadonlyArray<Listed>
  readonly others: ReadonlyArray<Change>
}

/** Most batches name each id once, and then need no grouping. */
const groupById = (changes: ReadonlyArray<Change>): ReadonlyMap<string, ReadonlyArray<Change>> => {
  const byId = new Map<string, ReadonlyArray<Change>>()
  for (const change of changes) byId.set(change.id, [change])
  return byId.size === changes.length ? byId : Map.groupBy(changes, (change) => change.id)
}
