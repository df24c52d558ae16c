/**
 * The journal as a spreadsheet takes it: CSV by RFC 4180, two lines for each entry, in the order of the journal.
 *
 * UTF-8 with a byte order mark, without which Excel takes other letters for its own; CRLF; plain amounts with a point,
 * never below zero. No cell is a formula: where a program might see one begin, an apostrophe stands before it, also
 * within a text where a program that splits cells at other characters would begin one. What is exact to the last
 * character is in the Parquet files beside it. Pure.
 */
import { csv } from "../Query/Writer.ts"

/** In the order of the file. Those that hold text from outside are guarded; the others can't hold a formula. */
export const columns = [
  { name: "date", isText: false },
  { name: "entry_id", isText: false },
  { name: "sequence", isText: false },
  { name: "ipc_id", isText: true },
  { name: "project_id", isText: false },
  { name: "account", isText: true },
  { name: "debit", isText: false },
  { name: "credit", isText: false },
  { name: "currency", isText: false },
  { name: "payment_reference", isText: true },
  { name: "kind", isText: false },
  { name: "certificate_url", isText: true },
  { name: "known_at", isText: false }
] as const

export type Line = ReadonlyArray<string | null>

const byteOrderMark = "\uFEFF"

const writer = csv()

export const heading = `${byteOrderMark}${writer.columns({
  columns: columns.map(({ name }) => ({ name, isNumber: false })),
  isPlan: false
})}`

/** Cells in the order of the columns; null is an empty cell. */
export const line = (cells: Line): string =>
  writer.row(cells.map((cell, index) => (cell !== null && columns[index]?.isText === true ? guarded(cell) : cell)))

/** The begin of the cell, and where a program that splits at other characters would begin one; then a formula's begin. */
const formula = /(?<=^|[;\t\r\n"])(?=[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20])/g

const guarded = (text: string): string => text.replace(formula, "'")
