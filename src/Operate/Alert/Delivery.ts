/**
 * Delivers what was written: alerts and reminders, each kind in order, each until it is answered 2xx.
 */
import { Clock, Duration, Effect, type Latch, Redacted, Schedule, Schema } from "effect"
import { HttpBody, HttpClient, HttpClientError, HttpClientRequest } from "effect/http"
import * as Instant from "../../Domain/Instant.ts"
import { Reasons } from "../../Runtime/Reasons.ts"
import { Store } from "../../Stores/Store.ts"

const tables = ["alerts", "reminders"] as const
type Written = (typeof tables)[number]

const requestTimeout = Duration.seconds(10)
const pauses = Schedule.min([Schedule.exponential("1 second"), Schedule.spaced("60 seconds")]).pipe(Schedule.jittered)
/** Kept after delivery; the newest alert says what was last sent. */
const keptAlerts = 100
export const reasonKey = "alert"

/** `written` is open if there may be something to deliver. */
export const deliver = Effect.fnUntraced(function* (url: Redacted.Redacted, written: Latch.Latch) {
  const store = yield* Store
  const reasons = yield* Reasons
  yield* written.await
  // Closed before looking: an alert written from here on opens it again.
  yield* written.close
  const attempt = Effect.gen(function* () {
    for (const table of tables) {
      for (const { body, id } of yield* undelivered(store, table)) {
        yield* post(url, body)
        yield* settle(store, table, id, Instant.fromMillis(yield* Clock.currentTimeMillis))
        yield* reasons.clear(reasonKey)
      }
    }
  })
  yield* attempt.pipe(
    Effect.tapError(({ message }) => reasons.set(reasonKey, `Alerts can't be delivered for now: ${message}`)),
    Effect.retry(pauses),
    Effect.orDie
  )
})

const undelivered = (store: Store["Service"], table: Written) =>
  store.run((db) =>
    db.selectFrom(table).select(["id", "body"]).where("delivered_at", "is", null).orderBy("id").execute()
  )

const settle = (store: Store["Service"], table: Written, id: number, at: Instant.Instant) =>
  store.transaction(async (tx) => {
    await tx.updateTable(table).set({ delivered_at: at }).where("id", "=", id).execute()
    await tx
      .deleteFrom(table)
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
