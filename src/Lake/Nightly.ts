/**
 * Nightly runs the Export at the times of its schedule, once per scheduled time.
 *
 * The Store keeps the last time that was served, so that times missed while the worker was down are made good by
 * one export at the next start; the first start only notes the present. The note is made after the export: dying in
 * the middle exports once more. An export that fails is tried again every five minutes and shown as a reason; one that
 * was overtaken by somebody else's has served its time when that one is of the time that was due, or later.
 */
import { Cause, Clock, Cron, Duration, Effect, Exit, Layer } from "effect"
import * as Instant from "../Domain/Instant.ts"
import { Export, Overtaken } from "./Export.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { Store } from "../Stores/Store.ts"

const name = "export"
const retryAfter = Duration.minutes(5)
/** Short enough to notice soon that the wall clock was set. */
const longestSleep = Duration.minutes(1)
/** A note further ahead than this was made by a clock that was wrong. */
const dayMillis = Duration.toMillis(Duration.days(1))

type StoreService = Store["Service"]

export const layer = (cron: Cron.Cron): Layer.Layer<never, never, Export | Reasons | Store> =>
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

/** Of the errors of an export: that readers see another one, which is not of an earlier time than was due. */
const isServedBy =
  (due: number) =>
  (error: { readonly _tag: string }): error is Overtaken =>
    error instanceof Overtaken && error.at !== null && error.at >= Instant.fromMillis(due)

/** Returns the newest scheduled time that has come: all that were missed are served by one export. */
const untilDue = Effect.fnUntraced(function* (store: StoreService, cron: Cron.Cron) {
  let served = yield* lastServed(store)
  while (true) {
    const now = yield* Clock.currentTimeMillis
    // At the first start, and when the note can't be right, what was scheduled until now is not made good.
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
