/**
 * Merges changes into the rows of entities: each affected row is found (`StoredRows`), merged, deleted and appended
 * again. So is a row that was taken, even if it is unchanged. This code ensures one row per id, because DuckDB would
 * hold a whole index in memory (`Ddl`).
 *
 * A caller merges within a transaction and then reports how it ended, because rows get their numbers only on commit. An
 * id that is wrongly taken for a new one would get a second row, so in any doubt ids are looked up again.
 */
import type { Change } from "../../Domain/Change.ts"
import { Listed } from "../../Domain/Listed.ts"
import type { Row } from "../../Domain/Merge.ts"
import { isVisible as isVisibleIn, mergeGently } from "../Merging.ts"
import type { EntityTables } from "../EntityTables.ts"
import { type Found, Renumbered, StoredRows } from "./StoredRows.ts"
import type { TableRows } from "./TableRows.ts"

interface Written {
  readonly name: string
  /** In the order in which they were appended. `from`: the number of the row that each replaces. */
  readonly rows: ReadonlyArray<{
    readonly id: string
    readonly from: number | undefined
    /** Undefined if no event is expected to change it soon. */
    readonly recent: Row | undefined
  }>
  /** Ids of rows that were appended after these without being merged. */
  readonly first: ReadonlyArray<string>
}

export class EntityRows {
  readonly #rows: TableRows
  readonly #tables: EntityTables
  readonly #stored: StoredRows
  #written: Array<Written> = []

  constructor(rows: TableRows, tables: EntityTables, stored = new StoredRows(rows, tables)) {
    this.#rows = rows
    this.#tables = tables
    this.#stored = stored
  }

  /** How many rows have their numbers in memory. */
  get numbered(): number {
    return this.#stored.count
  }

  /** Returns true if analysts can see a change. */
  async merge(name: string, changes: ReadonlyArray<Change>): Promise<boolean> {
    const table = this.#tables.of(name)
    const { resource } = table
    const { first, others } = await this.#sorted(name, changes)
    const byId = groupById(others)
    const isOfEvents = others.every(({ source }) => source === "event")
    const stored = await this.#stored.of(name, [...byId.keys()], isOfEvents)
    const merged: Array<Row> = []
    const rows: Array<Written["rows"][number]> = []
    const outdated: Array<{ readonly number: number; readonly id: string }> = []
    let isVisible = false
    const put = (id: string, row: Row, from: Found | undefined, isRecent: boolean) => {
      merged.push(row)
      rows.push({ id, from: from?.number, recent: isRecent ? row : undefined })
      if (from !== undefined && !from.isTaken) outdated.push({ number: from.number, id })
    }
    for (const [id, ofId] of byId) {
      const found = stored.get(id)
      const before = found?.row
      const merging = mergeGently(resource, before, ofId)
      const after = merging instanceof Promise ? await merging : merging
      if (after === undefined || after === before) continue
      put(id, after, found, ofId.at(-1)?.source === "event")
      stored.delete(id)
      isVisible ||= isVisibleIn(before, after)
    }
    // The other rows that were taken: unchanged, or with an id of the same hash.
    for (const [id, found] of stored) if (found.isTaken) put(id, found.row, found, byId.has(id))
    if ((await this.#rows.deleteNumbered(table, outdated)) < outdated.length) throw new Renumbered(name)
    await this.#rows.append(table, merged)
    await this.#rows.appendTexts(table, first, (listed, column) => listed.textOf(column))
    this.#written.push({ name, rows, first: first.map(({ id }) => id) })
    return isVisible || first.length > 0
  }

  committed(): void {
    for (const { first, name, rows } of this.#written) {
      const numbered = this.#stored.known(name)
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

  /** The merged changes weren't committed, because rows of this table have been renumbered. */
  renumbered(table: string): void {
    this.#written = []
    this.#stored.renumbered(table)
  }

  /** All rows have been renumbered, or it isn't known whether the merge was committed, or memory is given back. */
  forget(): void {
    this.#written = []
    this.#stored.forget()
  }

  /** `first`: single changes of entities that have no row; these need no merging. */
  async #sorted(name: string, changes: ReadonlyArray<Change>): Promise<Sorted> {
    const listed = changes.filter((change) => change instanceof Listed)
    // Whether values of learned columns are still among the other fields.
    const areApart = (this.#tables.of(name).resource.learned?.size ?? 0) > 0
    if (areApart || listed.length === 0 || new Set(changes.map(({ id }) => id)).size < changes.length) {
      return { first: [], others: changes }
    }
    const { numbers } = await this.#stored.numbered(name)
    const isFirst = (change: Change): change is Listed => change instanceof Listed && !numbers.mayHave(change.id)
    return { first: listed.filter(isFirst), others: changes.filter((change) => !isFirst(change)) }
  }
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
