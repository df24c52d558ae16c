/**
 * The Warehouse's own tables and the copies of the books, with their descriptions, as DuckDB's DDL. Pure.
 *
 * No explicit index is ever created: DuckDB lost entries of them after kill -9. Tables have no keys either: DuckDB keeps the
 * whole index in memory (1 GB with 10,000,000 events, and then every write failed) and never reclaims deleted rows under it.
 * In version 0.1 the books' tables had keys.
 */
import { columnComments, comments, quoted } from "../Ddl.ts"
import { asOf, cameWith, type Schema } from "../SchemaVersions.ts"
import { type Shown, shown } from "../WarehouseTables.ts"

export const createTable = ({ columns, name }: Shown, key?: string): string => {
  const written = columns.map(
    ({ name: column, type }) => `${quoted(column)} ${type}${column === key ? " primary key" : ""}`
  )
  return `create table construction.${name} (${written.join(", ")})`
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
    ...tables.flatMap((table) => [
      createTable(table, books.some(({ name }) => name === table.name) ? table.key : undefined),
      ...comments("table", `construction.${table.name}`, table)
    ]),
    ...columns.flatMap(({ column, table }) => [
      `alter table construction.${table.name} add column ${quoted(column.name)} ${column.type}`,
      ...columnComments(`construction.${table.name}`, [column])
    ])
  ]
}
