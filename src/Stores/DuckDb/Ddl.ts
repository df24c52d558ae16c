/**
 * The Warehouse's own tables and the copies of the books, with their descriptions, as DuckDB's DDL. Pure.
 *
 * No explicit index is ever created, because DuckDB lost index entries after kill -9. Tables have no keys either:
 * DuckDB keeps the whole index in memory (1 GB with 10,000,000 events, and then every write failed) and never reclaims
 * deleted rows under it. In version 0.1 the books' tables had keys.
 */
import * as Literal from "../../Domain/Literal.ts"
import { columnComments, comments, money, quoted, seen } from "../Ddl.ts"
import { asOf, cameWith, type Schema } from "../SchemaVersions.ts"
import type { Evolution } from "../EntityTables.ts"
import { type NestedTable, ofRecord } from "../NestedTables.ts"
import { type Shown, shown } from "../WarehouseTables.ts"

export const createTable = ({ columns, name }: Shown, key?: string): string => {
  const written = columns.map(
    ({ name: column, type }) => `${quoted(column)} ${type}${column === key ? " primary key" : ""}`
  )
  return `create table ${seen(name)} (${written.join(", ")})`
}

const booksOf = (store: Schema["store"]): ReadonlyArray<Shown> =>
  store.filter(({ shownBy }) => shownBy !== undefined).map(shown)

/** Rebuilds the books' tables as of a version, with their rows. */
export const withoutKeys = (store: Schema["store"], version: number): ReadonlyArray<string> =>
  booksOf(store).flatMap((book) => {
    const table = asOf(book, version)
    const { columns, name } = table
    const all = columns.map((column) => quoted(column.name)).join(", ")
    return [
      createTable({ ...table, name: `${name}_new` }),
      `insert into construction.${name}_new select ${all} from construction.${name}`,
      `drop table construction.${name}`,
      `alter table construction.${name}_new rename to ${name}`,
      ...comments("table", `construction.${name}`, table)
    ]
  })

/** What a version adds. */
export const statements = ({ own, store }: Schema, version: number): ReadonlyArray<string> => {
  const books = booksOf(store)
  const { columns, tables } = cameWith([...own, ...books], version)
  return [
    ...tables.flatMap((table) => making(table, books.some(({ name }) => name === table.name) ? table.key : undefined)),
    ...columns.flatMap(adding)
  ]
}

export const making = (table: Shown, key?: string): ReadonlyArray<string> => [
  createTable(table, key),
  ...comments("table", seen(table.name), table)
]

const adding = ({ column, table }: Evolution["added"][number]): ReadonlyArray<string> => [
  `alter table ${seen(table.name)} add column ${quoted(column.name)} ${column.type}`,
  ...columnComments(seen(table.name), [column])
]

/** Every value is a column's canonical text, so no cast fails. */
const createView = ({ columns, name, owner }: NestedTable): ReadonlyArray<string> => {
  if (owner === undefined) return []
  const items = columns.filter((column) => !ofRecord.has(column.name))
  const shape = JSON.stringify([Object.fromEntries(items.map((column) => [column.name, "VARCHAR"]))])
  const values = columns.map((column) => {
    const as = quoted(column.name)
    if (ofRecord.has(column.name)) return as
    return column.type === "DECIMAL(28,4)"
      ? `${money(`item.${as}`)} as ${as}`
      : `cast(item.${as} as ${column.type}) as ${as}`
  })
  return [
    `create or replace view ${seen(name)} as select ${values.join(", ")} from (
      select ${quoted(owner.keyColumn)} as _parent, _changed_at, _deleted_at,
        unnest(from_json(_nested -> ${Literal.text(name)}, ${Literal.text(shape)})) as item
      from ${seen(owner.table)})`
  ]
}

/** Adds what existing entity tables lack, and the views over all of them. */
export const changing = ({ added, views }: Evolution): ReadonlyArray<string> => [
  ...added.flatMap(adding),
  ...views.flatMap((view) => [...createView(view), ...comments("view", seen(view.name), view)])
]
