/**
 * Creates a subscription (interface document §4.2). Every successful request creates another one, and only its answer
 * shows its secret.
 *
 * The intent of each request is on disk before it is sent. If no answer comes (the process died, a timeout, a reset, a
 * 500), there may be a subscription that we can't verify: it stays in the Store as one to delete, and another is
 * created. If an answer says that it was created, but we find no secret in it, nothing more is created
 * (ConstructionOrphan). A clear refusal, or a request that was never sent, leaves nothing behind.
 */
import { Duration, Effect, Schedule, Schema } from "effect"
import { HttpClientError, type HttpClientResponse } from "effect/http"
import type { Selectable, Transaction } from "kysely"
import { ServiceSettings } from "../../config/Settings.ts"
import type * as Instant from "../../src/Domain/Instant.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { codeOf } from "../../src/Runtime/SystemFailure.ts"
import { isEnding, type Secret } from "../../src/Intake/Secrets/Keyring.ts"
import * as SecretRows from "../../src/Intake/Secrets/Rows.ts"
import { Secrets } from "../../src/Intake/Secrets.ts"
import { SourceError } from "../../src/Walk/Source.ts"
import { Store } from "../../src/Stores/Store.ts"
import { shownUrl } from "../../src/Intake/Subscription.ts"
import type { StoreTables } from "../../src/Stores/StoreTables.ts"
import { type Api, ConstructionClient } from "./ConstructionClient.ts"
import * as Orphan from "./ConstructionOrphan.ts"
import { Callbacks } from "./ConstructionWebhooks.ts"
import * as LogLine from "../../src/Runtime/LogLine.ts"

export type Row = Selectable<StoreTables["subscriptions"]>

export interface Wanted {
  readonly url: string
  /** JSON array, sorted. */
  readonly events: string
}

/** Which subscription is active, and whether one must be created. */
export const decide = (rows: ReadonlyArray<Row>, wanted: Wanted, valid: ReadonlyArray<Secret>, isLent: boolean) => {
  const ours = rows.filter(
    ({ id, retired_at: retiredAt }) =>
      retiredAt === null && valid.some((secret) => secret.subscriptionId === id && !isEnding(secret))
  )
  const row = ours.find(({ events, url }) => url === wanted.url && events === wanted.events)
  const isByHand = isLent || (ours.length === 0 && valid.some(({ subscriptionId }) => subscriptionId === null))
  return { row, mustCreate: row === undefined && !isByHand }
}

/**
 * The service created it, but we can find no secret in its answer. This is noted in the Store, because another request
 * would create another subscription.
 */
export class AnswerUnreadable extends Schema.TaggedError<AnswerUnreadable>()("AnswerUnreadable", {
  message: Schema.String
}) {}

/**
 * `onIntent` gets the row of each request before it is sent, and `onAnswer` runs after each request, answered or not.
 * The new subscription retires all others.
 */
export const create = Effect.fn("Subscription.create")(function* (
  wanted: Wanted,
  onIntent: (row: Row) => void,
  onAnswer: Effect.Effect<unknown>
) {
  const secrets = yield* Secrets
  const callbacks = yield* Callbacks
  const reasons = yield* Reasons
  callbacks.creating()
  // Once there is an answer, stopping must not lose it.
  const { fingerprint } = yield* Effect.uninterruptibleMask((interruptible) =>
    interruptible(request(wanted, onIntent, onAnswer)).pipe(
      Effect.map(({ intent, text }) => ({ intent, secret: secrets.learn(intent.id, text) })),
      Effect.ensuring(Effect.sync(callbacks.settled)),
      Effect.flatMap(({ intent, secret }) => {
        const kept = keep(secret, intent)
        const later = interruptible(Effect.retry(Effect.delay(kept, keepAgain), Schedule.forever))
        return Effect.as(
          Effect.catchTag(kept, "StoreError", () => later),
          secret
        )
      })
    )
  )
  yield* reasons.clear(unkeptKey)
  const events = (JSON.parse(wanted.events) as ReadonlyArray<string>).length
  yield* LogLine.write("subscription.created", { callback: shownUrl(wanted.url), events, fingerprint })
})

const keepAgain = Duration.seconds(10)

