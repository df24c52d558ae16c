/**
 * Secrets that another worker on the same Store has learned or ended, brought into this worker's Keyring: every two
 * seconds, and at once when a delivery comes that no known secret has signed. While another worker makes a
 * subscription, whose first delivery may overtake its secret, such a delivery waits for it, up to five seconds.
 */
import { Clock, Duration, Effect } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import { Seal } from "../../Runtime/Seal.ts"
import { Store } from "../../Stores/Store.ts"
import { supervised } from "../../Runtime/Supervisor.ts"
import { Keyring, type Secret, secret as secretOf } from "./Keyring.ts"
import * as Kept from "./KeptSecrets.ts"

const lookEvery = Duration.seconds(2)
const lookAgainAfter = Duration.millis(250)
const patienceMs = 5_000
/** Longer than that nobody waits for the answer that brings a secret. */
const creationMs = 60_000

const ms = (instant: Instant.Instant | null): number | undefined =>
  instant === null ? undefined : Instant.toMicros(instant) / 1000

export const held = (text: string, row: Kept.Row): Secret =>
  secretOf(text, {
    id: row.id,
    fingerprint: row.fingerprint,
    subscriptionId: row.subscription_id,
    retiredAtMs: ms(row.retired_at),
    expiresAtMs: ms(row.expires_at) ?? Number.POSITIVE_INFINITY,
    lastUsedMs: ms(row.last_used_at)
  })

/** Brings the Keyring up to the Store; true when a secret is on its way. */
const look = Effect.gen(function* () {
  const keyring = yield* Keyring
  const seal = yield* Seal
  const nowMs = yield* Clock.currentTimeMillis
  const at = Instant.fromMillis(nowMs)
  const known = new Map(keyring.valid().map((each) => [each.id, each]))
  let isComing = false
  for (const row of yield* Kept.load(yield* Store)) {
    if (Kept.isOver(row, at)) {
      const over = known.get(row.id)
      if (over !== undefined) keyring.end(over, ms(row.retired_at) ?? nowMs, nowMs)
      continue
    }
    if (row.sealed === null) {
      isComing ||= nowMs - (ms(row.added_at) ?? 0) < creationMs
      continue
    }
    const before = known.get(row.id)
    if (before !== undefined) {
      if (row.retired_at !== null && before.retiredAtMs === undefined) {
        keyring.end(before, ms(row.retired_at) ?? nowMs, ms(row.expires_at) ?? nowMs)
      }
      continue
    }
    const text = yield* Kept.opened(seal, row)
    const isLearned = text !== undefined && keyring.valid().some((each) => isSame(each, row, text))
    if (text !== undefined && !isLearned) keyring.hold(held(text, row))
  }
  return isComing
})

/** This worker has just learned it, and is about to put it on disk. */
const isSame = (known: Secret, row: Kept.Row, text: string): boolean =>
  known.id === undefined && known.subscriptionId === row.subscription_id && known.key.export().toString("utf8") === text

export const follow = Effect.gen(function* () {
  const keyring = yield* Keyring
  const { pollEvery } = yield* Store
  const context = yield* Effect.context<Keyring | Seal | Store>()
  const quietly = Effect.orElseSucceed(look, () => false)
  yield* Effect.forkScoped(
    supervised("the look for other workers' secrets", Effect.delay(quietly, Duration.max(lookEvery, pollEvery)))
  )
  const untilKnown = Effect.gen(function* () {
    const untilMs = (yield* Clock.currentTimeMillis) + patienceMs
    while ((yield* quietly) && (yield* Clock.currentTimeMillis) < untilMs) yield* Effect.sleep(lookAgainAfter)
  })
  let looking: Promise<void> | undefined
  keyring.lookAgain = () => {
    // Forged deliveries share one look, and the pause after it.
    looking ??= Effect.runPromiseWith(context)(untilKnown)
      .then(() => undefined)
      .finally(() => setTimeout(() => (looking = undefined), Duration.toMillis(lookAgainAfter)).unref())
    return looking
  }
})
