/**
 * Another process on a DuckDB file, for OtherProcess.ts: `node duckdb-child.ts '{"path": …, "commands": […]}'`.
 *
 * Opens the file, runs the commands in order, prints one line of JSON ({ results } or { error }) and closes.
 * A command is SQL (its result: the rows), "stat" or "read" (of the live file, by `fs`), or "hold": print the
 * line now and keep the file open until killed.
 */
import { readFileSync, statSync } from "node:fs"
import { DuckDBInstance } from "@duckdb/node-api"

const { commands, path, readOnly } = JSON.parse(process.argv[2] ?? "") as {
  readonly path: string
  readonly readOnly: boolean
  readonly commands: ReadonlyArray<string>
}

const print = (outcome: object) => process.stdout.write(`${JSON.stringify(outcome)}\n`)

try {
  const instance = await DuckDBInstance.create(path, readOnly ? { access_mode: "READ_ONLY" } : {})
  const connection = await instance.connect()
  const results: Array<unknown> = []
  for (const command of commands.filter((name) => name !== "hold")) {
    if (command === "stat") statSync(path)
    else if (command === "read") readFileSync(path)
    else results.push((await connection.runAndReadAll(command)).getRowsJson())
  }
  print({ results })
  if (commands.includes("hold")) setInterval(() => undefined, 60_000)
  else {
    connection.disconnectSync()
    instance.closeSync()
  }
} catch (error) {
  print({ error: String(error) })
}
