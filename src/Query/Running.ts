/**
 * One query's child process, from start to end: the request goes in over standard input, frames come out of fd 3.
 *
 * Guarantees: it gets nothing of our environment. It is killed when the scope closes, or when DuckDB has worked for a
 * second longer than the time limit (the child interrupts itself at the limit). If this process dies, standard input
 * ends and the child exits too.
 */
import { Array as Arr, Clock, Data, Duration, Effect, Exit, Fiber, Schema, type Scope, Stream } from "effect"
import { ChildProcess, type ChildProcessSpawner } from "effect/process"
import * as Frames from "./Frames.ts"
import { fileOf } from "../Runtime/Module.ts"

/** Why there is no complete answer, for a person. */
export class QueryError extends Data.TaggedError("QueryError")<{ readonly message: string }> {}

export interface Running {
  readonly frames: Stream.Stream<Frames.Frame, QueryError>
  /** Fails with what is known about a child that ended without an ending. */
  readonly died: Effect.Effect<never, QueryError>
}

/** The child has this long to start, and to report that it was interrupted. */
const grace = Duration.seconds(1)

/** How many of the last characters that a dying child printed are kept. */
const keptOfStderr = 2000

const heapMb = 512

const child = fileOf(new URL("./child.ts", import.meta.url))

const flags = [`--max-old-space-size=${heapMb}`, "--disable-warning=ExperimentalWarning"]

export const start = Effect.fnUntraced(function* (
  request: Frames.Request
): Effect.fn.Return<Running, QueryError, ChildProcessSpawner.ChildProcessSpawner | Scope.Scope> {
  const handle = yield* ChildProcess.make(process.execPath, [...flags, child], {
    env: {},
    // It stays open: when it ends, the child knows that this process has gone.
    stdin: Stream.concat(Stream.make(Buffer.from(`${JSON.stringify(request)}\n`)), Stream.never),
    stdout: "ignore",
    additionalFds: { [`fd${Frames.frameFd}` as const]: { type: "output" } },
    killSignal: "SIGKILL"
  }).pipe(Effect.mapError((error) => new QueryError({ message: `The query didn't start: ${error.message}` })))
  let printed = ""
  const listening = yield* handle.stderr.pipe(
    Stream.decodeText(),
    Stream.runForEach((text) => Effect.sync(() => (printed = (printed + text).slice(-keptOfStderr)))),
    Effect.exit,
    Effect.forkScoped
  )
  return {
    frames: handle.getOutputFd(Frames.frameFd).pipe(
      Stream.mapError(broken),
      within(request.millis),
      Stream.decodeText(),
      Stream.splitLines,
      // Batches stay batches, because a write for each row would be slow.
      Stream.mapArrayEffect((lines) => Effect.try({ try: () => Arr.map(lines, read), catch: broken }))
    ),
    died: Effect.gen(function* () {
      const exit = yield* Effect.exit(handle.exitCode)
      yield* Effect.timeoutOption(Fiber.await(listening), grace)
      const how = Exit.isSuccess(exit) ? `with exit code ${exit.value}` : "by a signal"
      const message = `The query's process ended ${how} before the answer was whole.\n${printed.trim()}`.trim()
      return yield* new QueryError({ message })
    })
  }
})

const Columns = Schema.Struct({
  columns: Schema.Array(Schema.Struct({ name: Schema.String, isNumber: Schema.Boolean })),
  isPlan: Schema.Boolean
})
const Ending = Schema.Struct({
  ended: Schema.Literals(["complete", "cut", "failed"]),
  message: Schema.String,
  rows: Schema.Int
})
const decode = Schema.decodeUnknownSync(Schema.Union([Columns, Ending]))

/** Decodes one line from the child; throws on anything that a child never sends. */
const read = (line: string): Frames.Frame => {
  const value: unknown = JSON.parse(line)
  return Array.isArray(value) ? value : decode(value)
}

const broken = (cause: unknown): QueryError =>
  new QueryError({ message: `The query's process sent something unreadable: ${String(cause)}` })

/** Only waiting for the child counts: a slow reader of the answer doesn't use up the limit. */
const within = (millis: number) => {
  const late = new QueryError({ message: `Stopped at the time limit of ${millis / 1000} s.` })
  return (bytes: Stream.Stream<Uint8Array, QueryError>) =>
    Stream.transformPull(bytes, (pull) => {
      let left = millis + Duration.toMillis(grace)
      return Effect.succeed(
        Effect.gen(function* () {
          const from = yield* Clock.monotonicTimeNanos
          const pulled = yield* Effect.timeoutOrElse(pull, { duration: left, orElse: () => Effect.fail(late) })
          left -= Number((yield* Clock.monotonicTimeNanos) - from) / 1_000_000
          return pulled
        })
      )
    })
}
