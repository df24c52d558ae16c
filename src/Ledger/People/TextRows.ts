/**
 * A person's file as rows of text: CSV, or JSON with one object per line or in an array. DuckDB parses the rows. Every
 * field is text as it was written, so that no amount becomes a float.
 */
import { DuckDBInstance } from "@duckdb/node-api"
import { Effect } from "effect"
import * as Json from "../../Domain/Json.ts"
import { LedgerError } from "./Decide.ts"

export type TextRow = Readonly<Record<string, string | null>>

const isJson = (path: string): boolean => /\.(json|jsonl|ndjson)$/i.test(path)

const csv = "select * from read_csv($1, all_varchar = true, header = true, auto_detect = true, null_padding = false)"

/** Each object as its text: DuckDB would turn its numbers into floats. */
const json = "select json from read_json_objects($1)"

const textOf = (value: unknown): string | null => {
  if (value === undefined || value === null) return null
  return typeof value === "string" ? value : (Json.numberText(value) ?? Json.stringify(value))
}

/** Each field as text, regardless of its type: a number keeps all its digits, and nested values are JSON. */
const rowIn = ({ json: text }: TextRow, names: ReadonlyArray<string>): TextRow => {
  const fields = Json.parse(text ?? "")
  if (!Json.isObject(fields)) throw new Error("it holds something else than objects")
  return Object.fromEntries(names.map((name) => [name, textOf(fields[name])]))
}

const rowsOf = async (path: string, names: ReadonlyArray<string>): Promise<ReadonlyArray<TextRow>> => {
  const instance = await DuckDBInstance.create(":memory:", { autoinstall_known_extensions: "false" })
  const connection = await instance.connect()
  try {
    const result = await connection.runAndReadAll(isJson(path) ? json : csv, [path])
    const rows = result.getRowObjectsJson() as ReadonlyArray<TextRow>
    return isJson(path) ? rows.map((row) => rowIn(row, names)) : rows
  } finally {
    connection.disconnectSync()
    instance.closeSync()
  }
}

/** `names`: the columns to read from JSON; a CSV file gives all that it has. */
export const read = (path: string, names: ReadonlyArray<string>) =>
  Effect.tryPromise({
    try: () => rowsOf(path, names),
    catch: (cause) =>
      new LedgerError({ message: `${path} can't be read as ${isJson(path) ? "JSON" : "CSV"}: ${firstLine(cause)}` })
  })

const firstLine = (cause: unknown): string =>
  (cause instanceof Error ? cause.message.replace(/^[\w ]+ Error: /, "") : String(cause)).split("\n", 1)[0] ?? ""
