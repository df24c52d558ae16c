/**
 * AnalystCopy keeps a copy of the warehouse fresh for analysts, in a separate file that others may open.
 *
 * It makes a copy when the worker first goes live, then whenever something has changed. After each copy, even a
 * requested one, it rests a hundred times as long as that copy took. A copy appears whole or not at all; until then,
 * the copy of an earlier start remains. Changes just before a stop may be missing from the last copy, so every start
 * makes one new copy, usually based on the last one.
 */
import { existsSync } from "node:fs"
import { stat } from "node:fs/promises"
import { type Cause, Clock, Context, Duration, Effect, Layer, Semaphore } from "effect"
import type { Kysely } from "kysely"
import * as Instant from "../Domain/Instant.ts"
import * as Beat from "../Runtime/Beat.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { queryFile, readFile } from "../Stores/DuckDb/ReadAll.ts"
import { isShort, type Published, Warehouse, type WarehouseError } from "../Stores/Warehouse.ts"
import type { WarehouseTables } from "../Stores/WarehouseTables.ts"
import * as LogLine from "../Runtime/LogLine.ts"

export interface AnalystCopyOptions<R> {
  readonly path: string
  /** True once the warehouse is complete enough to be shown. */
  readonly isLive: Effect.Effect<boolean, never, R>
  /** The same for the copy beside an export; defaults to `isLive`. */
  readonly isShown?: Effect.Effect<boolean, never, R>
}

export class AnalystCopy extends Context.Service<
  AnalystCopy,
  {
    /** Makes a copy at once, even if nothing has changed. */
    readonly now: Effect.Effect<void, WarehouseError>
    /** The same beside an export: an incomplete copy never replaces another. */
    readonly beside: Effect.Effect<void, WarehouseError>
    /** Reads all of the newest copy; replaces a damaged one with a complete new copy. */
    readonly check: Effect.Effect<void, WarehouseError>
    /** Runs a query on the newest copy; undefined if there is none. */
    readonly query: <A>(
      run: (db: Kysely<WarehouseTables>) => Promise<A>
    ) => Effect.Effect<A | undefined, Cause.UnknownError>
    /** The newest copy has everything that was in the warehouse at `at`; null if there is no copy. */
    readonly status: Effect.Effect<{ readonly at: Instant.Instant | null; readonly ageMs: number | null }>
  }
>()("siteledger/AnalystCopy") {
  static readonly layerWith = <R = never>({
    isLive,
    isShown = isLive,
    path
  }: AnalystCopyOptions<R>): Layer.Layer<AnalystCopy, never, Warehouse | Reasons | R> =>
    Layer.effect(
      AnalystCopy,
      Effect.gen(function* () {
        const warehouse = yield* Warehouse
        const reasons = yield* Reasons
        const oneAtATime = yield* Semaphore.make(1)
        let atMillis = yield* lastModified(path)
        let version: number | undefined
        const made = { copies: 0, rest: shortestRest }

        const copy = Effect.fnUntraced(function* (isWhole: boolean) {
          // Both are read before the copy begins, so that neither claims more than the copy contains.
          const before = yield* warehouse.version
          const startedMillis = yield* Clock.currentTimeMillis
          const publishing = Effect.retry(warehouse.publish(path, { isWhole }), { while: isShort })
          const [lasted, published] = yield* Effect.timed(publishing)
          version = before
          atMillis = startedMillis
          made.rest = restAfter(lasted, published)
          made.copies++
        })
        const make = (isWhole: boolean) =>
          copy(isWhole).pipe(
            Effect.tap(() => reasons.clear("publish")),
            Effect.tapError((error) => reasons.set("publish", `The copy for analysts can't be made: ${error.message}`))
          )
        const now = oneAtATime.withPermit(make(false))
        const shown = yield* Effect.context<R>()
        const isNewer = Effect.map(Effect.provideContext(isShown, shown), (isIt) => isIt || !existsSync(path))
        const beside = oneAtATime.withPermit(Effect.asVoid(Effect.when(make(false), isNewer)))

        const check = Effect.tryPromise(() => readFile(path)).pipe(
          Effect.catch(({ cause }) =>
            Effect.andThen(LogLine.write("analytics.damaged", { path, why: String(cause) }), make(true))
          ),
          Effect.when(Effect.sync(() => existsSync(path)))
        )

        // Usually nothing has changed, and then nothing is read from the Store.
        const isDue = Effect.gen(function* () {
          return (yield* warehouse.version) !== version && (yield* isLive)
        })
        // It may wait for a copy that was requested.
        const next = oneAtATime.withPermit(Effect.when(make(false), isDue))
        yield* Effect.forkScoped(led("publishing the copy for analysts", turns(warehouse, { isDue, made, next })))

        return AnalystCopy.of({
          now,
          beside,
          // Nothing may change the file meanwhile: within one process, DuckDB's locks don't show that the file is open.
          check: oneAtATime.withPermit(Effect.asVoid(check)),
          query: (run) =>
            oneAtATime.withPermit(Effect.tryPromise(async () => (existsSync(path) ? queryFile(path, run) : undefined))),
          status: Effect.map(Clock.currentTimeMillis, (present) =>
            atMillis === undefined
              ? { at: null, ageMs: null }
              : { at: Instant.fromMillis(atMillis), ageMs: Math.max(0, present - atMillis) }
          )
        })
      })
    )
}

interface Making<R> {
  readonly isDue: Effect.Effect<boolean, never, R>
  /** The number of copies so far, including requested ones, and the rest after the last one. */
  readonly made: { readonly copies: number; readonly rest: Duration.Duration }
  readonly next: Effect.Effect<unknown, WarehouseError, R>
}

/** Makes the next copy once it is due. */
const turns = <R>(warehouse: Warehouse["Service"], { isDue, made, next }: Making<R>) => {
  let rested = 0
  // Rests after a requested copy too: the next would be as large, and hardly newer.
  const resting = Effect.gen(function* () {
    while (rested !== made.copies) {
      rested = made.copies
      yield* Effect.sleep(made.rest)
    }
  })
  return Effect.gen(function* () {
    yield* warehouse.opened
    yield* resting
    if (!(yield* isDue)) return yield* Beat.next(pollEvery)
    const outcome = yield* Effect.result(next)
    if (outcome._tag === "Failure") return yield* Effect.sleep(restAfterFailure)
    yield* warehouse.keepNewest
  })
}

/** Copying takes at most about a hundredth of the time. */
const restFactor = 100
const shortestRest = Duration.seconds(5)
const longestRest = Duration.minutes(5)
const pollEvery = Duration.seconds(1)
const restAfterFailure = Duration.minutes(1)

/** The previous file is reused for the next copy only after this time, so that a reader can finish copying it. */
const shortestUntilUsed = Duration.minutes(1)

const restAfter = (lasted: Duration.Duration, { isWhole }: Published): Duration.Duration =>
  Duration.clamp(Duration.times(lasted, restFactor), {
    minimum: isWhole ? shortestRest : shortestUntilUsed,
    maximum: longestRest
  })

/** In milliseconds since 1970; undefined when there is no such file. */
const lastModified = (path: string): Effect.Effect<number | undefined> =>
  Effect.promise(() =>
    stat(path).then(
      (found) => Math.floor(found.mtimeMs),
      () => undefined
    )
  )
