/**
 * Records who asked for what. A verb that changes something has a row in the Store before it is carried out, so nothing
 * is done without a record. The exception is a backup: a Store that can't be written is still backed up. A worker also
 * writes a log line once the verb has succeeded or failed. Neither contains the verb's arguments, some of which are
 * secrets.
 */
import { Cause, Clock, Effect, Exit } from "effect"
import * as Instant from "../Domain/Instant.ts"
import * as LogLine from "../Runtime/LogLine.ts"
import { whyNot } from "../Runtime/SystemFailure.ts"
import { Store } from "../Stores/Store.ts"
import { neededFor, type VerbName } from "./AdminApi.ts"

interface Asked {
  readonly principal: string
  readonly verb: VerbName
  readonly payload: object
}

/** The name that was given as a note. */
const noteIn = ({ payload }: Asked): string | null =>
  "by" in payload && typeof payload.by === "string" ? payload.by : null

const changes = ({ verb }: Asked): boolean => neededFor(verb) !== "read"

export const record = Effect.fnUntraced(function* (asked: Asked) {
  if (!changes(asked)) return
  const { principal, verb } = asked
  const store = yield* Store
  const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
  const row = { at, principal, verb, noted_by: noteIn(asked) }
  const written = store.transaction((tx) => tx.insertInto("admin_log").values(row).execute())
  // A backup is how the store is saved from a full disk.
  yield* verb === "backup" ? Effect.ignore(written) : written
})

export const told =
  (asked: Asked) =>
  <A, E, R>(done: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    changes(asked)
      ? Effect.onExit(done, (exit) => {
          const { principal, verb } = asked
          const how = Exit.isSuccess(exit)
            ? { outcome: "done" as const, why: null }
            : { outcome: "failed" as const, why: whyNot(Cause.squash(exit.cause)) }
          return LogLine.write("verb.ended", { principal, verb, by: noteIn(asked), ...how })
        })
      : done
