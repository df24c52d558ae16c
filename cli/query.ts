/**
 * `siteledger query SQL`: one reading statement on the published copy, as a table, `--csv`, `--json`, or into a new
 * file with `--parquet`.
 *
 * Needs no worker and takes no lock, as the copy belongs to nobody. Exit 0 when the answer is whole or cut at the
 * row limit (a note says so; a file is never cut), 1 when it isn't, 2 when it isn't said in which one form.
 */
import { join } from "node:path"
import { Effect, Option, Runtime, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import * as Query from "../src/Query/Query.ts"
import { json, toggle } from "./Options.ts"

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
  csv: toggle("csv", 'CSV with a header (NULL is empty, an empty text is "")'),
  json: json("A JSON array, one object per line (decimals and big integers as text, so none is rounded)"),
  parquet: Flag.String("parquet").pipe(
    Flag.withDescription("A new file for the whole answer as Parquet, every value with its type"),
    Flag.optional
  )
}

export const query = Command.make(
  "query",
  parameters,
  Effect.fnUntraced(function* ({ csv, json: asJson, parquet, sql }) {
    if ([csv, asJson, Option.isSome(parquet)].filter(Boolean).length > 1) {
      return yield* new QueryFailed({ message: "Give one of --csv, --json and --parquet FILE.", exitCode: 2 })
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
  Command.withDescription("Run one statement that reads, on the published copy of the warehouse"),
  Command.provide(Settings.layer)
)
