/**
 * A few rows as a table for a person: the query's own table, whole, or cut to the terminal.
 */
import { table } from "../src/Query/Table.ts"

const isNumber = new Set(["sequence", "amount", "files", "rows", "bytes"])

export const aligned = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>
): string => {
  const writer = table({ width: process.stdout.isTTY ? process.stdout.columns : undefined, color: false })
  const head = writer.columns({
    columns: names.map((name) => ({ name, isNumber: isNumber.has(name) })),
    isPlan: false
  })
  const lines = rows.map((row) => writer.row(names.map((name) => row[name] ?? null)))
  return `${head}${lines.join("")}${writer.end("complete")}`.trimEnd()
}
