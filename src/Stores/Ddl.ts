/**
 * What the DDL of the engines has in common. Pure.
 */
import * as Literal from "../Domain/Literal.ts"
import type { Index, Known, Listed } from "./Table.ts"

export const quoted = (name: string): string => `"${name}"`

export const list = (names: ReadonlyArray<string>): string => `(${names.map(quoted).join(", ")})`

type Column = Listed["columns"][number]

const literal = (value: string | number): string => (typeof value === "number" ? String(value) : Literal.text(value))

const isKey = ({ key }: Listed, { name }: Column): boolean => key.length === 1 && key[0] === name

/** What both engines of the Store say of a column after its type. */
export const constraints = (table: Listed, column: Column): ReadonlyArray<string> => [
  ...(isKey(table, column) ? ["primary key"] : column.isNullable === true ? [] : ["not null"]),
  ...(column.isUnique === true ? ["unique"] : []),
  ...(column.preset === undefined ? [] : [`default ${literal(column.preset)}`]),
  ...(column.type.words === undefined
    ? []
    : [`check (${quoted(column.name)} in (${column.type.words.map(literal).join(", ")}))`])
]

/** What a table says after its columns. */
export const keys = ({ key }: Listed): ReadonlyArray<string> => (key.length === 1 ? [] : [`primary key ${list(key)}`])

/** `called`: what the engine calls a table. */
export const foreignKey = ({ references }: Column, called: (table: string) => string): ReadonlyArray<string> =>
  references === undefined ? [] : [`references ${called(references[0])} ${list([references[1]])}`]

/** `over`: what of a column is in the index. */
export const createIndex = (
  table: string,
  { columns, isUnique, name, where }: Known<Index>,
  over: (column: string) => string = quoted
): string =>
  [
    `create ${isUnique === true ? "unique " : ""}index ${quoted(name)} on ${table} (${columns.map(over).join(", ")})`,
    ...(where === undefined ? [] : [`where ${where}`])
  ].join(" ")

interface Said {
  readonly name: string
  readonly says: string
}

const comment = (what: string, { says }: Said): string => `comment on ${what} is ${Literal.text(says)}`

/** What DuckDB and PostgreSQL keep of columns in words. */
export const columnComments = (table: string, columns: ReadonlyArray<Said>): ReadonlyArray<string> =>
  columns.map((column) => comment(`column ${table}.${quoted(column.name)}`, column))

export const comments = (
  what: "table" | "view",
  name: string,
  table: Said & { readonly columns: ReadonlyArray<Said> }
): ReadonlyArray<string> => [comment(`${what} ${name}`, table), ...columnComments(name, table.columns)]
