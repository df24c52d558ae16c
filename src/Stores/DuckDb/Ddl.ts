/**
 * What analysts see as DuckDB's DDL: the Warehouse's own tables and the copies of the books, with what they mean. Pure.
 *
 * No index is ever created: DuckDB lost entries of explicit ones after kill -9. Nor has a table that grows with the events
 * a key: DuckDB keeps its index in memory whole, which with 10,000,000 events took 1 GB, and no write succeeded any more;
 * nor does it give back the room of deleted rows there. The books' tables have their keys inline.
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

/** What a version brought. */
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
