/**
 * The rows of a table of PostgreSQL as they come out of its COPY, read by DuckDB: both sides of it as SQL.
 *
 * Exact: COPY's text format keeps every line break out of the values, tells NULL (`\N`) from an empty text, and shows
 * money with all its digits and times to the microsecond, in UTC. DuckDB is told each type; what doesn't fit fails.
 */
import type { ColumnType } from "../../Domain/Resource.ts"
import type { Shown } from "../WarehouseTables.ts"
import * as Literal from "../../Domain/Literal.ts"
import { quoted } from "../Ddl.ts"

/** `rest` is what follows the table's name: which rows, in which order. */
export const copy = ({ columns, name }: Shown, rest: string): string =>
  // The number comes first so that no text does: one that began with U+FEFF would lose it.
  `copy (select 0, ${columns.map((column) => quoted(column.name)).join(", ")} from construction.${name} ${rest}) to stdout`

const isText = (type: ColumnType): boolean => type === "VARCHAR" || type === "JSON"

/** COPY's escapes undone. No text of PostgreSQL has a NUL, so one can stand for the backslash meanwhile. */
const unescaped = (column: string): string => {
  const controls = ["b", "f", "n", "r", "t", "v"].map((letter, place) => [letter, [8, 12, 10, 13, 9, 11][place]])
  const whole = controls.reduce(
    (text, [letter, code]) => `replace(${text}, '\\${letter}', chr(${code}))`,
    `replace(${column}, '\\\\', chr(0))`
  )
  return `case when contains(${column}, '\\') then replace(${whole}, chr(0), '\\') else ${column} end`
}

/** What DuckDB reads from `path`; no line of it is longer than `room`, in bytes. */
export const reading = ({ columns }: Shown, path: string, room: number): string => {
  const types = columns.map(({ name, type }) => `'${name}': '${isText(type) ? "VARCHAR" : type}'`)
  const values = columns.map(({ name, type }) =>
    isText(type) ? `cast(${unescaped(quoted(name))} as ${type}) as ${quoted(name)}` : quoted(name)
  )
  return `select ${values.join(", ")} from read_csv(${Literal.text(path)}, auto_detect = false, header = false, delim = '\\t',
    quote = '', escape = '', comment = '', new_line = '\\n', nullstr = '\\N', max_line_size = ${room},
    buffer_size = ${2 * room}, columns = {'_before': 'VARCHAR', ${types.join(", ")}})`
}
