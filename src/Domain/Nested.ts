/**
 * Lists inside a record that are tables of their own: each item is a row, with the record's key and the item's
 * position. They are derived from the record's merged row and stored in it (`_nested`), so they can't differ from it:
 * in any order of events and pages, they are the items of the newest version. Views show them as tables
 * (`Stores/NestedTables`).
 *
 * Every value is a column's canonical text, by the same rules as in other tables, so a view needs no rule of its own. A
 * value without a column, or one that doesn't fit its column, is in the row's `_extra`; so is an item that isn't an
 * object. Pure.
 */
import { mark } from "./ErasedRecord.ts"
import * as Json from "./Json.ts"
import * as JsonPointer from "./JsonPointer.ts"
import { isText } from "./Limits.ts"
import type { ColumnType, Nested, Resource } from "./Resource.ts"
import { readValue } from "./Value.ts"

type Row = Readonly<Record<string, string | null>>

/** The column of a record's row that holds such lists. */
export const column = "_nested"

/** JSON: the rows by table; null if there are none. */
export const textOf = ({ nested = [] }: Resource, row: Row): string | null => {
  const tables = nested.flatMap((table) => {
    const items = itemsIn(row[table.column])
    return items.length === 0 ? [] : [[table.name, items.map((item, place) => rowOf(table, item, place))] as const]
  })
  return tables.length === 0 ? null : JSON.stringify(Object.fromEntries(tables))
}

/**
 * The number of values in items that don't fit their column. A value that isn't a list counts as one, unless the list
 * was erased.
 */
export const misfitsIn = ({ nested = [] }: Resource, values: Row): number => {
  let count = 0
  for (const table of nested) {
    const value = valueOf(values[table.column])
    if (Array.isArray(value)) for (const item of value) count += unfitIn(table, item)
    else if (value !== null && value !== mark) count++
  }
  return count
}

const valueOf = (text: string | null | undefined): unknown => (text == null ? null : Json.parse(text))

const itemsIn = (text: string | null | undefined): ReadonlyArray<unknown> => {
  const value = valueOf(text)
  return Array.isArray(value) ? value : []
}

/**
 * What is known about a table before its items are read: where their values are, and which of their fields aren't left
 * over.
 */
interface Plan {
  readonly columns: ReadonlyArray<{
    readonly name: string
    readonly type: ColumnType
    readonly way: ReadonlyArray<string>
  }>
  readonly taken: ReadonlySet<string>
}

const plans = new WeakMap<Nested, Plan>()

const planOf = (table: Nested): Plan => {
  const known = plans.get(table)
  if (known !== undefined) return known
  const columns = table.columns.map(({ from, name, type }) => ({ name, type, way: JsonPointer.steps(from) }))
  const whole = columns.flatMap(({ way }) => (way.length === 1 ? way : []))
  const taken = new Set([...whole, ...table.dropped.flatMap((from) => JsonPointer.steps(from).slice(0, 1))])
  plans.set(table, { columns, taken })
  return { columns, taken }
}

const unfitIn = (table: Nested, item: unknown): number => {
  if (!Json.isObject(item)) return 1
  let count = 0
  for (const { type, way } of planOf(table).columns) if (read(type, JsonPointer.along(item, way)) === undefined) count++
  return count
}

/** Undefined if it doesn't fit. */
const read = (type: ColumnType, value: unknown): string | null | undefined => {
  const text = readValue(type, value ?? null)
  return text == null || isText(text) ? text : undefined
}

/** Columns that are null are left out. */
const rowOf = (table: Nested, item: unknown, place: number): Readonly<Record<string, string>> => {
  const row: Record<string, string> = { _position: String(place) }
  if (!Json.isObject(item)) return item === null ? row : { ...row, _extra: Json.stringify(item) }
  const { columns, taken } = planOf(table)
  // By name, which may be __proto__, so no object is used to write it.
  const rest = Object.entries(item).filter(([name]) => !taken.has(name))
  for (const { name, type, way } of columns) {
    const value = JsonPointer.along(item, way)
    const text = read(type, value)
    if (text === undefined) rest.push([name, value])
    else if (text !== null) row[name] = text
  }
  if (rest.length > 0) {
    const texts = new Map(rest.map(([name, value]) => [name, `${Json.stringify(name)}:${Json.stringify(value)}`]))
    row["_extra"] = `{${[...texts.values()].join(",")}}`
  }
  return row
}
