/**
 * How much is read of others' answers, by kind; how much memory DuckDB may use; how long the store keeps deliveries in
 * its own files, and the lake its exports. A larger answer isn't accepted: its connection is closed, and the request is
 * retried like any failed one.
 */
import * as Parse from "./Parse.ts"
import { optional, preset } from "./Variable.ts"

export const pageMaxBytes = preset(
  "SITELEDGER_PAGE_MAX_BYTES",
  "Largest list page, or other answer to a GET, that is read from the service, in bytes after unpacking.",
  Parse.positiveInteger,
  "33554432"
)

export const answerMaxBytes = preset(
  "SITELEDGER_ANSWER_MAX_BYTES",
  "Largest answer to any other request that is read from the service, in bytes after unpacking.",
  Parse.positiveInteger,
  "1048576"
)

export const tokenMaxBytes = preset(
  "SITELEDGER_TOKEN_MAX_BYTES",
  "Largest answer that is read from the token endpoint, in bytes after unpacking.",
  Parse.positiveInteger,
  "1048576"
)

export const lakeAnswerMaxBytes = preset(
  "SITELEDGER_LAKE_ANSWER_MAX_BYTES",
  "Largest list or error that is read from the S3 store, in bytes.",
  Parse.positiveInteger,
  "8388608"
)

export const memoryMb = preset(
  "SITELEDGER_MEMORY_MB",
  "All memory for DuckDB in the worker, in MB: 384 for the files of an export; of the rest, the warehouse keeps a third, and has half of it during an export, or all of it if a table has more than 32 columns.",
  Parse.atLeast(576),
  "768"
)

export const lakeKeep = preset(
  "SITELEDGER_LAKE_KEEP",
  "How many of the newest exports stay on the lake, however old they are.",
  Parse.positiveInteger,
  "30"
)

export const lakeKeepFor = preset(
  "SITELEDGER_LAKE_KEEP_FOR",
  "How long an export stays on the lake after another has replaced it: longer than anyone takes to read one.",
  Parse.duration,
  "30 days"
)

export const lakeDelta = preset(
  "SITELEDGER_LAKE_DELTA",
  "Keep a Delta Lake log of each table on the lake, for tools that read Delta tables by their path.",
  Parse.boolean,
  "false"
)

export const archiveAfter = optional(
  "SITELEDGER_ARCHIVE_AFTER",
  "Months of deliveries older than this leave the store for archives in <data dir>/archive and on the lake, like 6 months (a month counts as 31 days); not with PostgreSQL.",
  Parse.age,
  "12 months"
)
