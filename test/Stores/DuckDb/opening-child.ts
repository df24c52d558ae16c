/**
 * Opens a warehouse's file in a separate process, under the limits and as the user that a test chose, and prints what keeps
 * it from being opened.
 */
import { DuckDBInstance } from "@duckdb/node-api"
import { objectionIn, objectionTo } from "../../../src/Stores/DuckDb/Opening.ts"

const [path = "", settings = "{}"] = process.argv.slice(2)

/** DuckDB's own view, without the look by `fs` before it. */
const opened = async () => {
  try {
    const instance = await DuckDBInstance.create(path, JSON.parse(settings) as Record<string, string>)
    const connection = await instance.connect()
    await connection.run("checkpoint")
    return { kind: "opened" }
  } catch (cause) {
    return objectionIn(cause instanceof Error ? cause.message : String(cause))
  }
}

process.stdout.write(`${JSON.stringify({ before: objectionTo(path) ?? { kind: "none" }, by: await opened() })}\n`)
process.exit(0)
