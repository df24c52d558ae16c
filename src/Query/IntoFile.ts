/**
 * The answer of a query in a new Parquet file: the whole answer or no file.
 *
 * The file is made in its own folder next to the target and gets its name once it is complete. An existing file is left
 * alone, even one that appeared meanwhile. If the process dies in the middle, that folder is left
 * (`.siteledger-query-…`), and nothing under the target's name.
 */
import { existsSync } from "node:fs"
import { link, mkdtemp, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Duration, Effect, Stream } from "effect"
import { giveToPerson } from "../Runtime/Rights.ts"
import { codeOf, whyNot } from "../Runtime/SystemFailure.ts"
import * as Frames from "./Frames.ts"
import { QueryError, start } from "./Running.ts"

interface Asked {
  /** The published copy. */
  readonly file: string
  readonly sql: string
  readonly time: Duration.Duration
  readonly memoryMb: number
}

interface Wanted extends Asked {
  readonly target: string
}

/** Makes the file in a folder, which the caller removes. Returns its path and the number of rows. */
export const makeIn = Effect.fnUntraced(function* (
  folder: string,
  { file, memoryMb, sql, time }: Asked,
  most: Pick<Frames.Request, "mostBytes"> = {}
) {
  const millis = Duration.toMillis(time)
  const running = yield* start({ file, sql, rows: Number.MAX_SAFE_INTEGER, memoryMb, millis, folder, ...most })
  const last = yield* running.frames.pipe(Stream.filter(Frames.isEnding), Stream.take(1), Stream.runCollect)
  const [ending] = last
  if (ending === undefined) return yield* running.died
  if (ending.ended !== "complete") return yield* new QueryError({ message: ending.message })
  return { answer: join(folder, Frames.answerFile), rows: ending.rows }
})

/** Returns the number of rows. */
export const intoFile = Effect.fn("Query.intoFile")(function* ({ target, ...asked }: Wanted) {
  const parent = dirname(resolve(target))
  if (!existsSync(parent)) {
    return yield* new QueryError({ message: `${target} can't be written: there is no folder ${parent}.` })
  }
  // Checked before the query costs anything; the link below is decisive.
  if (existsSync(target)) return yield* taken(target)
  const folder = yield* Effect.acquireRelease(
    attempt(target, () => mkdtemp(join(parent, ".siteledger-query-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const { answer, rows } = yield* Effect.mapError(makeIn(folder, asked), (error) =>
    error._tag === "QueryError" ? naming(target, folder, error) : error
  )
  yield* attempt(target, async () => giveToPerson(answer))
  // A rename would replace an existing file; a link fails if there is one.
  yield* attempt(target, () => link(answer, target))
  return rows
})

/** DuckDB names a file in the hidden folder, which is gone by now; the person knows only the requested path. */
const naming = (target: string, folder: string, error: QueryError): QueryError => {
  const [begin = "", ...rest] = error.message.split(folder)
  if (rest.length === 0) return error
  const isFull = error.message.includes("No space left on device")
  const message = isFull
    ? `${target} can't be written: ${whyNot({ code: "ENOSPC" })}.`
    : [begin, ...rest.map((piece) => piece.replace(/^[^"]*/, ""))].join(target)
  return new QueryError({ message })
}

const taken = (target: string) => new QueryError({ message: `${target} already exists and is left as it is.` })

const attempt = <A>(target: string, use: () => Promise<A>) =>
  Effect.tryPromise({
    try: use,
    catch: (cause) =>
      codeOf(cause) === "EEXIST"
        ? taken(target)
        : new QueryError({ message: `${target} can't be written: ${whyNot(cause)}.` })
  })
