/**
 * The Warehouse's own tables and the copies of the books, with their descriptions, as DuckDB's DDL. Pure.
 *
 * No explicit index is ever created: DuckDB lost entries of them after kill -9. Tables have no keys either: DuckDB keeps the
 * whole index in memory (1 GB with 10,000,000 events, and then every write failed) and never reclaims deleted rows under it.
 * In version 0.1 the books' tables had keys.
 */
import { columnComments, comments, quoted, seen } from "../Ddl.ts"
import { asOf, cameWith, type Schema } from "../SchemaVersions.ts"
import type { Evolution } from "../EntityTables.ts"
import { type Shown, shown } from "../WarehouseTables.ts"

export const createTable = ({ columns, name }: Shown, key?: string): string => {
  const written = columns.map(
    ({ name: column, type }) => `${quoted(column)} ${type}${column === key ? " primary key" : ""}`
  )
  return `create table ${seen(name)} (${written.join(", ")})`
}

const booksOf = (store: Schema["store"]): ReadonlyArray<Shown> =>
  store.filter(({ shownBy }) => shownBy !== undefined).map(shown)

/** Makes the books' tables again as of a version, with what they hold. */
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

const making = (table: Shown, key?: string): ReadonlyArray<string> => [
  createTable(table, key),
  ...comments("table", seen(table.name), table)
]

const adding = ({ column, table }: Evolution["added"][number]): ReadonlyArray<string> => [
  `alter table ${seen(table.name)} add column ${quoted(column.name)} ${column.type}`,
  ...columnComments(seen(table.name), [column])
]

/** What the tables of entities lack. */
export const evolving = ({ added, made }: Evolution): ReadonlyArray<string> => [
  ...made.flatMap((table) => making(table)),
  ...added.flatMap(adding)
]
