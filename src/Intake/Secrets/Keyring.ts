/**
 * The Keyring: the webhook secrets that are valid now, in memory, as the receiver needs them on its hot path.
 *
 * A secret is held as a key object, which no log and no JSON can show. Once its time is over it isn't given out any
 * more. Where secrets are kept and who ends them is up to Secrets.
 */
import { createSecretKey, type KeyObject } from "node:crypto"
import { Clock, Context, Effect, Latch, Layer } from "effect"

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
    /** Looks for secrets that another worker has learned; set by whoever keeps them. */
    lookAgain: () => Promise<void>
    /** Deliveries signed with secrets that were to end, since the start. */
    readonly endingUses: () => number
  }
>()("siteledger/Receiver/Keyring") {
  static readonly layer: Layer.Layer<Keyring> = Layer.effect(
    Keyring,
    Effect.suspend(() => make)
  )
  /** With one secret that lives in memory only. */
  static readonly layerHolding = (text: string): Layer.Layer<Keyring> =>
    Layer.effect(
      Keyring,
      Effect.tap(
        Effect.suspend(() => make),
        ({ hold }) => Effect.sync(() => hold(secret(text, { fingerprint: "held" })))
      )
    )
}

const make = Effect.gen(function* () {
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
