/**
 * The subscription to the service's events (interface document §2.3, §4.2): made once, kept in the Store, and made
 * again only when the callback URL or the list of events changes. The document shows no way to list or delete
 * one, so an old one keeps its secret and its path, and Status names it as one to delete.
 *
 * The intent is on disk before the request: when we die before its answer is stored, the secret is lost, and
 * the next start makes another subscription and says so. With `SITELEDGER_WEBHOOK_SECRET` (a subscription made
 * by hand) nothing is created.
 */
import { Clock, Deferred, Duration, Effect, Layer, Redacted, Schema } from "effect"
import type { Selectable } from "kysely"
import { ServiceSettings } from "../../config/Settings.ts"
import * as Instant from "../../src/Instant.ts"
import * as Json from "../../src/Json.ts"
import { Reasons } from "../../src/Reasons.ts"
import { Receiver } from "../../src/Receiver.ts"
import type { SourceError } from "../../src/Source.ts"
import { Store } from "../../src/Store.ts"
import type { StoreTables } from "../../src/Store/Tables.ts"
import { Subscription } from "../../src/Subscription.ts"
import { Subscription as Created } from "./ConstructionApi.ts"
import { ConstructionClient, NotAsPromised } from "./ConstructionClient.ts"
import { subscribable } from "./ConstructionEvents.ts"
import { Secrets } from "./ConstructionWebhooks.ts"

type Row = Selectable<StoreTables["subscriptions"]>

export const layer: Layer.Layer<
  Subscription,
  never,
  ServiceSettings | Store | Secrets | ConstructionClient | Reasons | Receiver
> = Layer.effect(
  Subscription,
  Effect.suspend(() => make)
)

const refusedPause = Duration.seconds(60)
const reasonKey = "subscription"

const make = Effect.gen(function* () {
  const settings = yield* ServiceSettings
  const secrets = yield* Secrets
  const store = yield* Store
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  // Deliveries may come in before we ask for any: from an earlier subscription, or a very early ping.
  yield* Receiver
  const url = settings.webhookUrl.href
  const events = JSON.stringify((settings.webhookEvents ?? subscribable).toSorted())
  const rows = yield* Effect.orDie(store.run((db) => db.selectFrom("subscriptions").selectAll().execute()))
  for (const { secret, url: given } of rows) {
    secrets.addUrl(given)
    if (secret !== null) secrets.add(secret)
  }
  for (const secret of settings.webhookSecrets) secrets.add(Redacted.value(secret))
  const isByHand = settings.webhookSecrets.length > 0
  const attempted = yield* Deferred.make<void>()
  const current = { row: rows.find((row) => isStanding(row, url, events)), verifiedAt: null as string | null }
  current.verifiedAt = current.row?.verified_at ?? null

  secrets.onAccepted = (isPing) => {
    if (current.verifiedAt !== null || !(isPing || isByHand)) return
    runFork(verified(store, current))
  }
  const subscribe = Effect.gen(function* () {
    if (!isByHand && current.row === undefined) current.row = yield* create(url, events)
    yield* Deferred.succeed(attempted, undefined)
  })
  yield* Effect.forkScoped(untilDone(subscribe, attempted))

  return Subscription.of({
    attempted: Deferred.await(attempted),
    status: Effect.map(Effect.orDie(obsoleteUrls(store)), (obsolete) => ({
      url,
      verifiedAt: current.verifiedAt,
      obsolete
    }))
  })
})

const isStanding = (row: Row, url: string, events: string): boolean =>
  row.url === url && row.events === events && row.secret !== null && row.retired_at === null

/** A refusal needs a person; the walks go on without a subscription meanwhile. */
const untilDone = <E extends { readonly message: string }, R>(
  subscribe: Effect.Effect<unknown, E, R>,
  attempted: Deferred.Deferred<void>
) =>
  Effect.gen(function* () {
    const reasons = yield* Reasons
    while (true) {
      const outcome = yield* Effect.result(subscribe)
      if (outcome._tag === "Success") return yield* reasons.clear(reasonKey)
      yield* reasons.set(reasonKey, `There is no subscription to events. ${outcome.failure.message}`)
      yield* Deferred.succeed(attempted, undefined)
      yield* Effect.sleep(refusedPause)
    }
  })

const now = Effect.map(Clock.currentTimeMillis, Instant.fromMillis)

const create = Effect.fn("Subscription.create")(function* (url: string, events: string) {
  const store = yield* Store
  const secrets = yield* Secrets
  const at = yield* now
  const intent = yield* store.transaction((tx) =>
    tx
      .insertInto("subscriptions")
      .values({ url, events, secret: null, created_at: at, verified_at: null, retired_at: null })
      .returningAll()
      .executeTakeFirstOrThrow()
  )
  secrets.creating()
  const secret = yield* request(url, events).pipe(
    Effect.tap((created) => Effect.sync(() => secrets.add(created))),
    // Refused for good: nothing was made, so there is nothing to remember.
    Effect.tapError(() =>
      store.transaction((tx) => tx.deleteFrom("subscriptions").where("id", "=", intent.id).execute())
    ),
    Effect.ensuring(Effect.sync(secrets.settled))
  )
  yield* store.transaction(async (tx) => {
    await tx.updateTable("subscriptions").set({ secret }).where("id", "=", intent.id).execute()
    await tx
      .updateTable("subscriptions")
      .set({ retired_at: at })
      .where("id", "<>", intent.id)
      .where("retired_at", "is", null)
      .execute()
  })
  yield* Effect.logInfo(`Subscribed ${url}`)
  return { ...intent, secret }
})

const request = (url: string, events: string): Effect.Effect<string, SourceError, ConstructionClient> =>
  Effect.flatMap(ConstructionClient, (client) =>
    client.call(
      "event",
      (api) =>
        api.webhooks.create({
          payload: { url, events: JSON.parse(events) as ReadonlyArray<string> },
          responseMode: "response-only"
        }),
      ({ text }) =>
        Schema.decodeUnknownEffect(Schema.Struct({ secret: Created.fields.secret }))(Json.parse(text)).pipe(
          Effect.map(({ secret }) => secret),
          Effect.mapError(() => new NotAsPromised({ message: "POST /webhooks answered without a secret." }))
        )
    )
  )

const verified = Effect.fnUntraced(function* (
  store: Store["Service"],
  current: { row: Row | undefined; verifiedAt: string | null }
) {
  const at = yield* now
  current.verifiedAt = at
  const id = current.row?.id
  if (id === undefined) return
  yield* Effect.ignore(
    store.transaction((tx) => tx.updateTable("subscriptions").set({ verified_at: at }).where("id", "=", id).execute())
  )
})

/** Retired ones, and those whose answer (and with it their secret) was lost. */
const obsoleteUrls = (store: Store["Service"]) =>
  Effect.map(
    store.run((db) => db.selectFrom("subscriptions").select("url").where("retired_at", "is not", null).execute()),
    (rows) => rows.map((row) => row.url)
  )
