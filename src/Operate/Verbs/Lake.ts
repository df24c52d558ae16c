/**
 * Carries out the verbs that look at what analysts have.
 *
 * Only one export is verified at a time: a caller that asks for the same one meanwhile gets the same answer, and a
 * caller that asks for another waits. A person's SQL runs as in `siteledger query`: in a separate process, read-only,
 * within 60 s and 512 MB, one at a time.
 */
import { open } from "node:fs/promises"
import { join } from "node:path"
import { Deferred, Duration, Effect, Exit, Option, Semaphore, Stream } from "effect"
import { Settings } from "../../../config/Settings.ts"
import { Lake } from "../../Lake/Lake.ts"
import * as Runs from "../../Lake/Runs.ts"
import * as Verify from "../../Lake/Verify.ts"
import * as VerifyArchives from "../../Lake/VerifyArchives.ts"
import * as Frames from "../../Query/Frames.ts"
import { makeIn } from "../../Query/IntoFile.ts"
import { defaultLimits, unpublished } from "../../Query/Query.ts"
import { QueryError, start } from "../../Query/Running.ts"
import { whyNot } from "../../Runtime/SystemFailure.ts"
import * as TemporaryFolder from "../../Runtime/TemporaryFolder.ts"
import type { Answer, Handler, VerbName } from "../AdminApi.ts"

/** A caller who may only read can't make the worker do much at the same time. */
const verifying = Semaphore.makeUnsafe(1)
const querying = Semaphore.makeUnsafe(1)

const list = Effect.gen(function* () {
  const { name } = yield* Lake
  return { lake: name, ...(yield* Runs.list) }
})

const verify = Effect.fnUntraced(function* (run: string | undefined) {
  const found = yield* Verify.verify(Option.fromUndefinedOr(run), () => Effect.void)
  const whole = { ...found, checked: [...found.checked, ...(yield* VerifyArchives.verify)] }
  return { ok: Verify.faultsOf(whole).length === 0, ...whole }
})

type Verifying = Exit.Exit<Effect.Success<ReturnType<typeof verify>>, Effect.Error<ReturnType<typeof verify>>>

const underWay = new Map<string, Deferred.Deferred<Verifying>>()

/** If the first caller goes away, its verification ends too and is begun again for the others. */
const verified = (run: string | undefined): ReturnType<typeof verify> =>
  Effect.suspend(() => {
    const of = run ?? ""
    const shared = underWay.get(of)
    if (shared !== undefined) {
      return Effect.flatMap(Deferred.await(shared), (exit) => (Exit.hasInterrupts(exit) ? verified(run) : exit))
    }
    const answer = Deferred.makeUnsafe<Verifying>()
    underWay.set(of, answer)
    return Effect.onExit(verifying.withPermit(verify(run)), (exit) => {
      underWay.delete(of)
      return Deferred.succeed(answer, exit)
    })
  })

const mostRows = 1000

/** The published copy. */
const published = Effect.gen(function* () {
  const { dataDir } = yield* Settings
  const file = join(dataDir, "analytics.duckdb")
  const missing = unpublished(file)
  return missing === undefined ? file : yield* new QueryError({ message: missing })
})

const gather = Effect.fnUntraced(function* (sql: string) {
  const file = yield* published
  const { memoryMb, time } = defaultLimits
  const millis = Duration.toMillis(time)
  const running = yield* start({ file, sql, rows: mostRows, memoryMb, millis, folder: null })
  const frames = yield* Stream.runCollect(Stream.takeUntil(running.frames, Frames.isEnding))
  const rows = frames.filter(Frames.isRow)
  const [head, ending] = frames.filter((frame) => !Frames.isRow(frame))
  const last = ending ?? head
  if (last === undefined || !Frames.isEnding(last)) return yield* running.died
  if (last.ended === "failed") return yield* new QueryError({ message: last.message })
  const { columns, isPlan } = head !== undefined && "columns" in head ? head : { columns: [], isPlan: false }
  return { columns, rows: rows as Answer<"query">["rows"], isCut: last.ended === "cut", isPlan }
})

/** How much of the disk an answer may use while it is made. */
const mostBytes = 512_000_000

const made = Effect.fnUntraced(function* (sql: string) {
  const file = yield* published
  const folder = yield* Effect.acquireRelease(
    Effect.tryPromise({ try: () => TemporaryFolder.make("query"), catch: notMade }),
    ({ remove }) => Effect.promise(remove)
  )
  const { answer } = yield* makeIn(folder.path, { file, sql, ...defaultLimits }, { mostBytes })
  return yield* Effect.tryPromise({ try: () => open(answer), catch: notMade })
})

const notMade = (cause: unknown) => new QueryError({ message: `The file can't be made: ${whyNot(cause)}.` })

/** The whole answer as an open Parquet file that is already unlinked, so that none can be left behind. */
export const parquet = (sql: string) => querying.withPermit(Effect.scoped(made(sql)))

export const lake = {
  "lake-list": () => list,
  "lake-verify": ({ run }) => verified(run),
  query: ({ sql }) => querying.withPermit(Effect.scoped(gather(sql)))
} satisfies { readonly [Name in VerbName]?: Handler<Name> }