/** The subscription exists: while its secret can't be stored, creating another wouldn't help. */
const keep = Effect.fnUntraced(function* (secret: Secret, intent: Row) {
  const secrets = yield* Secrets
  const reasons = yield* Reasons
  yield* Effect.tapError(
    secrets.keep(secret, (tx) => supersede(tx, intent)),
    ({ message }) => reasons.set(unkeptKey, `A new subscription's secret isn't stored yet: ${message}`, "critical")
  )
})

const unkeptKey = "subscription secret"

const insert = async (tx: Transaction<StoreTables>, wanted: Wanted, at: Instant.Instant): Promise<Row> => {
  const row = await tx
    .insertInto("subscriptions")
    .values({ ...wanted, created_at: at, retired_at: null, verified_at: null })
    .returningAll()
    .executeTakeFirstOrThrow()
  await SecretRows.reserve(tx, row.id, row.created_at)
  return row
}

const supersede = (tx: Transaction<StoreTables>, { id, created_at: at }: Row) =>
  tx
    .updateTable("subscriptions")
    .set({ retired_at: at })
    .where("id", "<>", id)
    .where("retired_at", "is", null)
    .execute()

const unreadable = Effect.fnUntraced(function* ({ id }: Row, text: string) {
  const store = yield* Store
  // No other creation may begin until it is noted.
  yield* Effect.retry(
    store.transaction((tx) => Orphan.note(tx, id, text)),
    Schedule.spaced(keepAgain)
  )
  return yield* new AnswerUnreadable({ message: "POST /webhooks answered without a secret that we can find." })
})

/** Each request has its own row, so a request that may have created a subscription stays recorded. */
const request = Effect.fnUntraced(function* (
  wanted: Wanted,
  onIntent: (row: Row) => void,
  onAnswer: Effect.Effect<unknown>
) {
  const client = yield* ConstructionClient
  const store = yield* Store
  const payload = { url: wanted.url, events: JSON.parse(wanted.events) as ReadonlyArray<string> }
  const sent: { created?: Row } = {}
  const undo = ({ id }: Row) => store.transaction((tx) => Orphan.remove(tx, id))
  const send = Effect.fnUntraced(function* (api: Api) {
    if (sent.created !== undefined) return yield* cutOff
    const at = yield* SecretRows.now
    const intent = yield* store.transaction((tx) => insert(tx, wanted, at))
    onIntent(intent)
    const response = yield* api.webhooks
      .create({ payload, responseMode: "response-only" })
      .pipe(Effect.tapError((error) => (wasNeverSent(error) ? undo(intent) : Effect.void)))
    if (isRefusal(response)) yield* undo(intent)
    if (response.status >= 200 && response.status < 300) sent.created = intent
    return response
  })
  const text = yield* client
    .call(
      "event",
      (api) => Effect.ensuring(send(api), onAnswer),
      (answer) => Effect.succeed(answer.text)
    )
    .pipe(
      Effect.catchTag("SourceError", (error) =>
        sent.created === undefined ? Effect.fail(withAdvice(error)) : Effect.succeed("")
      )
    )
  const secret = Orphan.secretIn(text, yield* ServiceSettings)
  const intent = sent.created
  if (intent === undefined) return yield* Effect.die("an answer without a request")
  return secret === undefined ? yield* unreadable(intent, text) : { intent, text: secret }
})

/** The client repeats a request whose answer was cut off. */
const cutOff = new SourceError({ reason: "Refused", message: "The answer to POST /webhooks was cut off." })

/** After a 5xx other than 503, the service may have created it. */
const isRefusal = ({ status }: HttpClientResponse.HttpClientResponse): boolean =>
  (status >= 300 && status < 500) || status === 503

const neverConnected = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT"
])

const wasNeverSent = (error: unknown): boolean => {
  if (!HttpClientError.isHttpClientError(error) || error.reason._tag !== "TransportError") return false
  return neverConnected.has(codeOf(error.reason.cause))
}

/** The client doesn't know which request was refused. */
const withAdvice = (error: SourceError): SourceError =>
  error.reason === "Refused"
    ? error
    : new SourceError({
        reason: "Refused",
        message:
          `${error.message} Check SITELEDGER_WEBHOOK_URL (absolute, and acceptable to the service, which may ` +
          "require https) and SITELEDGER_WEBHOOK_EVENTS."
      })
