/**
 * The journal as a spreadsheet takes it: CSV by RFC 4180, two lines for each entry, in the order of the journal.
 *
 * UTF-8 with a byte order mark, without which Excel takes other letters for its own; CRLF; plain amounts with a point,
 * never below zero. No cell is a formula: where a program might see one begin, an apostrophe stands before it, also
 * within a text where a program that splits cells at other characters would begin one. What is exact to the last
 * character is in the Parquet files beside it. Pure.
 */
import { csv } from "../Query/Writer.ts"
import * as JournalLines from "../Stores/JournalLines.ts"

/** These hold text from outside, and are guarded; the others can't hold a formula. */
const fromOutside: ReadonlySet<JournalLines.JournalColumn> = new Set([
  "account",
  "certificate_url",
  "ipc_id",
  "payment_reference"
])

/** In the order of the file. */
export const columns = JournalLines.columns.map((name) => ({ name, isText: fromOutside.has(name) }))

const byteOrderMark = "\uFEFF"

const writer = csv()

export const heading = `${byteOrderMark}${writer.columns({
  columns: columns.map(({ name }) => ({ name, isNumber: false })),
  isPlan: false
})}`

/** Cells in the order of the columns; null is an empty cell. */
export const line = (cells: JournalLines.JournalLine): string =>
  writer.row(cells.map((cell, index) => (cell !== null && columns[index]?.isText === true ? guarded(cell) : cell)))

/** The begin of the cell, and where a program that splits at other characters would begin one; then a formula's begin. */
const formula = /(?<=^|[;\t\r\n"])(?=[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20])/g

const guarded = (text: string): string => text.replace(formula, "'")
