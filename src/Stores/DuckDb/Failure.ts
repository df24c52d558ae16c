/**
 * What DuckDB's failures mean for the caller: refused permanently, or to be retried. After running out of memory,
 * DuckDB first gets more.
 */
import { Effect } from "effect"
import { WarehouseError } from "../Warehouse.ts"
import type { OpenFile } from "./File.ts"
import { suspect } from "./Opening.ts"
import * as LogLine from "../../Runtime/LogLine.ts"

const refusals = /conversion error|constraint error|invalid input|out of range|malformed json/i
const fatal = /^FATAL|database has been invalidated/
/** The message about a block that was read. */
const damage =
  /corrupt database file|computed checksum|could not read enough bytes|failed to deserialize|serialization error/i
const outOfMemory = /out of memory error|(could not|failed to) (allocate|pin block)/i

export const isOutOfMemory = (cause: unknown): boolean => cause instanceof Error && outOfMemory.test(cause.message)

const reasonOf = (cause: unknown, message: string): WarehouseError["reason"] => {
  if (fatal.test(message) || damage.test(message)) return "Fatal"
  const isRefused = cause instanceof RangeError || cause instanceof TypeError || refusals.test(message)
  return isRefused ? "Refused" : "Failed"
}

/** Refused data can never be written; everything else may be retried. */
const failed = (cause: unknown): WarehouseError => {
  const message = cause instanceof Error ? cause.message : String(cause)
  return new WarehouseError({ reason: reasonOf(cause, message), message: `DuckDB: ${message}`, cause })
}

export const attempt = <A>(run: () => Promise<A>): Effect.Effect<A, WarehouseError> =>
  Effect.tryPromise({ try: run, catch: failed })

/** Notes damage, so that the file is set aside when it is next opened. */
export const noting =
  (path: string) =>
  <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.tapError(effect, ({ message }) => Effect.sync(() => (damage.test(message) ? suspect(path) : undefined)))

/** Raises DuckDB's memory limit after it ran out, as happens with very wide rows. */
export const attemptOn =
  (file: OpenFile) =>
  <A>(run: () => Promise<A>): Effect.Effect<A, WarehouseError> =>
    Effect.catchIf(
      attempt(run),
      (error) => outOfMemory.test(error.message),
      ({ cause }) =>
        Effect.gen(function* () {
          const mb = yield* attempt(() => file.memory.takeMoreToRead())
          const had = "DuckDB ran out of memory while reading"
          if (mb === undefined) {
            return yield* new WarehouseError({
              reason: "Failed",
              message: `${had}, and the machine has no more.`,
              cause
            })
          }
          yield* LogLine.write("warehouse.enlarged", { megabytes: mb })
          return yield* new WarehouseError({ reason: "Short", message: `${had}; it has more now.`, cause })
        })
    )
