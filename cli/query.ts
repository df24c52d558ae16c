/**
 * `siteledger query SQL`: one read-only statement on the published copy, as a table, `--csv`, `--json`, or into a new
 * file with `--parquet`.
 *
 * Needs no worker and no lock, because no process owns the copy. Exits with 0 if the answer is complete or cut at the
 * row limit (a note says so; a file is never cut), with 1 if it is incomplete, and with 2 if more than one format is
 * given.
 */
import { join } from "node:path"
import { Effect, Option, Runtime, Schema } from "effect"
import { Command } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import * as Query from "../src/Query/Query.ts"
import { argument, optionalText, toggle } from "./Options.ts"

/** With exit code 1, the reason has been printed. */
class QueryFailed extends Schema.TaggedError<QueryFailed>()("QueryFailed", {
  message: Schema.String,
  exitCode: Schema.Literals([1, 2])
}) {
  override readonly [Runtime.errorExitCode] = this.exitCode
  override readonly [Runtime.errorReported] = this.exitCode !== 1
}

const parameters = {
  sql: argument("sql", "One read-only statement"),
  csv: toggle("csv", 'CSV with a header (NULL is empty, an empty text is "")'),
  json: toggle("json", "A JSON array, one object per line (decimals and big integers as text, so none is rounded)"),
  parquet: optionalText("parquet", "A new Parquet file for the complete answer, every value with its type")
}

export const query = Command.make(
  "query",
  parameters,
  Effect.fnUntraced(function* ({ csv, json: asJson, parquet, sql }) {
    if ([csv, asJson, Option.isSome(parquet)].filter(Boolean).length > 1) {
      return yield* new QueryFailed({ message: "Give only one of --csv, --json and --parquet FILE.", exitCode: 2 })
    }
    if (Option.isSome(parquet) && parquet.value === "") {
      return yield* new QueryFailed({ message: "--parquet needs the name of a new file.", exitCode: 2 })
    }
    const { color, dataDir } = yield* Settings.Settings
    const format = csv ? "csv" : asJson ? "json" : "table"
    const into = Option.match(parquet, { onNone: () => ({}), onSome: (file) => ({ parquet: file }) })
    const exitCode = yield* Query.run({ file: join(dataDir, "analytics.duckdb"), sql, format, color, ...into })
    if (exitCode !== 0) return yield* new QueryFailed({ message: "The query failed.", exitCode })
  })
).pipe(
  Command.withDescription("Run one read-only SQL statement on the published copy of the warehouse"),
  Command.withExamples([
    {
      command: 'siteledger query "from construction.cashflow_by_month order by month"',
      description: "A table for people"
    },
    {
      command: 'siteledger query --parquet ipcs.parquet "from construction.ipcs"',
      description: "All rows with their types, in a file"
    }
  ]),
  Command.provide(Settings.layer)
)
