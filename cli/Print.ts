/**
 * What goes to standard output: JSON that a terminal can be trusted with, and a few rows as a table for a person.
 */
import { Console } from "effect"
import * as Json from "../src/Domain/Json.ts"
import { table } from "../src/Query/Table.ts"
import * as Text from "../src/Query/Text.ts"

/** On one line. */
export const document = (value: unknown) => Console.log(Text.visibleJson(Json.stringify(value)))

/** Laid out, for a person to read. */
export const laidOut = (value: unknown) => Console.log(Text.visibleJson(JSON.stringify(value, null, 2)))

const isNumber = new Set(["sequence", "amount", "files", "rows", "bytes"])

/** The query's own table, whole, or cut to the terminal. */
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

/** A fault, in the words of a file that may be anyone's. */
export const complaint = (fault: string): string => `! ${Text.visible(fault)}`
