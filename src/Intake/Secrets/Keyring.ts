/**
 * The Keyring: the currently valid webhook secrets, in memory for the receiver's hot path, and when each was last used
 * (saved once a minute).
 *
 * A secret is held as a key object, which no log and no JSON can show. An expired secret is no longer returned. If
 * deliveries still use a retired secret, they will be refused when it expires. That is a reason until the secret has
 * been unused for an hour or has expired.
 */
import { createSecretKey, type KeyObject } from "node:crypto"
import { Clock, Context, Duration, Effect, Latch, Layer } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import { Reasons } from "../../Runtime/Reasons.ts"
import { supervised } from "../../Runtime/Supervisor.ts"
import { Store } from "../../Stores/Store.ts"
import * as Rows from "./Rows.ts"

/** One secret with which deliveries may be signed. */
export interface Secret {
  /** Null for a subscription made by hand. */
  readonly subscriptionId: number | null
  readonly fingerprint: string
  readonly key: KeyObject
  /** Its row in the Store; undefined if it is only in memory. */
  id: number | undefined
  /** When a person retired it; undefined if it isn't retired. */
  retiredAtMs: number | undefined
  /** Exclusive. Infinite until it is retired. Changed only by `end`. */
  expiresAtMs: number
  /** When a delivery signed with it was last stored. */
  lastUsedMs: number | undefined
}

/** Whether a person has retired it and it is still to expire. */
export const isEnding = ({ retiredAtMs }: Secret): boolean => retiredAtMs !== undefined

/** A secret that stays valid until a person retires it. */
export const secret = (
  text: string,
  known: Pick<Secret, "fingerprint"> & Partial<Omit<Secret, "key" | "fingerprint">>
): Secret => ({
  id: undefined,
  subscriptionId: null,
  retiredAtMs: undefined,
  expiresAtMs: Number.POSITIVE_INFINITY,
  lastUsedMs: undefined,
  ...known,
  // A key object, because createHmac spends 12 of its 14 µs on converting a Buffer.
  key: createSecretKey(text, "utf8")
})

export class Keyring extends Context.Service<
  Keyring,
  {
    /** In the order in which they were added. */
    readonly valid: () => ReadonlyArray<Secret>
    /** Includes expired ones, which are kept in case a clock that was wrongly set ahead is set back. */
    readonly held: () => ReadonlyArray<Secret>
    readonly hold: (secret: Secret) => void
    /** A person retired it at `retiredAtMs`; it expires at `expiresAtMs`. */
    readonly end: (secret: Secret, retiredAtMs: number, expiresAtMs: number) => void
    /**
     * `tell` is called after each change, and resolves once the change is effective. Returns a function that stops
     * this.
     */
    readonly onChange: (tell: () => Promise<void>) => () => void
    /** Resolves once all changes so far are effective in every thread. */
    readonly told: () => Promise<void>
    /** Deliveries signed with it are on disk. */
    readonly used: (secret: Secret, count?: number) => void
    /** Opened whenever a retired secret was used. */
    readonly endingUsed: Latch.Latch
    /** Looks for secrets that another worker has received; set by Secrets. */
    lookAgain: () => Promise<void>
    /** Deliveries signed with retired secrets, since the start. */
    readonly endingUses: () => number
  }
