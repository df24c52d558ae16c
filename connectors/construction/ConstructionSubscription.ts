/**
 * The subscription to the service's events (interface document §2.3, §4.2): created once, kept in the Store, and
 * created again only if the callback URL or the list of events changes, or if its secret can no longer be decrypted.
 * The document shows no way to list or delete subscriptions. So an old one keeps its secret and its path until a person
 * deletes it and confirms this (`siteledger secret retire`); Status names it until then.
 *
 * A secret added by hand, through the environment or `siteledger secret add`, means that there is already a
 * subscription: none is created. If nothing arrives within a minute, Status says so and gives the likely causes.
 */
import { Clock, Deferred, Duration, Effect, Layer, Option, Schedule } from "effect"
import { ServiceSettings } from "../../config/Settings.ts"
import * as Instant from "../../src/Domain/Instant.ts"
import * as Beat from "../../src/Runtime/Beat.ts"
import { whileLeading } from "../../src/Runtime/Leadership.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Receiver } from "../../src/Intake/Receiver.ts"
import { Keyring, type Secret } from "../../src/Intake/Secrets/Keyring.ts"
import * as SecretRows from "../../src/Intake/Secrets/Rows.ts"
import { Secrets } from "../../src/Intake/Secrets.ts"
import { readMeta, Store, writeMeta } from "../../src/Stores/Store.ts"
import { shownUrl, Subscription } from "../../src/Intake/Subscription.ts"
import { supervised } from "../../src/Runtime/Supervisor.ts"
import { ConstructionClient } from "./ConstructionClient.ts"
import { create, decide, type Row, type Wanted } from "./ConstructionCreation.ts"
import * as Orphan from "./ConstructionOrphan.ts"
import { subscribable } from "./ConstructionEvents.ts"
import { Callbacks } from "./ConstructionWebhooks.ts"

export const layer: Layer.Layer<
  Subscription,
  never,
  ServiceSettings | Store | Keyring | Secrets | Callbacks | ConstructionClient | Reasons | Receiver
> = Layer.effect(
  Subscription,
  Effect.gen(function* () {
    const settings = yield* ServiceSettings
    const secrets = yield* Secrets
    const callbacks = yield* Callbacks
    const store = yield* Store
    // Deliveries may arrive before we subscribe: from an earlier subscription, or a very early ping.
    yield* Receiver
    const wanted: Wanted = {
      url: settings.webhookUrl.href,
      events: JSON.stringify(Option.getOrElse(settings.webhookEvents, () => subscribable).toSorted())
    }
    const rows = yield* Effect.orDie(store.run((db) => db.selectFrom("subscriptions").selectAll().execute()))
    for (const { url } of rows) callbacks.addUrl(url)
    for (const secret of settings.webhookSecrets) secrets.lend(secret)
    const keyring = yield* Keyring
    const { valid } = keyring
    const { row } = decide(rows, wanted, valid(), settings.webhookSecrets.length > 0)
    const standing = yield* restored(row, valid())
    yield* listenFor(standing)
    const attempted = yield* Deferred.make<void>()
    const refresh = refreshed(standing, (now) => decide(now, wanted, valid(), settings.webhookSecrets.length > 0))
    const look = Effect.andThen(
      Effect.promise(() => keyring.lookAgain()),
      refresh
    )
    const subscribe = subscribed(standing, wanted, look, attempted)
    const work = Effect.gen(function* () {
      yield* whileLeading(untilDone(subscribe, attempted))
      // A new subscription may have taken long to create.
      const sinceMs = row === undefined ? yield* Clock.currentTimeMillis : Instant.toMicros(row.created_at) / 1000
      yield* tellUnreached(standing, sinceMs, settings)
    })
    yield* Effect.forkScoped(work)
    const pause = Duration.max(lookEvery, store.pollEvery)
    // The known secrets also determine what has to be done.
    const changes = Effect.map(
      store.stamp("subscriptions"),
      (rows) => `${rows}, ${JSON.stringify(valid().map(shownOf))}`
    )
    yield* Effect.forkScoped(supervised("the look at the subscription", Beat.whenChanged(pause, changes, refresh)))

    return Subscription.of({
      attempted: Deferred.await(attempted),
      status: Effect.suspend(() => Orphan.toDelete(standing.row?.id ?? 0)).pipe(
        Effect.map((toDelete) => ({
          url: shownUrl(wanted.url),
          verifiedAt: standing.verifiedAt,
          obsolete: toDelete.map(({ url }) => url),
          toDelete
        })),
        Effect.provideService(Store, store)
      )
    })
  })
)

