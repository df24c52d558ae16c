/**
 * Output for stdout: JSON without control characters, and small tables for people.
 */
import { Console, Effect } from "effect"
import * as Json from "../src/Domain/Json.ts"
import { table } from "../src/Query/Table.ts"
import * as Text from "../src/Query/Text.ts"

/** Resolves when standard output is no longer read, as with `head` once it has enough. */
export const readerGone: Effect.Effect<void> = Effect.callback((resume) => {
  const gone = (): void => resume(Effect.void)
  process.stdout.once("error", gone)
  return Effect.sync(() => process.stdout.removeListener("error", gone))
})

/** As one line. */
export const document = (value: unknown) => Console.log(Text.visibleJson(Json.stringify(value)))

const numberColumns = new Set([
  "sequence",
  "amount",
  "files",
  "rows",
  "bytes",
  "debit",
  "credit",
  "balance",
  "ipcs",
  "certified",
  "held_back",
  "added",
  "due",
  "paid",
  "open",
  "days",
  "holds",
  "deliveries",
  "requests",
  "limit",
  "unknown"
])

/** In the form in which `siteledger query` prints a table: complete in a pipe, cut to the width of a terminal. */
export const aligned = (
  names: ReadonlyArray<string>,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>
): string => {
  const writer = table({ width: process.stdout.isTTY ? process.stdout.columns : undefined, color: false })
  const head = writer.columns({
    columns: names.map((name) => ({ name, isNumber: numberColumns.has(name) })),
    isPlan: false
  })
  const lines = rows.map((row) => writer.row(names.map((name) => row[name] ?? null)))
  return `${head}${lines.join("")}${writer.end("complete")}`.trimEnd()
}

/** One line for a fault, whose text may come from an untrusted file. */
export const complaint = (fault: string): string => `! ${Text.visible(fault)}`
