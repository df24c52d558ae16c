/**
 * The result of a statement, and what can be made of it: a CSV file, and bars. Pure.
 *
 * Guarantees: a number stays as the worker wrote it. In the file, NULL is empty and an empty text is ""; a text that a
 * spreadsheet would read as a formula stays text, because a quote is put before it.
 */
import type { Answer } from "./Api.ts"

export type Found = Answer<"query">

const quoted = (text: string): string =>
  /[",\r\n]/.test(text) || text === "" ? `"${text.replaceAll('"', '""')}"` : text

const cellOf = (cell: unknown, isNumber: boolean): string => {
  if (cell === null) return ""
  const text = typeof cell === "object" ? JSON.stringify(cell) : String(cell)
  return quoted(!isNumber && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text)
}

export const csvOf = ({ columns, rows }: Pick<Found, "columns" | "rows">): string =>
  [
    columns.map(({ name }) => quoted(name)),
    ...rows.map((row) => row.map((cell, at) => cellOf(cell, columns[at]?.isNumber ?? false)))
  ]
    .map((cells) => `${cells.join(",")}\r\n`)
    .join("")

export interface Bar {
  readonly label: string
  readonly written: string
  readonly value: number
}

const most = 50

/** Undefined: the answer doesn't have two columns, or the second one isn't a number. */
export const barsOf = ({ columns, rows }: Pick<Found, "columns" | "rows">): ReadonlyArray<Bar> | undefined => {
  const [label, number] = columns
  if (columns.length !== 2 || label === undefined || number?.isNumber !== true || rows.length === 0) return undefined
  const bars = rows.slice(0, most).map(([name, value]) => ({
    label: name === null ? "NULL" : String(name),
    written: value === null ? "NULL" : String(value),
    value: Number(value ?? 0)
  }))
  return bars.every(({ value }) => Number.isFinite(value)) ? bars : undefined
}
