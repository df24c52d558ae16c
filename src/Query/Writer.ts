/**
 * An answer as text, piece by piece: CSV and JSON here, the table for people in Table.
 *
 * Guarantees: every value is written as DuckDB holds it. DECIMAL, BIGINT and wider are text, even in JSON, so that no
 * reader turns them into floats; times are UTC. In CSV (RFC 4180, CRLF) NULL is an empty field and an empty text is
 * `""`. An answer that broke off leaves the JSON array open, so it doesn't parse.
 */
import type { Columns, Ending, Row } from "./Frames.ts"
import * as Text from "./Text.ts"

export interface Writer {
  readonly columns: (columns: Columns) => string
  readonly row: (row: Row) => string
  readonly end: (ending: Ending["ended"]) => string
  /** What a person should know besides the answer. */
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

/**
 * An array of objects, one per line. Keys are in the order of the columns; a JavaScript object would move numeric ones
 * first.
 */
export const json = (): Writer => {
  let keys: ReadonlyArray<string> = []
  let rows = 0
  return {
    columns: ({ columns }) => {
      keys = Text.distinct(columns.map(({ name }) => name)).map((name) => JSON.stringify(name))
      return "["
    },
    row: (row) => `${rows++ === 0 ? "" : ","}\n{${keys.map((key, i) => `${key}:${JSON.stringify(row[i])}`).join(",")}}`,
    end: (ending) => (ending === "failed" ? "\n" : "\n]\n"),
    notes: () => []
  }
}
