/**
 * The Keyring: the webhook secrets that are valid now, in memory, as the receiver needs them on its hot path, and how
 * they are used: when each last was (saved once a minute), and what a person should know of it.
 *
 * A secret is held as a key object, which no log and no JSON can show. Once its time is over it isn't given out any
 * more. One that is to end and is still used means that deliveries will be refused when it ends: that is a reason until
 * it has not been used for an hour, or is over.
 */
import { createSecretKey, type KeyObject } from "node:crypto"
import { Clock, Context, Duration, Effect, Latch, Layer } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import { Reasons } from "../../Runtime/Reasons.ts"
import { supervised } from "../../Runtime/Supervisor.ts"
import { Store } from "../../Stores/Store.ts"
import * as Rows from "./Rows.ts"

/** One secret that deliveries may be signed with. */
export interface Secret {
  /** Null: of a subscription made by hand. */
  readonly subscriptionId: number | null
  readonly fingerprint: string
  readonly key: KeyObject
  /** Its row in the Store; undefined: it lives in memory only. */
  id: number | undefined
  /** When a person said that it is to end; undefined: nobody has. */
  retiredAtMs: number | undefined
  /** Exclusive. Infinity: it stays valid. Changed by `end` only. */
  expiresAtMs: number
  /** When a delivery signed with it was last stored. */
  lastUsedMs: number | undefined
}

/** A person has retired it for a time to come. */
export const isEnding = ({ retiredAtMs }: Secret): boolean => retiredAtMs !== undefined

/** A secret that stays valid until somebody ends it. */
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
  // As a key: given a Buffer, createHmac spends 12 of its 14 µs on finding out that it is none.
  key: createSecretKey(text, "utf8")
})

export class Keyring extends Context.Service<
  Keyring,
  {
    /** In the order in which they were held. */
    readonly valid: () => ReadonlyArray<Secret>
    readonly hold: (secret: Secret) => void
    /** A person has said at `retiredAtMs` that it is to end then. */
    readonly end: (secret: Secret, retiredAtMs: number, expiresAtMs: number) => void
    /** A delivery signed with it is on disk. */
    readonly used: (secret: Secret) => void
    /** Opened whenever a secret that is to end was used. */
    readonly endingUsed: Latch.Latch
    /** Looks for secrets that another worker has learned; set by Secrets. */
    lookAgain: () => Promise<void>
    /** Deliveries signed with secrets that were to end, since the start. */
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
      const put = (secrets: ReadonlyArray<Secret>): void => {
        held = secrets
        nextEndMs = Math.min(...secrets.map(({ expiresAtMs }) => expiresAtMs))
      }
      return Keyring.of({
        valid: () => {
          // Nothing is filtered, nor the time asked for, while no secret is to end.
          if (nextEndMs === Number.POSITIVE_INFINITY) return held
          const now = clock.currentTimeMillisUnsafe()
          if (now >= nextEndMs) put(held.filter(({ expiresAtMs }) => now < expiresAtMs))
          return held
        },
        hold: (secret) => put([...held, secret]),
        end: (secret, retiredAtMs, expiresAtMs) => {
          Object.assign(secret, { retiredAtMs, expiresAtMs })
          put(held)
        },
        used: (secret) => {
          secret.lastUsedMs = clock.currentTimeMillisUnsafe()
          if (!isEnding(secret)) return
          endingUses++
          endingUsed.openUnsafe()
        },
        endingUsed,
        lookAgain: async () => undefined,
        endingUses: () => endingUses
      })
    })
  )
  /** With one secret that lives in memory only. */
  static readonly layerHolding = (text: string): Layer.Layer<Keyring> =>
    Layer.tap(Keyring.layer, (services) =>
      Effect.sync(() => Context.get(services, Keyring).hold(secret(text, { fingerprint: "held" })))
    )
}

const saveEvery = Duration.minutes(1)
const quietMs = Duration.toMillis(Duration.hours(1))
const endingKey = "ending webhook secrets"

/** Looks once a minute, and whenever a secret that is to end was used; saves a last time when the scope closes. */
export const watchUses = Effect.gen(function* () {
  const { endingUsed, valid } = yield* Keyring
  const saved = new Map(valid().map(({ id, lastUsedMs }) => [id, lastUsedMs]))
  const save = saveUses(saved)
  yield* Effect.addFinalizer(() => Effect.ignore(save))
  const minutely = Effect.gen(function* () {
    yield* Effect.sleep(saveEvery)
    yield* Effect.catchTag(save, "StoreError", (error) => Effect.logDebug("The last use can't be saved", error))
    yield* tellEnding
  })
  const onUse = Effect.gen(function* () {
    yield* endingUsed.await
    yield* endingUsed.close
    yield* tellEnding
  })
  yield* tellEnding
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

export const tellEnding = Effect.gen(function* () {
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
