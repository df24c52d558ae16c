/**
 * The log of rows: a second copy of each irreplaceable row of the embedded Store, as it was after each change, in
 * separate files (`<data dir>/rows`, in the format of the inbox: each frame with a checksum and an HMAC, each file
 * twice). If the Store's file is damaged or gone, the Store is rebuilt from the log; deliveries are in the inbox and
 * are applied again.
 *
 * Changes are logged within a second. If the process dies before that, the next start logs them.
 */
import { Clock, Effect } from "effect"
import * as Beat from "../../Runtime/Beat.ts"
import type { StoreError } from "../Store.ts"
import { storeError } from "../Sqlite/Failure.ts"
import { Follow, type Place } from "./Follow.ts"
import { heal, nothing } from "./Heal.ts"
import * as LogLine from "../../Runtime/LogLine.ts"

interface Opened {
  readonly isNew: boolean
  /** The path of the damaged file that the Store replaces. */
  readonly replaces: string | undefined
}

const uptimeEveryMs = 60_000

/** Heals the Store from its log, then keeps the log up to date until the scope closes. */
export const keep = (place: Place, { isNew, replaces }: Opened) =>
  Effect.gen(function* () {
    const { files, rows } = yield* Effect.try({ try: () => heal({ ...place, isNew }), catch: storeError }).pipe(
      // Deliveries also wait for disk space; a later start takes what the store lacks.
      Effect.catchIf(
        ({ reason }) => reason === "Full" && !isNew,
        ({ message }) => Effect.as(LogLine.write("rows.unread", { why: message }), nothing)
      )
    )
    if (files > 0) yield* LogLine.write("rows.repaired", { files })
    if (replaces !== undefined) {
      yield* LogLine.write("store.replaced", { path: place.store, kept: replaces, rows })
    } else if (rows > 0) {
      yield* LogLine.write(isNew ? "store.remade" : "store.restored", { path: place.store, rows })
    }
    const follow = yield* Effect.acquireRelease(
      Effect.sync(() => new Follow(place)),
      (follow) =>
        Effect.promise(() =>
          follow
            .once()
            .catch(() => undefined)
            .then(() => follow.close())
        )
    )
    yield* Effect.forkScoped(always(follow))
  })

const always = (follow: Follow) =>
  Effect.gen(function* () {
    let uptimeMs = 0
    while (true) {
      yield* Beat.next("1 second")
      const nowMs = yield* Clock.currentTimeMillis
      const isDue = Math.abs(nowMs - uptimeMs) >= uptimeEveryMs
      if (isDue) uptimeMs = nowMs
      yield* once(follow, isDue)
    }
  })

/** A failure is retried a second later. */
const once = (follow: Follow, isUptimeDue: boolean): Effect.Effect<void> =>
  Effect.tryPromise({
    try: async () => {
      if (isUptimeDue) await follow.noteUptime()
      await follow.once()
    },
    catch: storeError
  }).pipe(Effect.catch((error: StoreError) => LogLine.write("rows.unwritten", { why: error.message })))
