/**
 * The Store's tables as SQLite's DDL. SQLite keeps its text, so comments hold the descriptions. Pure.
 *
 * STRICT tables refuse values of the wrong type instead of keeping them.
 */
import { constraints, createIndex, foreignKey, keys, quoted } from "../Ddl.ts"
import type { Listed } from "../Table.ts"
import { cameWith } from "../SchemaVersions.ts"

type Column = Listed["columns"][number]

/** Whether the key is the rowid. */
const isNumber = ({ columns, key }: Listed): boolean =>
  key.length === 1 && columns.some(({ name, type }) => name === key[0] && type.sqlite === "integer")

const definition = (table: Listed, column: Column): string => {
  const words = column.isNumbered === true ? ["primary key autoincrement"] : constraints(table, column)
  return [column.type.sqlite, ...words, ...foreignKey(column, quoted)].join(" ")
}

const createTable = (table: Listed): string => {
  const parts = [
    ...table.columns.map((column) => `-- ${column.says}\n  ${quoted(column.name)} ${definition(table, column)}`),
    ...keys(table)
  ]
  const options = isNumber(table) ? "strict" : "strict, without rowid"
  return `create table ${quoted(table.name)} ( -- ${table.says}\n  ${parts.join(",\n  ")}\n) ${options}`
}

/** SQLite keeps a comment only in this position. */
const addColumn = (table: Listed, column: Column): string =>
  `alter table ${quoted(table.name)} add column ${quoted(column.name)}\n  -- ${column.says}\n  ${definition(table, column)}`

const appendOnly = ({ isAppendOnly, name }: Listed): ReadonlyArray<string> =>
  isAppendOnly === true
    ? ["update", "delete"].map(
        (verb) => `create trigger ${name}_no_${verb} before ${verb} on ${quoted(name)}
  begin select raise(abort, '${name} is append-only'); end`
      )
    : []

/** What a version adds. */
export const statements = (store: ReadonlyArray<Listed>, version: number): ReadonlyArray<string> => {
  const { columns, indexes, tables } = cameWith(
    store.filter(({ only }) => only !== "postgres"),
    version
  )
  return [
    ...tables.flatMap((table) => [
      createTable(table),
      ...table.indexes.map((index) => createIndex(quoted(table.name), index)),
      ...appendOnly(table)
    ]),
    ...columns.map(({ column, table }) => addColumn(table, column)),
    ...indexes.map(({ index, table }) => createIndex(quoted(table.name), index))
  ]
}
