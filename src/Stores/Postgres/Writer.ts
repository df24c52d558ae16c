/**
 * Writes changes into PostgreSQL: the stored rows they touch are read, merged and written back in bulk.
 *
 * Several workers may write the same row concurrently, and no update is lost. A row is written only over the version
 * that it was merged with: new rows with `on conflict do nothing`, others after locking them and finding the version
 * unchanged. Rows that another worker changed meanwhile are read and merged again. Locks are taken before inserts, both
 * in a fixed order, to avoid deadlocks. If rewriting such rows causes one anyway, the server aborts one writer, whose
 * batch is retried.
 */
import { type Kysely, sql } from "kysely"
import type { Change } from "../../Domain/Change.ts"
import type { Row } from "../../Domain/Merge.ts"
import { typeName } from "./Ddl.ts"
import { countOf, inOrder, inputOf, insert, insertionOf, names, pieces, rowsAtOnce, update } from "./ManyRows.ts"
import type { ColumnType } from "../../Domain/Resource.ts"
import { quoted, seen } from "../Ddl.ts"
import { type EntityTable, type EntityTables, inTexts, keyOf } from "../EntityTables.ts"
import { isVisible as isVisibleIn, mergeGently } from "../Merging.ts"
import type { Batch } from "../Warehouse.ts"
import {
  type CurrencyRow,
  currenciesTable,
  type EventRow,
  eventsTable,
  type Shown,
  type WarehouseTables
} from "../WarehouseTables.ts"

type Db = Kysely<WarehouseTables>

/** Returns true if something that analysts can see has changed. */
export const write = async (db: Db, tables: EntityTables, { changes, currencies, events }: Batch): Promise<boolean> => {
  let isVisible = events.length > 0 || currencies !== undefined
  const byEntity = Map.groupBy(changes, (change) => change.entity)
  for (const name of [...byEntity.keys()].toSorted()) {
    isVisible = (await mergeInto(db, tables.of(name), byEntity.get(name) ?? [])) || isVisible
  }
  await upsertEvents(db, events)
  if (currencies !== undefined) await replaceCurrencies(db, currencies)
  return isVisible
}

const replaceCurrencies = async (db: Db, rows: ReadonlyArray<CurrencyRow>): Promise<void> => {
  await sql`delete from construction.project_currencies`.execute(db)
  if (rows.length > 0) {
    await insert(
      db,
      currenciesTable,
      rows.map((row) => ({ ...row }))
    )
  }
}

/**
 * Canonical text, as `Merge` needs it. Most types arrive in this form (`Postgres/Values`), twice as fast as through
 * `to_char`.
 */
const asText = (column: string, type: ColumnType): string =>
  type === "BIGINT" ? `"${column}"::text as "${column}"` : `"${column}"`

const selectList = (columns: Shown["columns"]): string => columns.map(({ name, type }) => asText(name, type)).join(", ")

interface Stored {
  readonly row: Row
  readonly version: string
}

const read = async (db: Db, table: EntityTable, ids: ReadonlyArray<string>): Promise<ReadonlyMap<string, Stored>> => {
  const { columns, key, name, resource } = table
  const { rows } = await sql<Record<string, string | null> & { _version: string }>`
    select ${sql.raw(selectList(columns))}, xmin::text as _version from ${sql.raw(seen(name))}
    where ${sql.raw(key)} = any(${ids}::${sql.raw(keyType(table))}[])`.execute(db)
  return new Map(
    rows.map(({ _version: version, ...found }) => {
      const row = inTexts(table, found)
      return [keyOf(resource, row), { row, version }]
    })
  )
}

/** From this many ids on, a sample of `few` is read first; if none of them is stored, the rest isn't read. */
const many = 500
const few = 20

/**
 * A guess, which the insert verifies. Reading them first made a first walk, whose rows are all new, take a third
 * longer.
 */
const areNew = async (db: Db, table: EntityTable, ids: ReadonlyArray<string>): Promise<boolean> => {
  if (ids.length < many) return false
  const every = Math.floor(ids.length / few)
  return (
    (
      await read(
        db,
        table,
        ids.filter((_, place) => place % every === 0)
      )
    ).size === 0
  )
}

const keyType = ({ resource }: EntityTable): string => typeName(resource.key)

interface Put {
  readonly isVisible: boolean
  /** Ids to read and merge again, because another worker changed them meanwhile, or may have. */
  readonly overtaken: ReadonlyArray<string>
}

type ById = ReadonlyMap<string, ReadonlyArray<Change>>

interface Merged {
  readonly id: string
  readonly row: Row
  readonly before: Stored | undefined
}

const mergeInto = async (db: Db, table: EntityTable, changes: ReadonlyArray<Change>): Promise<boolean> => {
  let byId: ById = Map.groupBy(changes, (change) => change.id)
  let isGuess = await areNew(db, table, [...byId.keys()])
  let isVisible = false
  while (byId.size > 0) {
    const left: ById = byId
    const put: Put = isGuess ? await putNew(db, table, left) : await mergeStored(db, table, left)
    isGuess = false
    isVisible ||= put.isVisible
    byId = new Map(put.overtaken.map((id) => [id, left.get(id) ?? []]))
  }
  return isVisible
}

