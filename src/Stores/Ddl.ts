/**
 * DDL that the engines share. Pure.
 */
import * as Literal from "../Domain/Literal.ts"
import type { Index, Named, Listed } from "./Table.ts"

/** A quoted identifier; the name may come from outside. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A table that analysts see. */
export const seen = (name: string): string => `construction.${quoted(name)}`

export const list = (names: ReadonlyArray<string>): string => `(${names.map(quoted).join(", ")})`

/**
 * A text with four decimals as money. DuckDB takes 14 µs to parse one as a number of more than 18 digits, and 0.1 µs if
 * fewer are enough. Both engines understand the expression. DuckDB may run a cast on values whose CASE branch isn't
 * taken, so each cast is given only what it can parse.
 */
export const money = (text: string): string =>
  `coalesce(cast(cast(case when length(${text}) < 19 then ${text} end as decimal(18,4)) as decimal(28,4)),
    cast(case when length(${text}) > 18 then ${text} end as decimal(28,4)))`

type Column = Listed["columns"][number]

const literal = (value: string | number): string => (typeof value === "number" ? String(value) : Literal.text(value))

const isKey = ({ key }: Listed, { name }: Column): boolean => key.length === 1 && key[0] === name

/** The table without the allowed words that later versions added. */
export const asWorded = (table: Listed, version: number): Listed => ({
  ...table,
  columns: table.columns.map((column) => {
    const { addedWords, words } = column.type
    if (addedWords === undefined || addedWords.since <= version) return column
    const known = words?.filter((word) => !addedWords.words.includes(word)) ?? []
    return { ...column, type: { ...column.type, words: known } }
  })
})

/** The tables to which a version added allowed words. */
export const rewordedIn = (tables: ReadonlyArray<Listed>, version: number): ReadonlyArray<Listed> =>
  tables.filter(
    ({ columns, since }) => since < version && columns.some(({ type }) => type.addedWords?.since === version)
  )

/** A column's constraints after its type, in both engines of the Store. */
export const constraints = (table: Listed, column: Column): ReadonlyArray<string> => [
  ...(isKey(table, column) ? ["primary key"] : column.isNullable === true ? [] : ["not null"]),
  ...(column.isUnique === true ? ["unique"] : []),
  ...(column.preset === undefined ? [] : [`default ${literal(column.preset)}`]),
  ...wordsOf(column)
]

/** The constraint that limits a column to its allowed words, if it has any. */
export const wordsOf = ({ name, type: { words } }: Column): ReadonlyArray<string> =>
  words === undefined ? [] : [`check (${quoted(name)} in (${words.map(literal).join(", ")}))`]

/** What follows a table's columns. */
export const keys = ({ key }: Listed): ReadonlyArray<string> => (key.length === 1 ? [] : [`primary key ${list(key)}`])

/** `tableName`: returns the engine's name for a table. */
export const foreignKey = ({ references }: Column, tableName: (table: string) => string): ReadonlyArray<string> =>
  references === undefined ? [] : [`references ${tableName(references[0])} ${list([references[1]])}`]

/** `over`: the expression that the index holds for a column. */
export const createIndex = (
  table: string,
  { columns, isHashed, isUnique, name, where }: Named<Index>,
  over: (column: string) => string = quoted
): string =>
  [
    `create ${isUnique === true ? "unique " : ""}index ${quoted(name)} on ${table}`,
    ...(isHashed === true ? ["using hash"] : []),
    `(${columns.map(over).join(", ")})`,
    ...(where === undefined ? [] : [`where ${where}`])
  ].join(" ")

interface Described {
  readonly name: string
  readonly says: string
}

export const comment = (object: string, { says }: Described): string => `comment on ${object} is ${Literal.text(says)}`

/** DuckDB and PostgreSQL store descriptions as comments. */
export const columnComments = (table: string, columns: ReadonlyArray<Described>): ReadonlyArray<string> =>
  columns.map((column) => comment(`column ${table}.${quoted(column.name)}`, column))

export const comments = (
  kind: "table" | "view",
  name: string,
  table: Described & { readonly columns: ReadonlyArray<Described> }
): ReadonlyArray<string> => [comment(`${kind} ${name}`, table), ...columnComments(name, table.columns)]
