/**
 * The Warehouse's own tables and the copies of the books, with their descriptions, as DuckDB's DDL. Pure.
 *
 * No explicit index is ever created: DuckDB lost entries of them after kill -9. Tables that grow with the events have no
 * key either: DuckDB keeps the whole index in memory (1 GB with 10,000,000 events, and then every write failed) and never
 * reclaims deleted rows under it. The books' tables have inline keys.
 */
import { columnComments, comments, quoted } from "../Ddl.ts"
import { cameWith, type Schema } from "../SchemaVersions.ts"
import { type Shown, shown } from "../WarehouseTables.ts"

export const createTable = ({ columns, name }: Shown, key?: string): string => {
  const written = columns.map(
    ({ name: column, type }) => `${quoted(column)} ${type}${column === key ? " primary key" : ""}`
  )
  return `create table construction.${name} (${written.join(", ")})`
}

/** What a version adds. */
export const statements = ({ own, store }: Schema, version: number): ReadonlyArray<string> => {
  const books = store.filter(({ shownBy }) => shownBy !== undefined).map(shown)
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
