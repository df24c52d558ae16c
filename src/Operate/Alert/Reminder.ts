/**
 * Once a day, at 09:00, a reminder while holds or quarantined money wait; none on a day when nothing waits.
 *
 *   { id, status: "reminder", level: "notice" | "critical", at, since, reasons, kinds,
 *     holds: { count, sums: [{ currency, amount, count }], unknownAmounts, oldest: { since, ipcId, reason } | null },
 *     quarantined: { count, oldest: { since, eventId, type, reason } | null }, instance, dataDir }
 *
 * `since` is the oldest of all times. A reminder that was missed because no worker was running is sent once at the next
 * start. It is written in the transaction that notes the day as served, so a restart neither repeats nor forgets one.
 */
import { randomUUID } from "node:crypto"
import { Clock, Cron, type DateTime, Duration, Effect, type Latch } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import * as Schedule from "../../Stores/Schedule.ts"
import { Store } from "../../Stores/Store.ts"
import { Waiting, type WaitingReason, type Waits } from "../Waiting.ts"

export interface ReminderOptions {
  readonly instance: string
  readonly dataDir: string
  readonly timezone: DateTime.TimeZone
}

const name = "reminder"
const daily = "0 9 * * *"
const retryAfter = Duration.minutes(1)

/** Waits for the next due time, and serves it. */
export const remind = (options: ReminderOptions, written: Latch.Latch) =>
  Effect.gen(function* () {
    const store = yield* Store
    const waiting = yield* Waiting
    const due = yield* Schedule.untilDue(name, Cron.parseUnsafe(daily, options.timezone, { onDstOverlap: "earlier" }))
    const waits = yield* waiting.look
    const reasons = yield* waiting.reasonsFor(waits)
    const at = Instant.fromMillis(yield* Clock.currentTimeMillis)
    yield* store.transaction(async (tx) => {
      if (reasons.length > 0) {
        const body = JSON.stringify(reminder(options, waits, reasons, at))
        await tx.insertInto("reminders").values({ body, delivered_at: null }).execute()
      }
      await Schedule.serve(tx, name, due)
    })
    yield* written.open
  }).pipe(
    Effect.catchTag("StoreError", (error) =>
      Effect.andThen(Effect.logDebug("The reminder can't be written yet", error), Effect.sleep(retryAfter))
    )
  )

const reminder = (
  { dataDir, instance }: ReminderOptions,
  waits: Waits,
  reasons: ReadonlyArray<WaitingReason>,
  at: Instant.Instant
) => ({
  id: randomUUID(),
  status: "reminder",
  level: reasons.some(({ level }) => level === "critical") ? "critical" : "notice",
  at,
  since: reasons.map(({ since }) => since).toSorted()[0],
  reasons: reasons.map(({ sentence }) => sentence),
  kinds: reasons.map(({ key }) => key),
  ...waits,
  instance,
  dataDir
})