/** Runs until there is a subscription, of any worker, or a secret added by hand. */
const subscribed = Effect.fnUntraced(function* <E, R>(
  standing: Standing,
  wanted: Wanted,
  mustCreate: Effect.Effect<boolean, E, R>,
  attempted: Deferred.Deferred<void>
) {
  const reasons = yield* Reasons
  const walk = Deferred.succeed(attempted, undefined)
  /** False if there is now an orphaned subscription. */
  const creation = create(wanted, (intent) => (standing.row = intent), walk).pipe(
    Effect.tapError(() => Effect.sync(() => (standing.row = undefined))),
    Effect.as(true),
    Effect.catchTag("AnswerUnreadable", () => Effect.succeed(false))
  )
  while (yield* mustCreate) {
    const orphan = yield* Orphan.sentence
    if (orphan === undefined) {
      if (yield* creation) return
    } else {
      yield* reasons.set(reasonKey, orphan, "critical")
      yield* walk
      yield* Effect.sleep(lookEvery)
    }
  }
  if (standing.row === undefined) yield* Orphan.adopt
})

const whenRefused = Schedule.min([Schedule.exponential("5 seconds"), Schedule.spaced("5 minutes")])
/** The time for the service's first request. */
const patience = Duration.seconds(60)
const reasonKey = "subscription"
const silentKey = "subscription not reached"

interface Standing {
  /** Undefined if it was made by hand, or not created yet. */
  row: Row | undefined
  verifiedAt: string | null
  /** A delivery signed with its secret has arrived, a ping or an event. */
  isReached: boolean
}

const lookEvery = Duration.seconds(2)

const shownOf = ({ expiresAtMs, id, subscriptionId }: Secret) => [id, subscriptionId, expiresAtMs]

/** Reads the current state from the Store; returns true if a subscription must be created. */
const refreshed = (standing: Standing, judge: (rows: ReadonlyArray<Row>) => ReturnType<typeof decide>) =>
  Effect.gen(function* () {
    const store = yield* Store
    const reasons = yield* Reasons
    const { mustCreate, row } = judge(yield* store.run((db) => db.selectFrom("subscriptions").selectAll().execute()))
    if (row !== undefined) {
      standing.row = row
      standing.verifiedAt ??= row.verified_at
      standing.isReached ||= row.verified_at !== null
      if (standing.isReached) yield* reasons.clear(silentKey)
    }
    return mustCreate
  })

const byHandKey = "subscription_by_hand_verified_at"

const restored = Effect.fnUntraced(function* (row: Row | undefined, valid: ReadonlyArray<Secret>) {
  const store = yield* Store
  const own = valid.filter(({ subscriptionId }) => subscriptionId === (row?.id ?? null))
  const verified = yield* Effect.orDie(store.run((db) => readMeta(db, byHandKey)))
  const [fingerprint, at] = verified?.split(" ") ?? []
  const isKnown = row === undefined && own.some((secret) => secret.fingerprint === fingerprint)
  const verifiedAt = row?.verified_at ?? (isKnown ? at : undefined) ?? null
  const isReached = verifiedAt !== null || own.some(({ lastUsedMs }) => lastUsedMs !== undefined)
  return { row, verifiedAt, isReached } as Standing
})

