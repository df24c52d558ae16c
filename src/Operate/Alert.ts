/**
 * Sends an alert (to SITELEDGER_ALERT_URL) when Status turns red and when it recovers: one POST of JSON each time. While
 * Status is red, a reason of a new kind sends another one, `red` since the same time: at most one a minute, and each kind
 * once until Status recovers.
 *
 *   { id, status: "red" | "recovered", at, since, reasons, kinds, instance, dataDir }
 *
 * Of several workers on one database, the leader reports for all that are up.
 *
 * `at` is when this was decided, `since` when Status turned red; `reasons` were active at `at`, `kinds` are all those
 * reported since then. A state must have lasted 5 seconds, doubled for every alert of the last hour, up to 5 minutes: a
 * flapping Status sends a dozen an hour at most. After a start, Status counts as recovered only after 30 seconds. An alert
 * is on disk before it is sent, and is retried in order until it is answered 2xx, blocking nothing. A restart neither
 * repeats nor forgets one, except that an alert whose answer a crash cut off is sent again under its `id`.
 */
import { randomUUID } from "node:crypto"
import { Clock, Duration, Effect, Latch, Layer, Option, Redacted, Schedule, Schema } from "effect"
import { HttpBody, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import { ServiceSettings, Settings } from "../../config/Settings.ts"
import * as Instant from "../Domain/Instant.ts"
import { led } from "../Runtime/Leadership.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { Store } from "../Stores/Store.ts"
import { shownUrl } from "../Intake/Subscription.ts"
import { Workers } from "./Workers.ts"

export interface AlertOptions {
  /** It may hold a secret: many services put one in the path. */
  readonly url: Redacted.Redacted
  /** Tells this worker from others. */
  readonly instance: string
  readonly dataDir: string
}

const AlertRecord = Schema.Struct({
  id: Schema.String,
  status: Schema.Literals(["red", "recovered"]),
  at: Schema.String,
  since: Schema.String,
  reasons: Schema.Array(Schema.String),
  /** Absent in an older version's alerts: then none counts as new. */
  kinds: Schema.optionalKey(Schema.Array(Schema.String)),
  instance: Schema.String,
  dataDir: Schema.String
})
type AlertRecord = typeof AlertRecord.Type

const lookEvery = Duration.seconds(1)
const settleMs = 5_000
const longestSettleMs = 300_000
const flappingMs = 3_600_000
const betweenReasonsMs = 60_000
const trustMs = 30_000
const requestTimeout = Duration.seconds(10)
const pauses = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("60 seconds")]).pipe(Schedule.jittered)
/** Kept after their delivery; the newest one says what was sent last. */
const keptAlerts = 100
const reasonKey = "alert"

export const layerWith = (
  options: AlertOptions
): Layer.Layer<never, never, Store | Reasons | Workers | HttpClient.HttpClient> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const written = yield* Latch.make(true)
      const look = yield* watcher(options, written)
      yield* Effect.forkScoped(led("the watch over Status", Effect.andThen(look, Effect.sleep(lookEvery))))
      yield* Effect.forkScoped(led("alerts", deliver(options, written)))
    })
  )

/** Does nothing if no URL is configured. */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { alertUrl, dataDir } = yield* Settings
    const { webhookUrl } = yield* ServiceSettings
    const instance = shownUrl(webhookUrl)
    return Option.match(alertUrl, { onNone: () => Layer.empty, onSome: (url) => layerWith({ url, instance, dataDir }) })
  })
)

/** Compares Status with the last alert, and writes the next one if there is news. */
const watcher = ({ dataDir, instance }: AlertOptions, written: Latch.Latch) =>
  Effect.gen(function* () {
    const store = yield* Store
    const reasons = yield* Reasons
    const startedMs = yield* Clock.currentTimeMillis
    const seen = { isRed: false, sinceMs: startedMs, hasNewKind: false, newKindSinceMs: startedMs }
    return Effect.gen(function* () {
      // Read each time: another worker may have led, and sent alerts, before.
      const sent = yield* load(store)
      // Without its own reason: an alert that can't be delivered would cause the next.
      const active = new Map([...(yield* reasons.allBut(reasonKey)), ...(yield* ofOthers)])
      const nowMs = yield* Clock.currentTimeMillis
      const last = sent.at(-1)
      const kinds = kindsOf(last, active)
      const isRed = active.size > 0
      const hasNewKind = kinds.length > (last?.kinds ?? kinds).length
      if (isRed !== seen.isRed) Object.assign(seen, { isRed, sinceMs: nowMs })
      if (hasNewKind !== seen.hasNewKind) Object.assign(seen, { hasNewKind, newKindSinceMs: nowMs })
      if (isRed === (last?.status === "red")) {
        if (!isRed || !hasNewKind || nowMs - millisOf(last) < betweenReasonsMs) return
        if (nowMs - seen.newKindSinceMs < settleOf(sent, nowMs)) return
      } else if (nowMs - seen.sinceMs < settleOf(sent, nowMs) || (!isRed && nowMs - startedMs < trustMs)) return
      const isTurn = isRed && last?.status !== "red"
      const next: AlertRecord = {
        id: randomUUID(),
        status: isRed ? "red" : "recovered",
        at: Instant.fromMillis(nowMs),
        since: isTurn ? Instant.fromMillis(seen.sinceMs) : (last?.since ?? Instant.fromMillis(startedMs)),
        reasons: [...active.values()],
        kinds: isRed ? kinds : [],
        instance,
        dataDir
      }
      yield* insert(store, next)
      yield* written.open
    }).pipe(Effect.catchTag("StoreError", (error) => Effect.logDebug("An alert can't be written yet", error)))
  })

