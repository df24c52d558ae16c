/**
 * DDL that the engines share. Pure.
 */
import * as Literal from "../Domain/Literal.ts"
import type { Index, Named, Listed } from "./Table.ts"

export const quoted = (name: string): string => `"${name}"`

export const list = (names: ReadonlyArray<string>): string => `(${names.map(quoted).join(", ")})`

type Column = Listed["columns"][number]

const literal = (value: string | number): string => (typeof value === "number" ? String(value) : Literal.text(value))

const isKey = ({ key }: Listed, { name }: Column): boolean => key.length === 1 && key[0] === name

/** A column's constraints after its type, in both engines of the Store. */
export const constraints = (table: Listed, column: Column): ReadonlyArray<string> => [
  ...(isKey(table, column) ? ["primary key"] : column.isNullable === true ? [] : ["not null"]),
  ...(column.isUnique === true ? ["unique"] : []),
  ...(column.preset === undefined ? [] : [`default ${literal(column.preset)}`]),
  ...(column.type.words === undefined
    ? []
    : [`check (${quoted(column.name)} in (${column.type.words.map(literal).join(", ")}))`])
]

/** What follows a table's columns. */
export const keys = ({ key }: Listed): ReadonlyArray<string> => (key.length === 1 ? [] : [`primary key ${list(key)}`])

/** `tableName`: the engine's name for a table. */
export const foreignKey = ({ references }: Column, tableName: (table: string) => string): ReadonlyArray<string> =>
  references === undefined ? [] : [`references ${tableName(references[0])} ${list([references[1]])}`]

/** `over`: the expression that the index holds for a column. */
export const createIndex = (
  table: string,
  { columns, isUnique, name, where }: Named<Index>,
  over: (column: string) => string = quoted
): string =>
  [
    `create ${isUnique === true ? "unique " : ""}index ${quoted(name)} on ${table} (${columns.map(over).join(", ")})`,
    ...(where === undefined ? [] : [`where ${where}`])
  ].join(" ")

interface Described {
  readonly name: string
  readonly says: string
}

const comment = (object: string, { says }: Described): string => `comment on ${object} is ${Literal.text(says)}`

/** DuckDB and PostgreSQL keep descriptions as comments. */
export const columnComments = (table: string, columns: ReadonlyArray<Described>): ReadonlyArray<string> =>
  columns.map((column) => comment(`column ${table}.${quoted(column.name)}`, column))

export const comments = (
  kind: "table" | "view",
  name: string,
  table: Described & { readonly columns: ReadonlyArray<Described> }
): ReadonlyArray<string> => [comment(`${kind} ${name}`, table), ...columnComments(name, table.columns)]
