/**
 * The journal for spreadsheets: CSV by RFC 4180, the lines of each entry, in the order of the journal.
 *
 * UTF-8 with a byte order mark, without which Excel misreads non-ASCII letters; CRLF; plain amounts with a point, never
 * below zero. No cell is a formula: an apostrophe precedes anything that a program could read as one. This also applies
 * within a text, wherever a program that splits at other characters would begin a cell. The unchanged text is in the
 * Parquet files beside it. Pure.
 */
import { csv } from "../Query/Writer.ts"
import * as JournalLines from "../Stores/JournalLines.ts"

/** These contain text from outside and are guarded; the others can't contain a formula. */
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

/**
 * Where a cell begins, even for a program that splits at other characters, followed by the first character of a
 * formula.
 */
const formula = /(?<=^|[;\t\r\n"])(?=[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20])/g

/** The text with apostrophes, so that no program takes it for a formula. */
export const guarded = (text: string): string => text.replace(formula, "'")
