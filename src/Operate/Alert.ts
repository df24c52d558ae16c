/**
 * Sends alerts (to SITELEDGER_ALERT_URL), each as one POST of JSON: when Status turns red (degraded or critical), when
 * it rises from degraded to critical, and when it recovers. While Status is red, a reason of a new kind sends another
 * alert, `red` since the same time: at most one a minute, and each kind once until Status recovers. At 09:00 in
 * SITELEDGER_TIMEZONE, a reminder is sent if holds or quarantined money wait (`Alert/Reminder`).
 *
 *   { id, status: "red" | "recovered", level: "degraded" | "critical", at, since, reasons, kinds, instance, dataDir }
 *
 * Of several workers on one database, the leader reports for all that are up. Notices turn nothing red.
 *
 * `at` is when this was decided, `since` when Status turned red; `reasons` were active at `at`, `kinds` are all those
 * reported since then. `level` is that of `at`; of a recovery, the highest reported since Status turned red. A state
 * must last 5 seconds, doubled for every alert of the last hour, up to 5 minutes, so a flapping Status sends a dozen
 * alerts an hour at most. A rise to critical waits only 5 seconds; but a second rise counts only if Status was lower
 * for as long as any state must last. After a start, Status counts as recovered only after 30 seconds. An alert is on
 * disk before it is sent, and is retried in order until it is answered 2xx, blocking nothing else. A restart neither
 * repeats nor forgets an alert, except that one whose answer was cut off by a crash is sent again under its `id`.
 */
import { type DateTime, Duration, Effect, Latch, Layer, Option, type Redacted } from "effect"
import type { HttpClient } from "effect/http"
import { ServiceSettings, Settings } from "../../config/Settings.ts"
import { shownUrl } from "../Intake/Subscription.ts"
import * as Beat from "../Runtime/Beat.ts"
import { led } from "../Runtime/Leadership.ts"
import type { Reasons } from "../Runtime/Reasons.ts"
import type { Store } from "../Stores/Store.ts"
import { deliver } from "./Alert/Delivery.ts"
import { remind } from "./Alert/Reminder.ts"
import { watcher } from "./Alert/Watch.ts"
import type { Waiting } from "./Waiting.ts"
import type { Workers } from "./Workers.ts"

export interface AlertOptions {
  /** May hold a secret: many services put one in the path. */
  readonly url: Redacted.Redacted
  /** Distinguishes this worker from others. */
  readonly instance: string
  readonly dataDir: string
  /** The zone for the daily reminder. */
  readonly timezone: DateTime.TimeZone
}

const lookEvery = Duration.seconds(1)

export const layerWith = (
  options: AlertOptions
): Layer.Layer<never, never, Store | Reasons | Waiting | Workers | HttpClient.HttpClient> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const written = yield* Latch.make(true)
      const look = yield* watcher(options, written)
      yield* Effect.forkScoped(led("the watch over Status", Effect.andThen(look, Beat.next(lookEvery))))
      yield* Effect.forkScoped(led("the daily reminder", remind(options, written)))
      yield* Effect.forkScoped(led("alerts", deliver(options.url, written)))
    })
  )

/** Does nothing if no URL is configured. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { alertUrl, dataDir, timezone } = yield* Settings
    const { webhookUrl } = yield* ServiceSettings
    const known = { instance: shownUrl(webhookUrl), dataDir, timezone }
    return Option.match(alertUrl, { onNone: () => Layer.empty, onSome: (url) => layerWith({ ...known, url }) })
  })
)
