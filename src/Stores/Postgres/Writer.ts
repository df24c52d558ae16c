/**
 * Writes changes into PostgreSQL: the stored rows that they touch are read, merged, and written back in bulk.
 *
 * Several workers may write the same row at the same time. A row is written only over the version that it was merged
 * with: new ones with `on conflict do nothing`, others after a lock, in the order of their ids, that finds the version
 * unchanged. Whatever was overtaken is read and merged again. So no update is lost. Locks are taken before rows are
 * inserted, and both in one order, so that two writers don't wait for each other; where what was overtaken brings it
 * about nevertheless, the server ends one of them, and its batch is written again.
 */
import { type Kysely, type RawBuilder, sql } from "kysely"
import type { Change } from "../../Domain/Change.ts"
import { merge, type Row } from "../../Domain/Merge.ts"
import { typeName } from "./Ddl.ts"
import { byName, type ColumnType, type EntityName } from "../../Domain/Resource.ts"
import type { Batch } from "../Warehouse.ts"
import { type EventRow, entityTable, eventsTable, type Shown, type WarehouseTables } from "../WarehouseTables.ts"

type Db = Kysely<WarehouseTables>

/** True when something that an analyst can see has changed. */
export const write = async (db: Db, { changes, events }: Batch): Promise<boolean> => {
  let isVisible = events.length > 0
  const byEntity = Map.groupBy(changes, (change) => change.entity)
  for (const name of [...byEntity.keys()].toSorted()) {
    isVisible = (await mergeInto(db, name, byEntity.get(name) ?? [])) || isVisible
  }
  await upsertEvents(db, events)
  return isVisible
}

/** Canonical text, as `Merge` wants it: most types come as such (`Postgres/Values`), and twice as fast as by `to_char`. */
const asText = (column: string, type: ColumnType): string =>
  type === "BIGINT" ? `"${column}"::text as "${column}"` : `"${column}"`

const selectList = (columns: Shown["columns"]): string => columns.map(({ name, type }) => asText(name, type)).join(", ")

interface Stored {
  readonly row: Row
  readonly version: string
}

const none: ReadonlyMap<string, Stored> = new Map()

const read = async (
  db: Db,
  { columns, name }: Shown,
  ids: ReadonlyArray<string>
): Promise<ReadonlyMap<string, Stored>> => {
  const { rows } = await sql<Record<string, string | null> & { _version: string }>`
    select ${sql.raw(selectList(columns))}, xmin::text as _version from construction.${sql.raw(name)}
    where id = any(${ids}::${sql.raw(keyType(columns))}[])`.execute(db)
  return new Map(rows.map(({ _version: version, ...row }) => [String(row["id"]), { row, version }]))
}

/** Of so many ids a few are looked for: where none of them is stored, the rest isn't worth the read. */
const many = 500
const few = 20

