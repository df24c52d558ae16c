/**
 * Lists inside records, which may be tables of their own, in the review file: what a new entry offers; what is wrong,
 * as parts of sentences; and what a worker makes of one that is on. Pure.
 */
import { commonColumns, entityNames, type Nested as NestedTable } from "../../Domain/Resource.ts"
import { free, isName, nameOf, singularName } from "../../Domain/Names.ts"
import { columnsOf } from "../Columns.ts"
import { type Field, fieldsOf } from "../RecordFields.ts"
import type { Column, List, Nested } from "../Review.ts"
import type { Shapes } from "../Shape.ts"

const most = 100

/** What a new entry has, switched off: a table for each list of objects in its schema. `taken` grows by their names. */
export const offered = (
  shapes: Shapes,
  { fields, list, taken }: { readonly fields: ReadonlyArray<Field>; readonly list: List; readonly taken: Set<string> }
): ReadonlyArray<Nested> => {
  const byPlace = new Map(fields.map((field) => [field.from, field]))
  return list.columns.flatMap((column) => {
    const field = byPlace.get(column.from ?? `/${column.name}`)
    const shape = field && shapes.of(field.schema)
    const item = shape?.kind === "array" ? shapes.of(shape.items) : undefined
    if (column.type !== "JSON" || column.use !== "keep" || item?.kind !== "object" || item.fields.size === 0) return []
    const table = free(nameOf(`${singularName(list.table)}_${column.name}`, "list"), taken)
    taken.add(table)
    const { columns } = columnsOf(shapes, fieldsOf(shapes, item), { known: undefined, key: undefined, most })
    return [{ column: column.name, on: false, table, columns }]
  })
}

/** For a list that is on. */
export const nestedOn = ({ nested = [], on }: List): ReadonlyArray<Nested> =>
  on ? nested.filter((each) => each.on) : []

const shown = (name: string): string => JSON.stringify(name.slice(0, 80))

/** `columnProblems`: finds problems of any column, as parts of sentences. */
export const nestedProblems = (
  list: List,
  columnProblems: (column: Column) => ReadonlyArray<string>
): ReadonlyArray<string> =>
  (list.nested ?? []).flatMap(({ column: name, columns, on, table }) => {
    const column = list.columns.find((each) => each.name === name && each.parameter === undefined)
    const isList = column?.type === "JSON" && column.use === "keep"
    const names = columns.map((each) => each.name)
    return [
      ...(isName(table) ? [] : ["isn't a table with a name of small letters, digits and _, at most 63 of them"]),
      // A person who removes a column needn't look for what discovery had offered to make from it.
      ...(isList || !on ? [] : [`is made of ${shown(name)}, which isn't a column of type JSON that is kept`]),
      ...(names.length === new Set(names).size ? [] : ["has a column twice"]),
      ...columns.flatMap((each) => {
        const problems = [...columnProblems(each), ...(each.parameter === undefined ? [] : ["is a parameter"])]
        return problems.map((what) => `has a column ${shown(each.name)} that ${what}`)
      })
    ].map((what) => `whose nested ${shown(table)} ${what}`)
  })

/** By list: which of its tables another list also has. */
export const nestedTwice = (lists: ReadonlyArray<List>): ReadonlyMap<List, string> => {
  const tables = new Map<string, string>(entityNames.map((name) => [name, "siteledger"]))
  for (const { read, table } of lists) tables.set(table, read)
  const found = new Map<List, string>()
  for (const list of lists) {
    for (const { table } of nestedOn(list)) {
      const other = tables.get(table)
      if (other !== undefined) found.set(list, `whose nested ${shown(table)} is a table of ${other}, too`)
      tables.set(table, list.read)
    }
  }
  return found
}

const placeOf = ({ from, name }: Column): string => from ?? `/${name}`

/** In the form that the warehouse needs. */
export const nestedOf = (list: List): ReadonlyArray<NestedTable> =>
  nestedOn(list).map(({ column, columns, table }) => ({
    name: table,
    says: `The items of ${column} in the records of ${list.table}.`,
    column,
    columns: columns
      .filter(({ name, use }) => use !== "drop" && !Object.hasOwn(commonColumns, name))
      .map((each) => ({
        name: each.name,
        type: each.use === "hash" ? "VARCHAR" : each.type,
        says: `${each.use === "hash" ? "A keyed hash of the" : "The"} item's ${placeOf(each)}.`,
        from: placeOf(each)
      })),
    dropped: columns.filter(({ use }) => use === "drop").map(placeOf)
  }))
