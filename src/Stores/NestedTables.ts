/**
 * Tables made from lists inside records, as a warehouse shows them: views over the rows that each record's row holds
 * (`Domain/Nested`), so there is nothing else to write, delete or keep in sync. A copy for analysts and an export
 * contain them as rows. A view stays when no list fills it any more. Pure.
 */
import { type Column, type ColumnType, keyColumn, type Resource } from "../Domain/Resource.ts"
import { viewNames } from "./Views.ts"
import { type Shown, tablesBeside } from "./WarehouseTables.ts"

/** The record that contains the list. */
export interface Owner {
  readonly table: string
  readonly keyColumn: string
  readonly key: ColumnType
}

export interface NestedTable extends Shown {
  /** Undefined if the list isn't switched on in this process. */
  readonly owner?: Owner
}

/** What it has besides its own columns. */
const fixed = (owner: string): Readonly<Record<string, Omit<Column, "name" | "since">>> => ({
  _position: { type: "BIGINT", says: "Its place in the list, from 0." },
  _extra: { type: "JSON", says: "Its fields that have no column, and values that don't fit their column, as JSON." },
  _changed_at: { type: "TIMESTAMPTZ", says: `When siteledger last changed the record in ${owner}.` },
  _deleted_at: { type: "TIMESTAMPTZ", says: `When the record in ${owner} was no longer listed; null while it is.` }
})

/** The columns of the record's own row; all others are the item's. */
export const ofRecord: ReadonlySet<string> = new Set(["_parent", "_changed_at", "_deleted_at"])

export const nestedOf = (resource: Resource): ReadonlyArray<NestedTable> =>
  (resource.nested ?? []).map(({ columns, name, says }) => {
    const key = keyColumn(resource)
    const { _position, ...last } = fixed(resource.name)
    const all = {
      _parent: { type: resource.key, says: `The record that it is in (${resource.name}.${key}).` },
      _position,
      ...Object.fromEntries(columns.map((column) => [column.name, { type: column.type, says: column.says }])),
      ...last
    } as Readonly<Record<string, Omit<Column, "name" | "since">>>
    return {
      name,
      says,
      since: 1,
      indexes: [],
      key: "_parent",
      columns: Object.entries(all).map(([each, column]) => ({ ...column, name: each, since: 1 })),
      owner: { table: resource.name, keyColumn: key, key: resource.key }
    }
  })

export interface FoundColumn {
  readonly name: string
  /** Undefined if it isn't one of our types. */
  readonly type: ColumnType | undefined
  /** For the column `_parent` of a view: the table that the view reads. */
  readonly of?: string | undefined
}

/** By view; columns in the database's order. */
export type FoundViews = ReadonlyMap<string, ReadonlyArray<FoundColumn>>

export interface NestedEvolution {
  /** The tables after the change. */
  readonly tables: ReadonlyArray<NestedTable>
  /** To be created, or recreated with more columns. */
  readonly made: ReadonlyArray<NestedTable>
  /** By the record's table: a sentence that says why one can't be created. */
  readonly refusals: ReadonlyMap<string, string>
}

const taken: ReadonlySet<string> = new Set([...tablesBeside.map(({ name }) => name), ...viewNames])

/** `known`: the names of all entity tables. */
export const nestedEvolutionOf = (
  wanted: ReadonlyArray<Resource>,
  known: ReadonlySet<string>,
  found: FoundViews
): NestedEvolution => {
  const tables = new Map<string, NestedTable>()
  const made: Array<NestedTable> = []
  const refusals = new Map<string, string>()
  for (const table of wanted.flatMap(nestedOf)) {
    const before = found.get(table.name)
    const isTaken = taken.has(table.name) || known.has(table.name) || tables.has(table.name)
    const isOther = before !== undefined && (!isNested(before) || isOfAnother(table, before))
    const refusal = isTaken || isOther ? isThere(table) : refusalOf(table, before)
    if (refusal !== undefined) {
      refusals.set(table.owner?.table ?? "", refusal)
      continue
    }
    const evolved = before === undefined ? table : withColumns(table, before)
    tables.set(table.name, evolved)
    if (evolved.columns.length !== before?.length) made.push(evolved)
  }
  for (const [name, columns] of found)
    if (!tables.has(name) && isNested(columns)) tables.set(name, formerly(name, columns))
  return { tables: [...tables.values()], made, refusals }
}

const isThere = ({ name }: NestedTable): string =>
  `The warehouse has another table or view ${name}: give the nested table another name in the review file.`

const isNested = (columns: ReadonlyArray<FoundColumn>): boolean =>
  ["_parent", ...Object.keys(fixed(""))].every((name) => columns.some((column) => column.name === name))

/** The review file gave its table another name: the existing view stays. */
const isOfAnother = ({ owner }: NestedTable, found: ReadonlyArray<FoundColumn>): boolean => {
  const of = found.find(({ name }) => name === "_parent")?.of
  return of !== undefined && of !== owner?.table
}

/** Then its values have other types. */
const refusalOf = ({ columns, name }: NestedTable, found: ReadonlyArray<FoundColumn> = []): string | undefined => {
  const types = new Map(found.map((column) => [column.name, column.type]))
  const other = columns.find((column) => types.has(column.name) && types.get(column.name) !== column.type)
  return other === undefined
    ? undefined
    : `The column ${other.name} of ${name} is ${types.get(other.name) ?? "of another type"} in the warehouse, and ` +
        `${other.type} in the review file: give the column another name there, or its type back.`
}

/** A view keeps its columns, and gets new ones at its end. */
const withColumns = (table: NestedTable, found: ReadonlyArray<FoundColumn>): NestedTable => {
  const wanted = new Map(table.columns.map((column) => [column.name, column]))
  const kept = found.flatMap(({ name, type }) => wanted.get(name) ?? gone(name, type))
  const names = new Set(found.map(({ name }) => name))
  return { ...table, columns: [...kept, ...table.columns.filter(({ name }) => !names.has(name))] }
}

const gone = (name: string, type: FoundColumn["type"]): ReadonlyArray<Column> =>
  type === undefined ? [] : [{ name, type, says: "No list fills it any more.", since: 1 }]

const formerly = (name: string, columns: ReadonlyArray<FoundColumn>): NestedTable => ({
  name,
  says: "No list fills it any more.",
  since: 1,
  indexes: [],
  key: "_parent",
  columns: columns.flatMap((column) => gone(column.name, column.type))
})
