/**
 * A person's SQL on the published copy: run in a child process, shown as a table, CSV or JSON, or written to a Parquet
 * file (`IntoFile`).
 *
 * Guarantees: the child has an empty environment and gets the SQL over its standard input. It is interrupted at the
 * time limit, killed a second later, and ends with this process. Memory stays flat for an answer of any length. Rows go
 * to standard output, everything else to standard error. An incomplete answer exits with 1, or adds a note if it was
 * cut at the row limit. Nothing is written, so nothing is lost if the process dies.
 */
import { existsSync } from "node:fs"
import { Duration, Effect, type PlatformError, Stdio, Stream, Terminal } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import { codeOf } from "../Runtime/SystemFailure.ts"
import * as Frames from "./Frames.ts"
import { intoFile } from "./IntoFile.ts"
import { QueryError, start } from "./Running.ts"
import { table } from "./Table.ts"
import * as Text from "./Text.ts"
import { csv, json, type Writer } from "./Writer.ts"

export type Format = "table" | "csv" | "json"

export interface Limits {
  readonly rows: number
  /** DuckDB's working time; a slow reader of the answer doesn't use it up. */
  readonly time: Duration.Duration
  readonly memoryMb: number
}

export const defaultLimits: Limits = { rows: 100_000, time: Duration.seconds(60), memoryMb: 512 }

export interface QueryOptions {
  /** The published copy. */
  readonly file: string
  readonly sql: string
  readonly format: Format
  readonly limits?: Partial<Limits>
  readonly color?: boolean
  /** A new Parquet file for the answer, instead of showing it. */
  readonly parquet?: string
}

export type ExitCode = 0 | 1

/** The message while there is no copy. */
export const unpublished = (file: string): string | undefined =>
  existsSync(file) ? undefined : `There is nothing to query yet: ${file} appears when the worker first goes live.`

export const run: (
  options: QueryOptions
) => Effect.Effect<ExitCode, never, ChildProcessSpawner.ChildProcessSpawner | Stdio.Stdio | Terminal.Terminal> =
  Effect.fn("Query.run")(function* (options: QueryOptions) {
    const missing = unpublished(options.file)
    if (missing !== undefined) return yield* say(missing, 1)
    const limits = { ...defaultLimits, ...options.limits }
    const { parquet } = options
    const answering =
      parquet === undefined
        ? Effect.flatMap(writerOf(options), (writer) => show(options, limits, writer))
        : intoFile({ ...options, ...limits, target: parquet }).pipe(
            Effect.flatMap((rows) => say(`(${count(rows)} in ${Text.visible(parquet)})`, 0))
          )
    return yield* Effect.scoped(answering).pipe(
      Effect.catchTag("QueryError", ({ message }) => say(Text.visibleLines(message), 1)),
      Effect.catchTag("PlatformError", (error) =>
        isClosedPipe(error) ? Effect.succeed<ExitCode>(0) : say(`The answer couldn't be written: ${error.message}`, 1)
      )
    )
  })

const say = Effect.fnUntraced(function* (text: string, exitCode: ExitCode) {
  const stdio = yield* Stdio.Stdio
  yield* Effect.ignore(Stream.run(Stream.make(`${text}\n`), stdio.stderr()))
  return exitCode
})

const writerOf = Effect.fnUntraced(function* ({ color, format }: QueryOptions) {
  if (format === "csv") return csv()
  if (format === "json") return json()
  const stdio = yield* Stdio.Stdio
  const terminal = yield* Terminal.Terminal
  const isTerminal = yield* stdio.stdoutIsTerminal
  const columns = yield* terminal.columns
  return table({ width: isTerminal && columns > 0 ? columns : undefined, color: isTerminal && color !== false })
})

/** The reader of the answer has stopped reading (`| head`). */
const isClosedPipe = (error: PlatformError.PlatformError): boolean =>
  ["EPIPE", "ERR_STREAM_DESTROYED"].includes(codeOf(error.cause))

const show = Effect.fnUntraced(function* ({ file, format, sql }: QueryOptions, limits: Limits, writer: Writer) {
  const stdio = yield* Stdio.Stdio
  const progress: Progress = { rows: 0, isPlan: false, ending: undefined }
  const { memoryMb, rows, time } = limits
  const running = yield* start({ file, sql, rows, memoryMb, millis: Duration.toMillis(time), folder: null })
  const texts = running.frames.pipe(
    Stream.takeUntil(Frames.isEnding),
    Stream.mapArray((frames) => [frames.map((frame) => textOf(frame, writer, progress)).join("")]),
    Stream.filter((text) => text !== "")
  )
  yield* Stream.run(texts, stdio.stdout())
  const { ending } = progress
  if (ending === undefined) return yield* running.died
  if (ending.ended === "failed") return yield* new QueryError({ message: ending.message })
  for (const note of writer.notes()) yield* say(note, 0)
  if (ending.ended === "cut") {
    return yield* say(
      `Cut off at ${count(progress.rows)}: there are more. Narrow the query, or export the whole table.`,
      0
    )
  }
  return format === "table" && !progress.isPlan ? yield* say(`(${count(progress.rows)})`, 0) : 0
})

const count = (rows: number): string => (rows === 1 ? "1 row" : `${rows.toLocaleString("en")} rows`)

interface Progress {
  rows: number
  isPlan: boolean
  ending: Frames.Ending | undefined
}

const textOf = (frame: Frames.Frame, writer: Writer, progress: Progress): string => {
  if (Frames.isRow(frame)) {
    progress.rows += 1
    return writer.row(frame)
  }
  if (!Frames.isEnding(frame)) {
    progress.isPlan = frame.isPlan
    return writer.columns(frame)
  }
  progress.ending = frame
  return writer.end(frame.ended)
}
