/**
 * A person's file as rows of text: CSV, or JSON with one object per line or in an array. DuckDB reads it, with everything
 * as text, so that no amount becomes a float.
 */
import { DuckDBInstance } from "@duckdb/node-api"
import { Effect } from "effect"
import { LedgerError } from "./Decide.ts"

export type TextRow = Readonly<Record<string, string | null>>

const isJson = (path: string): boolean => /\.(json|jsonl|ndjson)$/i.test(path)

const csv = "select * from read_csv($1, all_varchar = true, header = true, auto_detect = true, null_padding = false)"

/** Each field as text, whatever its type: a number keeps all its digits. */
const json = (names: ReadonlyArray<string>): string =>
  `select * from read_json($1, columns = {${names.map((name) => `'${name}': 'VARCHAR'`).join(", ")}})`

const rowsOf = async (path: string, names: ReadonlyArray<string>): Promise<ReadonlyArray<TextRow>> => {
  const instance = await DuckDBInstance.create(":memory:", { autoinstall_known_extensions: "false" })
  const connection = await instance.connect()
  try {
    const result = await connection.runAndReadAll(isJson(path) ? json(names) : csv, [path])
    return result.getRowObjectsJson() as ReadonlyArray<TextRow>
  } finally {
    connection.disconnectSync()
    instance.closeSync()
  }
}

/** `names`: the columns that are read from JSON; CSV gives all that it has. */
export const read = (path: string, names: ReadonlyArray<string>) =>
  Effect.tryPromise({
    try: () => rowsOf(path, names),
    catch: (cause) =>
      new LedgerError({ message: `${path} can't be read as ${isJson(path) ? "JSON" : "CSV"}: ${firstLine(cause)}` })
  })

const firstLine = (cause: unknown): string =>
  (cause instanceof Error ? cause.message.replace(/^[\w ]+ Error: /, "") : String(cause)).split("\n", 1)[0] ?? ""
