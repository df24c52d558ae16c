/**
 * Rows from PostgreSQL's COPY, read by DuckDB: the SQL of both sides. Pure.
 *
 * Exact: COPY's text format escapes line breaks, distinguishes NULL (`\N`) from empty text, and prints all digits of
 * amounts, and times to the microsecond in UTC. DuckDB is given each column's type, and a value that doesn't fit fails.
 */
import type { ColumnType } from "../../Domain/Resource.ts"
import type { Shown } from "../WarehouseTables.ts"
import * as Literal from "../../Domain/Literal.ts"
import { money, quoted, seen } from "../Ddl.ts"

/** `rest`: what follows the table's name (conditions and order). */
export const copy = ({ columns, name }: Shown, rest: string): string =>
  // A number comes first, because DuckDB would strip U+FEFF from the start of the file.
  `copy (select 0, ${columns.map((column) => quoted(column.name)).join(", ")} from ${seen(name)} ${rest}) to stdout`

const isText = (type: ColumnType): boolean => type === "VARCHAR" || type === "JSON"

/** The type as which DuckDB first reads a column. */
const readAs = (type: ColumnType): string => (isText(type) || type === "DECIMAL(28,4)" ? "VARCHAR" : type)

/** Undoes COPY's escapes. PostgreSQL's text contains no NUL, so NUL can stand in for the backslash. */
const unescaped = (column: string): string => {
  const controls = ["b", "f", "n", "r", "t", "v"].map((letter, place) => [letter, [8, 12, 10, 13, 9, 11][place]])
  const whole = controls.reduce(
    (text, [letter, code]) => `replace(${text}, '\\${letter}', chr(${code}))`,
    `replace(${column}, '\\\\', chr(0))`
  )
  return `case when contains(${column}, '\\') then replace(${whole}, chr(0), '\\') else ${column} end`
}

const valueOf = (type: ColumnType, column: string): string => {
  if (isText(type)) return `cast(${unescaped(column)} as ${type})`
  return type === "DECIMAL(28,4)" ? money(column) : column
}

/** Reads `path`, whose lines have at most `room` bytes. */
export const reading = ({ columns }: Shown, path: string, room: number): string => {
  const types = columns.map(({ name, type }) => `'${name}': '${readAs(type)}'`)
  const values = columns.map(({ name, type }) => `${valueOf(type, quoted(name))} as ${quoted(name)}`)
  return `select ${values.join(", ")} from read_csv(${Literal.text(path)}, auto_detect = false, header = false, delim = '\\t',
    quote = '', escape = '', comment = '', new_line = '\\n', nullstr = '\\N', max_line_size = ${room},
    buffer_size = ${2 * room}, columns = {'_before': 'VARCHAR', ${types.join(", ")}})`
}