interface Inserting {
  readonly ids: ReadonlyArray<string>
  readonly rows: number
  readonly inserted: Promise<number>
}

/** While the server inserts some rows, the next ones are merged. */
const putNew = async (db: Db, table: EntityTable, byId: ById): Promise<Put> => {
  const all: Array<Inserting> = []
  const ids = [...byId.keys()].toSorted(inOrder)
  try {
    for (let from = 0; from < ids.length; from += rowsAtOnce) {
      const some = ids.slice(from, from + rowsAtOnce)
      const rows = await mergedNew(table, some, byId)
      const insertion = insertionOf(table, rows)
      await all.at(-1)?.inserted
      const inserted = countOf(insertion.execute(db))
      // Awaited once the next ones are merged.
      inserted.catch(() => undefined)
      all.push({ ids: some, rows: rows.length, inserted })
    }
  } finally {
    await all.at(-1)?.inserted
  }
  const put = { isVisible: false, overtaken: [] as Array<string> }
  for (const { ids: some, inserted, rows } of all) {
    const count = await inserted
    put.isVisible ||= count > 0
    // Which rows conflicted doesn't matter: merging a row with itself changes nothing.
    if (count < rows) put.overtaken.push(...some)
  }
  return put
}

const mergedNew = async (table: EntityTable, ids: ReadonlyArray<string>, byId: ById): Promise<ReadonlyArray<Row>> => {
  const rows: Array<Row> = []
  for (const id of ids) {
    const merging = mergeGently(table.resource, undefined, byId.get(id) ?? [])
    const row = merging instanceof Promise ? await merging : merging
    if (row !== undefined) rows.push(row)
  }
  return rows
}

const mergeStored = async (db: Db, table: EntityTable, byId: ById): Promise<Put> => {
  const stored = await read(db, table, [...byId.keys()])
  const merged: Array<Merged> = []
  for (const [id, ofId] of byId) {
    const before = stored.get(id)
    const merging = mergeGently(table.resource, before?.row, ofId)
    const row = merging instanceof Promise ? await merging : merging
    if (row === undefined || row === before?.row) continue
    merged.push({ id, row, before })
  }
  return putAll(db, table, merged)
}

const putAll = async (db: Db, table: EntityTable, merged: ReadonlyArray<Merged>): Promise<Put> => {
  const known = merged.filter(({ before }) => before !== undefined)
  const unchanged = await lockUnchanged(db, table, known)
  const written = new Set(unchanged.map(({ id }) => id))
  const overtaken = known.filter(({ id }) => !written.has(id)).map(({ id }) => id)
  let isVisible = unchanged.some(({ before, row }) => isVisibleIn(before?.row, row))
  const fresh = merged.filter(({ before }) => before === undefined).map(({ row }) => row)
  for (const rows of pieces(table, fresh)) {
    const inserted = await insert(db, table, rows)
    isVisible ||= inserted > 0
    // Which rows conflicted doesn't matter: merging a row with itself changes nothing.
    if (inserted < rows.length) overtaken.push(...rows.map((row) => keyOf(table.resource, row)))
  }
  const changed = unchanged.map(({ row }) => row)
  for (const rows of pieces(table, changed)) await update(db, table, rows)
  return { isVisible, overtaken }
}

const lockUnchanged = async (
  db: Db,
  table: EntityTable,
  merged: ReadonlyArray<Merged>
): Promise<ReadonlyArray<Merged>> => {
  if (merged.length === 0) return merged
  const { key, name } = table
  // In one statement, in the server's order.
  const { rows } = await sql<{ id: string; version: string }>`
    select ${sql.raw(key)}::text as id, xmin::text as version from ${sql.raw(seen(name))}
    where ${sql.raw(key)} = any(${merged.map(({ id }) => id)}::${sql.raw(keyType(table))}[])
    order by ${sql.raw(quoted(name))}.${sql.raw(key)} for update`.execute(db)
  const versions = new Map(rows.map(({ id, version }) => [id, version]))
  return merged.filter(({ before, id }) => versions.get(id) === before?.version)
}

/** The row with more deliveries wins, because two workers may write the same event in any order. */
const upsertEvents = async (db: Db, events: ReadonlyArray<EventRow>): Promise<void> => {
  const distinct = [...new Map(events.map((row) => [row.body_sha256, { ...row }])).values()]
  const sets = eventsTable.columns.slice(1).map(({ name }) => `"${name}" = excluded."${name}"`)
  for (const rows of pieces(eventsTable, distinct)) {
    const { expressions, from } = inputOf(eventsTable, rows)
    await sql`
      insert into construction.events as stored (${sql.raw(names(eventsTable.columns))})
      select ${sql.join(expressions)} from ${from}
      on conflict (body_sha256) do update set ${sql.raw(sets.join(", "))}
      where excluded.deliveries >= stored.deliveries`.execute(db)
  }
}