/** A guess: an insert finds out. A first walk, whose rows are all new, took a third longer with reading them. */
const areNew = async (db: Db, table: Shown, ids: ReadonlyArray<string>): Promise<boolean> => {
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

const keyType = (columns: Shown["columns"]): string => typeName(columns[0]?.type ?? "VARCHAR")

interface Merged {
  readonly id: string
  readonly row: Row
  readonly before: Stored | undefined
}

const mergeInto = async (db: Db, name: EntityName, changes: ReadonlyArray<Change>): Promise<boolean> => {
  const table = entityTable(name)
  let byId = Map.groupBy(changes, (change) => change.id)
  let isGuess = await areNew(db, table, [...byId.keys()])
  let isVisible = false
  while (byId.size > 0) {
    const stored = isGuess ? none : await read(db, table, [...byId.keys()])
    isGuess = false
    const merged: Array<Merged> = []
    for (const [id, ofId] of byId) {
      const before = stored.get(id)
      const row = merge(byName(name), before?.row, ofId)
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
  /** What is to be read and merged again: somebody else had changed it in between, or may have. */
  readonly overtaken: ReadonlyArray<string>
}

const putAll = async (db: Db, table: Shown, merged: ReadonlyArray<Merged>): Promise<Put> => {
  const known = merged.filter(({ before }) => before !== undefined)
  const unchanged = await lockUnchanged(db, table, known)
  const written = new Set(unchanged.map(({ id }) => id))
  const overtaken = known.filter(({ id }) => !written.has(id)).map(({ id }) => id)
  let isVisible = unchanged.some(({ before, row }) => before?.row["_changed_at"] !== row["_changed_at"])
  const fresh = merged.filter(({ before }) => before === undefined).map(({ row }) => row)
  for (const rows of pieces(table, fresh)) {
    const inserted = await insert(db, table, rows)
    isVisible ||= inserted > 0
    // Which ones it were doesn't matter: merged with itself, a row stays as it is.
    if (inserted < rows.length) overtaken.push(...rows.map((row) => String(row["id"])))
  }
  const changed = unchanged.map(({ row }) => row)
  for (const rows of pieces(table, changed)) await update(db, table, rows)
  return { isVisible, overtaken }
}

const lockUnchanged = async (
  db: Db,
  { columns, name }: Shown,
  merged: ReadonlyArray<Merged>
): Promise<ReadonlyArray<Merged>> => {
  if (merged.length === 0) return merged
  // All of them at once, in the server's order.
  const { rows } = await sql<{ id: string; version: string }>`
    select id::text as id, xmin::text as version from construction.${sql.raw(name)}
    where id = any(${merged.map(({ id }) => id)}::${sql.raw(keyType(columns))}[]) order by ${sql.raw(name)}.id for update`.execute(
    db
  )
  const versions = new Map(rows.map(({ id, version }) => [id, version]))
  return merged.filter(({ before, id }) => versions.get(id) === before?.version)
}

type Texts = Readonly<Record<string, string | null>>

/** More at once is more than the server keeps in memory by default (`work_mem`): 10,000 took twice as long a row. */
const rowsAtOnce = 1000

/** By their keys, in one order whoever writes, so that no two wait for each other. A walk's page stays together. */
function* pieces<A extends Texts>({ key }: Shown, rows: ReadonlyArray<A>): Generator<ReadonlyArray<A>> {
  const keyOf = (row: A): string => row[key] ?? ""
  const sorted = rows.toSorted((a, b) => inOrder(keyOf(a), keyOf(b)))
  for (let from = 0; from < sorted.length; from += rowsAtOnce) yield sorted.slice(from, from + rowsAtOnce)
}

/** Of whole numbers it is their own order. */
const inOrder = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0)

interface Given {
  /** The columns, one expression for each. */
  readonly expressions: ReadonlyArray<RawBuilder<unknown>>
  readonly from: RawBuilder<unknown>
}

/** The rows as a table, one parameter for each column: a list, or one value for all rows where it is the same. */
const given = ({ columns, key }: Shown, rows: ReadonlyArray<Texts>): Given => {
  const lists = columns.map(({ name: column, type }) => {
    const values = rows.map((row) => row[column] ?? null)
    const isSame = column !== key && values.every((value) => value === values[0])
    return { name: sql.raw(`"${column}"`), type: sql.raw(typeName(type)), values, isSame }
  })
  const listed = lists.filter(({ isSame }) => !isSame)
  const arrays = listed.map(({ type, values }) => sql`${values}::${type}[]`)
  return {
    expressions: lists.map(({ isSame, name, type, values }) =>
      isSame ? sql`${values[0] ?? null}::${type}` : sql`given.${name}`
    ),
    from: sql`unnest(${sql.join(arrays)}) as given (${sql.join(listed.map(({ name }) => name))})`
  }
}

const names = (columns: Shown["columns"]): string => columns.map(({ name }) => `"${name}"`).join(", ")

/** Returns how many were not there before. */
const insert = async (db: Db, table: Shown, rows: ReadonlyArray<Row>): Promise<number> => {
  const { expressions, from } = given(table, rows)
  const result = await sql`
    insert into construction.${sql.raw(table.name)} (${sql.raw(names(table.columns))})
    select ${sql.join(expressions)} from ${from} on conflict (id) do nothing`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}

const update = async (db: Db, table: Shown, rows: ReadonlyArray<Row>): Promise<void> => {
  const { expressions, from } = given(table, rows)
  const sets = table.columns.map((column, place) => sql`${sql.raw(`"${column.name}"`)} = ${expressions[place]}`)
  await sql`
    update construction.${sql.raw(table.name)} as stored set ${sql.join(sets.slice(1))}
    from ${from} where stored.id = given.id`.execute(db)
}

/** What a later look at the same event found stays: two workers may show the same one, in any order. */
const upsertEvents = async (db: Db, events: ReadonlyArray<EventRow>): Promise<void> => {
  const distinct = [...new Map(events.map((row) => [row.body_sha256, storable(row)])).values()]
  const sets = eventsTable.columns.slice(1).map(({ name }) => `"${name}" = excluded."${name}"`)
  for (const rows of pieces(eventsTable, distinct)) {
    const { expressions, from } = given(eventsTable, rows)
    await sql`
      insert into construction.events as stored (${sql.raw(names(eventsTable.columns))})
      select ${sql.join(expressions)} from ${from}
      on conflict (body_sha256) do update set ${sql.raw(sets.join(", "))}
      where excluded.deliveries >= stored.deliveries`.execute(db)
  }
}

/** Text can't hold a NUL here; the Store has the bytes. */
const storable = (row: EventRow): Texts =>
  row.payload?.includes("\u0000") === true ? { ...row, payload: null } : { ...row }
