/**
 * Writes changes into PostgreSQL: the stored rows they touch are read, merged and written back in bulk.
 *
 * Several workers may write the same row concurrently, and no update is lost. A row is only written over the version it
 * was merged with: new rows with `on conflict do nothing`, others after locking them and finding the version unchanged.
 * Rows that another worker changed meanwhile are read and merged again. Locks are taken before inserts, both in a fixed
 * order, to avoid deadlocks. If rewriting such rows causes one anyway, the server ends one writer, whose batch is retried.
 */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Change } from "../../Domain/Change.ts"
import type { Row } from "../../Domain/Merge.ts"
import { typeName } from "./Ddl.ts"
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

/** True if something that analysts can see has changed. */
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

/** Canonical text, as `Merge` needs it. Most types arrive as such (`Postgres/Values`), twice as fast as by `to_char`. */
const asText = (column: string, type: ColumnType): string =>
  type === "BIGINT" ? `"${column}"::text as "${column}"` : `"${column}"`

const selectList = (columns: Shown["columns"]): string => columns.map(({ name, type }) => asText(name, type)).join(", ")

interface Stored {
  readonly row: Row
  readonly version: string
}

const none: ReadonlyMap<string, Stored> = new Map()

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

/** From this many ids, a sample of `few` is read first; if none is stored, the rest isn't read. */
const many = 500
const few = 20

/** A guess, which the insert verifies. A first walk, whose rows are all new, took a third longer with reading them. */
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

interface Merged {
  readonly id: string
  readonly row: Row
  readonly before: Stored | undefined
}

const mergeInto = async (db: Db, table: EntityTable, changes: ReadonlyArray<Change>): Promise<boolean> => {
  let byId = Map.groupBy(changes, (change) => change.id)
  let isGuess = await areNew(db, table, [...byId.keys()])
  let isVisible = false
  while (byId.size > 0) {
    const stored = isGuess ? none : await read(db, table, [...byId.keys()])
    isGuess = false
    const merged: Array<Merged> = []
    for (const [id, ofId] of byId) {
      const before = stored.get(id)
      const merging = mergeGently(table.resource, before?.row, ofId)
      const row = merging instanceof Promise ? await merging : merging
      if (row === undefined || row === before?.row) continue
      merged.push({ id, row, before })
    }
    const put = await putAll(db, table, merged)
    isVisible ||= put.isVisible
    byId = new Map(put.overtaken.map((id) => [id, byId.get(id) ?? []]))
  }
  return isVisible
}

interface Put {
  readonly isVisible: boolean
  /** Ids to read and merge again, because another worker changed them meanwhile, or may have. */
  readonly overtaken: ReadonlyArray<string>
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

type Texts = Readonly<Record<string, string | null>>

/** More rows exceed the server's default `work_mem`: with 10,000 each row took twice as long. */
const rowsAtOnce = 1000

/** In key order, the same for all writers, so that they don't deadlock. */
function* pieces<A extends Texts>({ key }: Shown, rows: ReadonlyArray<A>): Generator<ReadonlyArray<A>> {
  const keyOf = (row: A): string => row[key] ?? ""
  const sorted = rows.toSorted((a, b) => inOrder(keyOf(a), keyOf(b)))
  for (let from = 0; from < sorted.length; from += rowsAtOnce) yield sorted.slice(from, from + rowsAtOnce)
}

/** Shorter first: whole numbers are in numeric order, which keeps a walk's page together. */
const inOrder = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)

interface Input {
  /** One expression per column. */
  readonly expressions: ReadonlyArray<RawBuilder<unknown>>
  readonly from: RawBuilder<unknown>
}

/** The rows as a table with one parameter per column: a list, or a single value if all rows share it. */
const inputOf = ({ columns, key }: Shown, rows: ReadonlyArray<Texts>): Input => {
  const lists = columns.map(({ name: column, type }) => {
    const values = rows.map((row) => row[column] ?? null)
    const isSame = column !== key && values.every((value) => value === values[0])
    return { name: sql.raw(`"${column}"`), type: sql.raw(typeName(type)), values, isSame }
  })
  const listed = lists.filter(({ isSame }) => !isSame)
  const arrays = listed.map(({ type, values }) => sql`${values}::${type}[]`)
  return {
    expressions: lists.map(({ isSame, name, type, values }) =>
      isSame ? sql`${values[0] ?? null}::${type}` : sql`input.${name}`
    ),
    from: sql`unnest(${sql.join(arrays)}) as input (${sql.join(listed.map(({ name }) => name))})`
  }
}

const names = (columns: Shown["columns"]): string => columns.map(({ name }) => `"${name}"`).join(", ")

/** Returns how many rows were new. */
const insert = async (db: Db, table: Shown, rows: ReadonlyArray<Row>): Promise<number> => {
  const { expressions, from } = inputOf(table, rows)
  const result = await sql`
    insert into ${sql.raw(seen(table.name))} (${sql.raw(names(table.columns))})
    select ${sql.join(expressions)} from ${from} on conflict (${sql.raw(table.key)}) do nothing`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}

const update = async (db: Db, table: Shown, rows: ReadonlyArray<Row>): Promise<void> => {
  const { expressions, from } = inputOf(table, rows)
  const sets = table.columns.flatMap(({ name }, place) =>
    name === table.key ? [] : [sql`${sql.raw(quoted(name))} = ${expressions[place]}`]
  )
  await sql`
    update ${sql.raw(seen(table.name))} as stored set ${sql.join(sets)}
    from ${from} where stored.${sql.raw(table.key)} = input.${sql.raw(table.key)}`.execute(db)
}

/** The row with more deliveries wins: two workers may write the same event in any order. */
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