>()("siteledger/Intake/Keyring") {
  static readonly layer: Layer.Layer<Keyring> = Layer.effect(
    Keyring,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const endingUsed = yield* Latch.make(false)
      let held: ReadonlyArray<Secret> = []
      let nextEndMs = Number.POSITIVE_INFINITY
      let endingUses = 0
      const tellers = new Set<() => Promise<void>>()
      let told: Promise<unknown> = Promise.resolve()
      const put = (secrets: ReadonlyArray<Secret>): void => {
        held = secrets
        nextEndMs = Math.min(...secrets.map(({ expiresAtMs }) => expiresAtMs))
        told = Promise.all([told, ...[...tellers].map((tell) => tell())])
      }
      return Keyring.of({
        valid: () => {
          // While no secret is retired, there is nothing to filter, so the time isn't needed.
          if (nextEndMs === Number.POSITIVE_INFINITY) return held
          const now = clock.currentTimeMillisUnsafe()
          return now < nextEndMs ? held : held.filter(({ expiresAtMs }) => now < expiresAtMs)
        },
        held: () => held,
        hold: (secret) => put([...held, secret]),
        end: (secret, retiredAtMs, expiresAtMs) => {
          Object.assign(secret, { retiredAtMs, expiresAtMs })
          put(held)
        },
        onChange: (tell) => {
          tellers.add(tell)
          return () => tellers.delete(tell)
        },
        told: async () => void (await told),
        used: (secret, count = 1) => {
          secret.lastUsedMs = clock.currentTimeMillisUnsafe()
          if (!isEnding(secret)) return
          endingUses += count
          endingUsed.openUnsafe()
        },
        endingUsed,
        lookAgain: async () => undefined,
        endingUses: () => endingUses
      })
    })
  )
  /** A keyring with one secret, in memory only. */
  static readonly layerWith = (text: string): Layer.Layer<Keyring> =>
    Layer.tap(Keyring.layer, (services) =>
      Effect.sync(() => Context.get(services, Keyring).hold(secret(text, { fingerprint: "held" })))
    )
}

const saveEvery = Duration.minutes(1)
const quietMs = Duration.toMillis(Duration.hours(1))
const endingKey = "ending webhook secrets"

/** Saves and reports once a minute and when the scope closes; also reports whenever a retired secret was used. */
export const watchUses = Effect.gen(function* () {
  const { endingUsed, valid } = yield* Keyring
  const saved = new Map(valid().map(({ id, lastUsedMs }) => [id, lastUsedMs]))
  const save = saveUses(saved)
  yield* Effect.addFinalizer(() => Effect.ignore(save))
  const minutely = Effect.gen(function* () {
    yield* Effect.sleep(saveEvery)
    yield* Effect.catchTag(save, "StoreError", (error) =>
      Effect.logDebug("The last use of secrets can't be saved", error)
    )
    yield* reportEnding
  })
  const onUse = Effect.gen(function* () {
    yield* endingUsed.await
    yield* endingUsed.close
    yield* reportEnding
  })
  yield* reportEnding
  yield* Effect.forkScoped(supervised("the record of secrets in use", minutely))
  yield* Effect.forkScoped(supervised("the watch over ending secrets", onUse))
})

const saveUses = (saved: Map<number | undefined, number | undefined>) =>
  Effect.gen(function* () {
    const { valid } = yield* Keyring
    const fresh = valid().flatMap(({ id, lastUsedMs }) =>
      id === undefined || lastUsedMs === undefined || saved.get(id) === lastUsedMs ? [] : [{ id, ms: lastUsedMs }]
    )
    if (fresh.length === 0) return
    yield* Rows.saveUses(yield* Store, fresh)
    for (const { id, ms } of fresh) saved.set(id, ms)
  })

export const reportEnding = Effect.gen(function* () {
  const reasons = yield* Reasons
  const { valid } = yield* Keyring
  const now = yield* Clock.currentTimeMillis
  const used = valid().filter((secret) => isUsedThoughEnding(secret, now))
  if (used.length === 0) return yield* reasons.clear(endingKey)
  yield* reasons.set(endingKey, used.map(stillUsed).join(" "))
})

const isUsedThoughEnding = (secret: Secret, nowMs: number): boolean =>
  isEnding(secret) && (secret.lastUsedMs ?? 0) > (secret.retiredAtMs ?? 0) && nowMs - (secret.lastUsedMs ?? 0) < quietMs

const stillUsed = ({ fingerprint, expiresAtMs }: Secret): string =>
  `Deliveries are still signed with the webhook secret ${fingerprint}, which ends at ` +
  `${Instant.fromMillis(expiresAtMs)} and will be refused from then on: give the service's subscription its new secret, or delete the subscription that ` +
  "still has the old one (Admin → API → Webhooks)."
