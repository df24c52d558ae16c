/**
 * Nightly runs the Export at the times of its schedule, once per scheduled time.
 *
 * The Store keeps the last time that was served, so one export at the next start catches up on all times that were
 * missed while the worker was down. The first start only notes the present. The note is made after the export: dying in
 * the middle exports once more. A failed export is retried every five minutes and shown as a reason. An overtaken one
 * has served its time if the export that is shown is of the due time or later.
 */
import { Cause, Clock, Cron, Duration, Effect, Exit, Layer } from "effect"
import * as Instant from "../Domain/Instant.ts"
import { Export } from "./Export.ts"
import { Overtaken } from "./LakePointer.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { Store } from "../Stores/Store.ts"

const name = "export"
const retryAfter = Duration.minutes(5)
/** Short enough to notice soon that the wall clock was set. */
const longestSleep = Duration.minutes(1)
/** A note further ahead than this was made by a wrong clock. */
const dayMillis = Duration.toMillis(Duration.days(1))

type StoreService = Store["Service"]

export const layerWith = (cron: Cron.Cron): Layer.Layer<never, never, Export | Reasons | Store> =>
  Layer.effectDiscard(Effect.forkScoped(led("the nightly export", turn(cron))))

/** Waits for the next time that is due and serves it. */
const turn = (cron: Cron.Cron) =>
  Effect.gen(function* () {
    const exports = yield* Export
    const reasons = yield* Reasons
    const store = yield* Store
    const outcome = yield* Effect.exit(
      Effect.gen(function* () {
        const served = yield* untilDue(store, cron)
        yield* Effect.catchIf(exports.run, isServedBy(served), ({ message }) => Effect.logWarning(message))
        yield* note(store, served)
      })
    )
    if (Exit.isSuccess(outcome)) return yield* reasons.clear(name)
    if (Cause.hasInterruptsOnly(outcome.cause)) return yield* Effect.interrupt
    yield* reasons.set(name, `The nightly export failed and is tried again: ${messageOf(outcome.cause)}`)
    yield* Effect.sleep(retryAfter)
  })

/** The export was overtaken by one of the due time or later. */
const isServedBy =
  (due: number) =>
  (error: { readonly _tag: string }): error is Overtaken =>
    error instanceof Overtaken && error.at !== null && error.at >= Instant.fromMillis(due)

/** Returns the newest scheduled time that has come: all that were missed are served by one export. */
const untilDue = Effect.fnUntraced(function* (store: StoreService, cron: Cron.Cron) {
  let served = yield* lastServed(store)
  while (true) {
    const now = yield* Clock.currentTimeMillis
    // At the first start, and if the note can't be right, the times until now are not caught up on.
    if (served === undefined || served > now + dayMillis) yield* note(store, (served = now))
    const due = Cron.next(cron, served).getTime()
    if (due <= now) return Math.max(due, Cron.prev(cron, now + 1).getTime())
    yield* Effect.sleep(Duration.min(Duration.millis(due - now), longestSleep))
  }
})

const lastServed = (store: StoreService) =>
  Effect.map(
    store.run((db) =>
      db.selectFrom("schedule").select("last_scheduled_ms").where("name", "=", name).executeTakeFirst()
    ),
    (row) => row?.last_scheduled_ms
  )

const note = (store: StoreService, last_scheduled_ms: number) =>
  store.transaction((tx) =>
    tx
      .insertInto("schedule")
      .values({ name, last_scheduled_ms })
      .onConflict((conflict) => conflict.column("name").doUpdateSet({ last_scheduled_ms }))
      .execute()
  )

const messageOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error.message : String(error)
}