/** A ping verifies its subscription. One made by hand may have had its ping long before. */
const listenFor = (standing: Standing) =>
  Effect.gen(function* () {
    const callbacks = yield* Callbacks
    const reasons = yield* Reasons
    const runFork = Effect.runForkWith(yield* Effect.context<Store>())
    callbacks.onAccepted = (isPing, secret) => {
      if (secret.subscriptionId !== (standing.row?.id ?? null)) {
        // Another worker has just created it, and this one knows only its secret.
        if (isPing && secret.subscriptionId !== null) runFork(verifiedForAnother(secret.subscriptionId))
        return
      }
      if (!standing.isReached) runFork(reasons.clear(silentKey))
      standing.isReached = true
      if (standing.verifiedAt === null && (isPing || standing.row === undefined)) runFork(verified(standing, secret))
    }
  })

const verifiedForAnother = (id: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    const row = { verified_at: yield* SecretRows.now }
    yield* store.run((db) =>
      db.updateTable("subscriptions").set(row).where("id", "=", id).where("verified_at", "is", null).execute()
    )
  }).pipe(Effect.ignore)

const verified = Effect.fnUntraced(function* (standing: Standing, { fingerprint }: Secret) {
  const store = yield* Store
  const at = yield* SecretRows.now
  standing.verifiedAt = at
  const id = standing.row?.id
  const note = store.transaction((tx) =>
    id === undefined
      ? writeMeta(tx, byHandKey, `${fingerprint} ${at}`)
      : tx.updateTable("subscriptions").set({ verified_at: at }).where("id", "=", id).execute()
  )
  yield* Effect.ignore(note)
})

/** The walks wait this long for the first answer; after that, the subscription is tried while they run. */
const firstAnswer = Duration.seconds(10)

/** A refusal needs a person; meanwhile the walks run without a subscription. */
const untilDone = <E extends { readonly message: string }, R>(
  subscribe: Effect.Effect<unknown, E, R>,
  attempted: Deferred.Deferred<void>
) =>
  Effect.gen(function* () {
    const reasons = yield* Reasons
    const walk = Deferred.succeed(attempted, undefined)
    yield* Effect.forkChild(Effect.delay(walk, firstAnswer))
    const attempt = Effect.tap(Effect.result(subscribe), () => walk)
    yield* Effect.flatMap(attempt, Effect.fromResult).pipe(
      Effect.tapError(({ message }) => reasons.set(reasonKey, `There is no subscription to events. ${message}`)),
      Effect.retry(whenRefused),
      Effect.orDie
    )
    yield* reasons.clear(reasonKey)
  })

/** Runs after the service's time to reach us. */
const tellUnreached = Effect.fnUntraced(function* (
  standing: Standing,
  sinceMs: number,
  settings: ServiceSettings["Service"]
) {
  const reasons = yield* Reasons
  const untilMs = sinceMs + Duration.toMillis(patience)
  yield* Effect.sleep(Math.max(0, untilMs - (yield* Clock.currentTimeMillis)))
  if (!standing.isReached) yield* reasons.set(silentKey, unreached(standing, settings))
})

const unreached = ({ row }: Standing, { webhookListen, webhookUrl }: ServiceSettings["Service"]): string => {
  const address = `${webhookListen.host}:${webhookListen.port}`
  const url = shownUrl(webhookUrl)
  const what =
    row === undefined
      ? `No delivery signed with a secret made by hand has come to ${url} yet.`
      : `Nothing from the subscription created at ${row.created_at} has come to ${url} yet, not even its webhook.ping.`
  return (
    `${what} Most likely the service can't reach that URL: check its name and certificate, the firewall, and that ` +
    `the proxy passes its path on to ${address} (SITELEDGER_WEBHOOK_LISTEN). Then fire a test event in the service's ` +
    "Admin → API → Webhooks."
  )
}
