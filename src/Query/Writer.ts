/**
 * An answer as text, piece by piece: CSV and JSON here, the table for people in Table.
 *
 * Guarantees: every value comes out as DuckDB holds it. DECIMAL, BIGINT and wider are text, in JSON too, so that no
 * reader makes a float of them; times are UTC. In CSV (RFC 4180, CRLF) NULL is an empty field and an empty text is
 * `""`. An answer that broke off leaves the JSON array open: it doesn't parse.
 */
import type { Columns, Ending, Row } from "./Frames.ts"
import * as Text from "./Text.ts"

export interface Writer {
  readonly columns: (columns: Columns) => string
  readonly row: (row: Row) => string
  readonly end: (ending: Ending["ended"]) => string
  /** What a person should know beside the answer. */
  readonly notes: () => ReadonlyArray<string>
}

const field = (text: string): string =>
  text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

const record = (fields: ReadonlyArray<string>): string => `${fields.join(",")}\r\n`

export const csv = (): Writer => ({
  columns: ({ columns }) => record(columns.map(({ name }) => field(name))),
  row: (row) => record(row.map((cell) => (cell === null ? "" : field(Text.cellText(cell))))),
  end: () => "",
  notes: () => []
})

/** `a`, `a_2`, `a_3`: a JSON object holds a name once. */
const distinct = (names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const taken = new Set(names)
  const seen = new Set<string>()
  return names.map((name) => {
    let free = name
    for (let count = 2; seen.has(free) || (free !== name && taken.has(free)); count++) free = `${name}_${count}`
    seen.add(free)
    return free
  })
}

/** An array of objects, one per line. Keys keep the order of the columns, which an object of numbers' names wouldn't. */
export const json = (): Writer => {
  let keys: ReadonlyArray<string> = []
  let rows = 0
  return {
    columns: ({ columns }) => {
      keys = distinct(columns.map(({ name }) => name)).map((name) => JSON.stringify(name))
      return "["
    },
    row: (row) => `${rows++ === 0 ? "" : ","}\n{${keys.map((key, i) => `${key}:${JSON.stringify(row[i])}`).join(",")}}`,
    end: (ending) => (ending === "failed" ? "\n" : "\n]\n"),
    notes: () => []
  }
}
