/**
 * Jobs that are due at the times of a schedule, each time once.
 *
 * The Store keeps the last time that was served. After times were missed because no worker was running, the next start
 * makes up for all of them once. The first start only notes the present. A job whose time isn't noted as served runs
 * again.
 */
import { Clock, Cron, Duration, Effect } from "effect"
import type { Transaction } from "kysely"
import { Store } from "./Store.ts"
import type { StoreTables } from "./StoreTables.ts"

/** Short, so that a change of the wall clock is soon noticed. */
const longestSleep = Duration.minutes(1)
/** A note further ahead than this was made by a wrong clock: its time is still to come. */
const aheadMillis = Duration.toMillis(Duration.hours(1))

/** Returns the newest scheduled time that has passed, in milliseconds since 1970; it stands for all missed times. */
export const untilDue = Effect.fnUntraced(function* (name: string, cron: Cron.Cron) {
  const store = yield* Store
  let served = yield* lastServed(store, name)
  while (true) {
    const nowMs = yield* Clock.currentTimeMillis
    // At the first start, or if the note can't be right, earlier times aren't made up for.
    if (served === undefined || served > nowMs + aheadMillis) {
      const present = (served = nowMs)
      yield* store.transaction((tx) => serve(tx, name, present))
    }
    const due = Cron.next(cron, served).getTime()
    if (due <= nowMs) return Math.max(due, Cron.prev(cron, nowMs + 1).getTime())
    yield* Effect.sleep(Duration.min(Duration.millis(due - nowMs), longestSleep))
  }
})

const lastServed = (store: Store["Service"], name: string) =>
  Effect.map(
    store.run((db) =>
      db.selectFrom("schedule").select("last_scheduled_ms").where("name", "=", name).executeTakeFirst()
    ),
    (row) => row?.last_scheduled_ms
  )

/** Notes that the time has been served. */
export const serve = (tx: Transaction<StoreTables>, name: string, last_scheduled_ms: number): Promise<unknown> =>
  tx
    .insertInto("schedule")
    .values({ name, last_scheduled_ms })
    .onConflict((conflict) => conflict.column("name").doUpdateSet({ last_scheduled_ms }))
    .execute()
