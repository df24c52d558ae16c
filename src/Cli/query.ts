/**
 * `siteledger query SQL`: one reading statement on the published copy, as a table, `--csv` or `--json`.
 *
 * Needs no worker and takes no lock, as the copy belongs to nobody. Exit 0 when the answer is whole or cut at the
 * row limit (a note says so), 1 when it isn't, 2 when both forms are asked for.
 */
import { join } from "node:path"
import { Effect, Runtime, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Settings } from "../../config/Settings.ts"
import * as Query from "../Query.ts"

/** With 1, standard error has said why. */
class QueryFailed extends Schema.TaggedError<QueryFailed>()("QueryFailed", {
  message: Schema.String,
  exitCode: Schema.Literals([1, 2])
}) {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = this.exitCode !== 1
}

const parameters = {
  sql: Argument.String("sql").pipe(Argument.withDescription("One statement that reads")),
  csv: Flag.Boolean("csv").pipe(
    Flag.withDescription('CSV with a header (NULL is empty, an empty text is "")'),
    Flag.withDefault(false)
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("A JSON array, one object per line (decimals and big integers as text, so none is rounded)"),
    Flag.withDefault(false)
  )
}

export const query = Command.make(
  "query",
  parameters,
  Effect.fnUntraced(function* ({ csv, json, sql }) {
    if (csv && json) return yield* new QueryFailed({ message: "Give --csv or --json, not both.", exitCode: 2 })
    const { color, dataDir } = yield* Settings
    const format = csv ? "csv" : json ? "json" : "table"
    const exitCode = yield* Query.run({ file: join(dataDir, "analytics.duckdb"), sql, format, color })
    if (exitCode !== 0) return yield* new QueryFailed({ message: "The query failed.", exitCode })
  })
).pipe(Command.withDescription("Runs one reading statement on the published copy of the warehouse"))
