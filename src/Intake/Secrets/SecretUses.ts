/**
 * How the webhook secrets are used: when each last was, saved once a minute, and what a person should know of it.
 *
 * A secret that is to end and is still used means that somebody still signs with it: deliveries will be refused when it
 * ends. That is a reason until it has not been used for an hour, or is over. A secret that can't be opened is one until
 * it can, or until a person retires it.
 */
import { Clock, Duration, Effect } from "effect"
import * as Instant from "../../Domain/Instant.ts"
import { Reasons } from "../../Runtime/Reasons.ts"
import { Store } from "../../Stores/Store.ts"
import { supervised } from "../../Runtime/Supervisor.ts"
import { isEnding, Keyring, type Secret } from "./Keyring.ts"
import * as Kept from "./KeptSecrets.ts"

const saveEvery = Duration.minutes(1)
const quietMs = Duration.toMillis(Duration.hours(1))
const endingKey = "ending webhook secrets"
const unreadableKey = "unreadable webhook secrets"

/** Looks once a minute, and whenever a secret that is to end was used; saves a last time when the scope closes. */
export const watch = Effect.gen(function* () {
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
    yield* Kept.saveUses(yield* Store, fresh)
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

export const tellUnreadable = Effect.fnUntraced(function* (rows: ReadonlyMap<number, Kept.Row>) {
  const reasons = yield* Reasons
  if (rows.size === 0) return yield* reasons.clear(unreadableKey)
  const fingerprints = [...rows.values()].map(({ fingerprint }) => fingerprint).join(", ")
  yield* reasons.set(
    unreadableKey,
    `Stored webhook secrets can't be opened (${fingerprints}), so deliveries signed with them are refused: they were ` +
      "sealed with another key. Start again with that key (SITELEDGER_KEY, or the file key in the data directory). " +
      "If it is lost, delete their subscriptions in the service's Admin → API → Webhooks, add secrets made by hand " +
      "again (`siteledger secret add`), and run `siteledger secret retire` for each fingerprint."
  )
})
