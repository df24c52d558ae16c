/**
 * Merges changes into the rows of entities: each stored row that they touch is read at its place (`Places`), merged,
 * deleted and appended again. This code keeps one row per id, because DuckDB would hold a whole index in memory (`Ddl`).
 *
 * A caller merges within a transaction and then says how it ended, because only a commit gives rows their places. An id
 * that is taken for a new one would get a second row: so in any doubt all places are looked up again.
 */
import type { Change } from "../../Domain/Change.ts"
import type { Row } from "../../Domain/Merge.ts"
import { byName, type EntityName } from "../../Domain/Resource.ts"
import { mergeGently } from "../Merging.ts"
import { entityTable } from "../WarehouseTables.ts"
import { isOf, Places } from "./Places.ts"
import * as Rows from "./Rows.ts"
import { listed, type TableRows } from "./TableRows.ts"

/** Of one table. */
interface Placed {
  readonly places: Places
  /** The number that DuckDB gives to the next row. */
  next: number
}

interface Written {
  readonly name: EntityName
  /** In the order in which they were appended; `from`: where the outdated row was. */
  readonly rows: ReadonlyArray<{ readonly id: string; readonly from: number | undefined }>
}

export class EntityRows {
  readonly #tables: TableRows
  readonly #placed = new Map<EntityName, Placed>()
  #written: Array<Written> = []

  constructor(tables: TableRows) {
    this.#tables = tables
  }

  /** True if analysts can see that something has changed. */
  async merge(name: EntityName, changes: ReadonlyArray<Change>): Promise<boolean> {
    const table = entityTable(name)
    const resource = byName(name)
    const byId = groupById(changes)
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
      rows.push({ id, from: found?.place })
      isVisible ||= before?.["_changed_at"] !== after["_changed_at"]
    }
    const outdated = rows.flatMap(({ from }) => (from === undefined ? [] : [String(from)]))
    await this.#tables.delete(table, "rowid", outdated)
    await this.#tables.append(table, merged)
    this.#written.push({ name, rows })
    return isVisible
  }

  committed(): void {
    for (const { name, rows } of this.#written) {
      const placed = this.#placed.get(name)!
      for (const { from, id } of rows) {
        if (from === undefined) placed.places.add(id, placed.next++)
        else placed.places.move(id, from, placed.next++)
      }
    }
    this.#written = []
  }

  /** Rows have moved, or it isn't known whether what was merged was committed. */
  forget(): void {
    this.#written = []
    this.#placed.clear()
  }

  async #stored(name: EntityName, ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, Stored>> {
    const known = this.#placed.get(name)
    const read = known && (await this.#read(name, ids, known.places))
    if (read !== undefined) return read
    const placed = await this.#lookUp(name)
    this.#placed.set(name, placed)
    const again = await this.#read(name, ids, placed.places)
    if (again === undefined) throw new Error(`the places of construction.${name} don't hold`)
    return again
  }

  /** By id; undefined if a row isn't at its place any more. */
  async #read(
    name: EntityName,
    ids: ReadonlyArray<string>,
    places: Places
  ): Promise<ReadonlyMap<string, Stored> | undefined> {
    const wanted = new Map<number, string>()
    for (const id of ids) for (const place of places.of(id)) wanted.set(place, id)
    const stored = new Map<string, Stored>()
    if (wanted.size === 0) return stored
    const result = await this.#tables.run(
      `select *, rowid from construction.${name} where rowid in (${listed("BIGINT")})`,
      JSON.stringify([...wanted.keys()].map(String))
    )
    const read = Rows.reader(result)
    for (const chunk of await result.fetchAllChunks()) {
      for (const { rowid, ...row } of read(chunk)) {
        const [id, place] = [String(row["id"]), Number(rowid)]
        if (!isOf(id, wanted.get(place) ?? "")) return undefined
        stored.set(id, { row: row as Row, place })
      }
    }
    return stored.size === wanted.size ? stored : undefined
  }

  /** By a scan of the whole table. */
  async #lookUp(name: EntityName): Promise<Placed> {
    const placed: Placed = { places: new Places(), next: 0 }
    const result = await this.#tables.connection.stream(`select id, rowid from construction.${name}`)
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      const [ids, rows] = [chunk.getColumnVector(0), chunk.getColumnVector(1)]
      for (let index = 0; index < chunk.rowCount; index++) {
        const row = Number(rows.getItem(index))
        placed.places.add(String(ids.getItem(index)), row)
        placed.next = Math.max(placed.next, row + 1)
      }
    }
    return placed
  }
}

interface Stored {
  readonly row: Row
  readonly place: number
}

/** Most batches name each id once, and then need no grouping. */
const groupById = (changes: ReadonlyArray<Change>): ReadonlyMap<string, ReadonlyArray<Change>> => {
  const byId = new Map<string, ReadonlyArray<Change>>()
  for (const change of changes) byId.set(change.id, [change])
  return byId.size === changes.length ? byId : Map.groupBy(changes, (change) => change.id)
}
