/**
 * The whole answer of a query in a new file, as Parquet: whole or not at all.
 *
 * It is made in a folder of its own beside the file, and gets its name when it is complete; a file that is there already
 * is left alone, also one that came meanwhile. Dying in the middle leaves that folder (`.siteledger-query-…`), and
 * nothing under the file's name.
 */
import { existsSync } from "node:fs"
import { link, mkdtemp, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { Duration, Effect, Stream } from "effect"
import { codeOf, whyNot } from "../Runtime/SystemFailure.ts"
import * as Frames from "./Frames.ts"
import { QueryError, start } from "./Running.ts"

interface Wanted {
  /** The published copy. */
  readonly file: string
  readonly sql: string
  readonly time: Duration.Duration
  readonly memoryMb: number
  readonly target: string
}

/** Returns the rows. */
export const intoFile = Effect.fn("Query.intoFile")(function* ({ file, memoryMb, sql, target, time }: Wanted) {
  const parent = dirname(resolve(target))
  if (!existsSync(parent)) {
    return yield* new QueryError({ message: `${target} can't be written: there is no folder ${parent}.` })
  }
  // Before the query has cost anything; the last word is the name's own.
  if (existsSync(target)) return yield* taken(target)
  const folder = yield* Effect.acquireRelease(
    attempt(target, () => mkdtemp(join(parent, ".siteledger-query-"))),
    (path) => Effect.promise(() => rm(path, { recursive: true, force: true }))
  )
  const millis = Duration.toMillis(time)
  const running = yield* start({ file, sql, rows: Number.MAX_SAFE_INTEGER, memoryMb, millis, folder })
  const last = yield* running.frames.pipe(Stream.filter(Frames.isEnding), Stream.take(1), Stream.runCollect)
  const [ending] = last
  if (ending === undefined) return yield* running.died
  if (ending.ended !== "complete") return yield* new QueryError({ message: ending.message })
  // A rename would replace a file; a second name is given only where there is none.
  yield* attempt(target, () => link(join(folder, Frames.answerFile), target))
  return ending.rows
})

const taken = (target: string) => new QueryError({ message: `${target} is there already, and is left as it is.` })

const attempt = <A>(target: string, use: () => Promise<A>) =>
  Effect.tryPromise({
    try: use,
    catch: (cause) =>
      codeOf(cause) === "EEXIST"
        ? taken(target)
        : new QueryError({ message: `${target} can't be written: ${whyNot(cause)}.` })
  })