/** The reasons of the other workers that are up, one kind per worker. */
const ofOthers = Effect.gen(function* () {
  const workers = yield* (yield* Workers).all
  return workers
    .filter((worker) => worker.isUp && !worker.isThis && worker.reasons.length > 0)
    .map(
      ({ host, pid, reasons }) =>
        [`worker ${host} ${pid}`, `The worker ${pid} on ${host}: ${reasons.join(" ")}`] as const
    )
})

/** Includes all those sent since Status turned red, even if they have ended: one that returns isn't new. */
const kindsOf = (last: AlertRecord | undefined, active: ReadonlyMap<string, string>): ReadonlyArray<string> => [
  ...new Set([...(last?.status === "red" ? (last.kinds ?? active.keys()) : []), ...active.keys()])
]

const millisOf = (alert: AlertRecord | undefined): number =>
  alert === undefined ? 0 : Instant.toMicros(alert.at) / 1000

const settleOf = (sent: ReadonlyArray<AlertRecord>, nowMs: number): number => {
  const recent = sent.filter((each) => millisOf(each) > nowMs - flappingMs).length
  return Math.min(settleMs * 2 ** recent, longestSettleMs)
}

const decoded = Schema.decodeUnknownEffect(Schema.fromJsonString(AlertRecord))

const load = (store: Store["Service"]) =>
  Effect.flatMap(
    store.run((db) => db.selectFrom("alerts").select("body").orderBy("id").execute()),
    (rows) => Effect.orDie(Effect.forEach(rows, ({ body }) => decoded(body)))
  )

const insert = (store: Store["Service"], alert: AlertRecord) =>
  store.transaction((tx) =>
    tx
      .insertInto("alerts")
      .values({ status: alert.status, body: JSON.stringify(alert), delivered_at: null })
      .execute()
  )

/** In order, each until it is accepted. */
const deliver = Effect.fnUntraced(function* ({ url }: AlertOptions, written: Latch.Latch) {
  const store = yield* Store
  const reasons = yield* Reasons
  yield* written.await
  // Closed before looking: an alert written from here on opens it again.
  yield* written.close
  const attempt = Effect.gen(function* () {
    for (const { body, id } of yield* undelivered(store)) {
      yield* post(url, body)
      yield* settle(store, id, Instant.fromMillis(yield* Clock.currentTimeMillis))
      yield* reasons.clear(reasonKey)
    }
  })
  yield* attempt.pipe(
    Effect.tapError(({ message }) => reasons.set(reasonKey, `Alerts can't be delivered for now: ${message}`)),
    Effect.retry(pauses),
    Effect.orDie
  )
})

const undelivered = (store: Store["Service"]) =>
  store.run((db) =>
    db.selectFrom("alerts").select(["id", "body"]).where("delivered_at", "is", null).orderBy("id").execute()
  )

const settle = (store: Store["Service"], id: number, at: Instant.Instant) =>
  store.transaction(async (tx) => {
    await tx.updateTable("alerts").set({ delivered_at: at }).where("id", "=", id).execute()
    await tx
      .deleteFrom("alerts")
      .where("id", "<=", id - keptAlerts)
      .execute()
  })

/** Its message names no URL. */
class AlertError extends Schema.TaggedError<AlertError>()("AlertError", { message: Schema.String }) {}

const failed = (what: string) => new AlertError({ message: `SITELEDGER_ALERT_URL ${what}.` })

const post = Effect.fnUntraced(function* (url: Redacted.Redacted, body: string) {
  const client = yield* HttpClient.HttpClient
  const request = HttpClientRequest.post(Redacted.value(url)).pipe(
    HttpClientRequest.setBody(HttpBody.text(body, "application/json"))
  )
  const { status } = yield* client.execute(request).pipe(
    Effect.timeout(requestTimeout),
    // A span would name the URL.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.scoped,
    Effect.mapError((error) => failed(why(error)))
  )
  if (status < 200 || status >= 300) return yield* failed(`answers ${status}`)
})

const why = (error: unknown): string => {
  if (!HttpClientError.isHttpClientError(error)) return "doesn't answer within 10 seconds"
  const { reason } = error
  const code = "cause" in reason ? (reason.cause as { readonly code?: unknown } | undefined)?.code : undefined
  return `can't be reached (${typeof code === "string" ? code : reason._tag})`
}
