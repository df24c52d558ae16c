/**
 * Creates a subscription (interface document §4.2). Every successful request creates another one, and only its answer
 * shows its secret.
 *
 * The intent is on disk before the request. If the answer is lost (the process died, a time-out, a reset, an answer
 * without a secret), there may be a subscription that we can't verify: it stays in the Store as one to delete, and another
 * is created. A clear refusal, or a request that was never sent, leaves nothing behind.
 */
import { Duration, Effect, Schedule, Schema } from "effect"
import { HttpClientError, type HttpClientResponse } from "effect/http"
import type { Selectable, Transaction } from "kysely"
import * as Json from "../../src/Domain/Json.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { codeOf } from "../../src/Runtime/SystemFailure.ts"
import type { Secret } from "../../src/Intake/Secrets/Keyring.ts"
import * as SecretRows from "../../src/Intake/Secrets/Rows.ts"
import { Secrets } from "../../src/Intake/Secrets.ts"
import { SourceError } from "../../src/Walk/Source.ts"
import { Store, type StoreError } from "../../src/Stores/Store.ts"
import { shownUrl } from "../../src/Intake/Subscription.ts"
import type { StoreTables } from "../../src/Stores/StoreTables.ts"
import { Subscription as Created } from "./ConstructionApi.ts"
import { ConstructionClient, NotAsPromised } from "./ConstructionClient.ts"
import { Callbacks } from "./ConstructionWebhooks.ts"

export type Row = Selectable<StoreTables["subscriptions"]>

export interface Wanted {
  readonly url: string
  /** JSON array, sorted. */
  readonly events: string
}

/** Requests that may have created a subscription whose secret we don't know. */
interface Doubts {
  count: number
}

/**
 * `onIntent` gets the row before the request is sent, and `onAnswer` runs after each request, answered or not. The new
 * subscription retires all others.
 */
export const create = Effect.fn("Subscription.create")(function* (
  wanted: Wanted,
  onIntent: (row: Row) => void,
  onAnswer: Effect.Effect<unknown>
) {
  const store = yield* Store
  const secrets = yield* Secrets
  const callbacks = yield* Callbacks
  const reasons = yield* Reasons
  const at = yield* SecretRows.now
  const intent = yield* store.transaction((tx) => insert(tx, { ...wanted, created_at: at, retired_at: null }))
  onIntent(intent)
  const doubts: Doubts = { count: 0 }
  callbacks.creating()
  // Once there is an answer, stopping must not lose it.
  yield* Effect.uninterruptibleMask((interruptible) =>
    interruptible(request(wanted, doubts, onAnswer)).pipe(
      Effect.onError(() => (doubts.count === 0 ? Effect.ignore(forget(store, intent)) : Effect.void)),
      Effect.map((text) => {
        doubts.count--
        return secrets.learn(intent.id, text)
      }),
      Effect.ensuring(Effect.sync(callbacks.settled)),
      Effect.flatMap((secret) => {
        const kept = keep(secret, intent, doubts)
        const later = interruptible(Effect.retry(Effect.delay(kept, keepAgain), Schedule.forever))
        return Effect.catchTag(kept, "StoreError", () => later)
      })
    )
  )
  yield* reasons.clear(unkeptKey)
  yield* Effect.logInfo(`Subscribed ${shownUrl(wanted.url)}`)
})

const keepAgain = Duration.seconds(10)

/** The subscription exists: while its secret can't be stored, creating another one wouldn't help. */
const keep = Effect.fnUntraced(function* (secret: Secret, intent: Row, doubts: Doubts) {
  const secrets = yield* Secrets
  const reasons = yield* Reasons
  const { created_at, events, url } = intent
  const lost = doubts.count > 0 ? { url, events, created_at, retired_at: yield* SecretRows.now } : undefined
  yield* Effect.tapError(
    secrets.keep(secret, (tx) => supersede(tx, intent, lost)),
    ({ message }) => reasons.set(unkeptKey, `A new subscription's secret isn't stored yet: ${message}`)
  )
})

const unkeptKey = "subscription secret"

type Fresh = Pick<Row, "url" | "events" | "created_at" | "retired_at">

const insert = async (tx: Transaction<StoreTables>, fresh: Fresh): Promise<Row> => {
  const row = await tx
    .insertInto("subscriptions")
    .values({ ...fresh, verified_at: null })
    .returningAll()
    .executeTakeFirstOrThrow()
  await SecretRows.reserve(tx, row.id, row.created_at)
  return row
}

const forget = (store: Store["Service"], { id }: Row): Effect.Effect<void, StoreError> =>
  store.transaction(async (tx) => {
    await SecretRows.release(tx, id)
    await tx.deleteFrom("subscriptions").where("id", "=", id).execute()
  })

const supersede = async (tx: Transaction<StoreTables>, { id, created_at: at }: Row, lost: Fresh | undefined) => {
  await tx
    .updateTable("subscriptions")
    .set({ retired_at: at })
    .where("id", "<>", id)
    .where("retired_at", "is", null)
    .execute()
  if (lost !== undefined) await insert(tx, lost)
}

const request = (
  { events, url }: Wanted,
  doubts: Doubts,
  onAnswer: Effect.Effect<unknown>
): Effect.Effect<string, SourceError, ConstructionClient> =>
  Effect.flatMap(ConstructionClient, (client) =>
    client.call(
      "event",
      (api) =>
        Effect.suspend(() => {
          doubts.count++
          const payload = { url, events: JSON.parse(events) as ReadonlyArray<string> }
          return api.webhooks.create({ payload, responseMode: "response-only" })
        }).pipe(
          Effect.tap((response) => Effect.sync(() => void (isRefusal(response) && doubts.count--))),
          Effect.tapError((error) => Effect.sync(() => void (wasNeverSent(error) && doubts.count--))),
          Effect.ensuring(onAnswer)
        ),
      ({ text }) =>
        Schema.decodeUnknownEffect(Schema.Struct({ secret: Created.fields.secret }))(Json.parse(text)).pipe(
          Effect.map(({ secret }) => secret),
          Effect.mapError(() => new NotAsPromised({ message: "POST /webhooks answered without a secret." }))
        )
    )
  ).pipe(Effect.mapError(withAdvice))

/** After a 5xx other than 503 the service may have created it. */
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
