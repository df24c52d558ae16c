/**
 * Secrets keeps the webhook secrets: sealed in the Store, opened into the Keyring, added and retired by people.
 *
 * Guarantees: `add` and `keep` return after the secret is on disk, sealed. Once a change has returned, it applies to
 * the next delivery, including in the receiver's thread. The last secret that stays valid is retired only by force.
 * Changes by another worker on the same Store arrive within two seconds, or at once when a delivery has an unknown
 * signature; while a subscription is being created, such a delivery waits up to five seconds. Secrets from the
 * environment are kept only in memory.
 */
import { Clock, Context, Duration, Effect, Layer, Redacted, Schema, Semaphore } from "effect"
import type { Transaction } from "kysely"
import * as Instant from "../Domain/Instant.ts"
import * as Beat from "../Runtime/Beat.ts"
import { Reasons } from "../Runtime/Reasons.ts"
import { Seal } from "../Runtime/Seal.ts"
import { supervised } from "../Runtime/Supervisor.ts"
import { Store, type StoreError } from "../Stores/Store.ts"
import type { StoreTables } from "../Stores/StoreTables.ts"
import { isEnding, Keyring, type Secret, secret as secretOf, reportEnding, watchUses } from "./Secrets/Keyring.ts"
import * as Rows from "./Secrets/Rows.ts"
import * as LogLine from "../Runtime/LogLine.ts"

/** A person's request can't be fulfilled; `message` says why and what to do instead. */
export class SecretsError extends Schema.TaggedError<SecretsError>()("SecretsError", { message: Schema.String }) {}

export interface SecretsStatus {
  readonly valid: number
  /** Secrets that a person has retired and that are still valid. */
  readonly ending: number
  readonly unreadable: number
  /** Deliveries signed with a retired secret, since the start. */
  readonly signedByEnding: number
}

export interface Retirement {
  readonly after: Duration.Duration
  /** Retires even the last secret that stays valid. */
  readonly isForced: boolean
}

type Services = Store | Seal | Keyring | Reasons

export class Secrets extends Context.Service<
  Secrets,
  {
    /** Valid until this process ends; never written. */
    readonly lend: (secret: Redacted.Redacted) => void
    /** Valid from now on; `keep` writes it to disk. */
    readonly learn: (subscriptionId: number, secret: string) => Secret
    /** In one transaction with `and`. */
    readonly keep: (
      secret: Secret,
      and: (tx: Transaction<StoreTables>) => Promise<unknown>
    ) => Effect.Effect<void, StoreError>
    /** Added by hand. A secret that is already valid stays as it is. */
    readonly add: (secret: Redacted.Redacted) => Effect.Effect<Rows.ListedSecret, StoreError>
    /** All secrets with this fingerprint. */
    readonly retire: (
      fingerprint: string,
      how: Retirement
    ) => Effect.Effect<ReadonlyArray<Rows.ListedSecret>, StoreError | SecretsError>
    readonly list: Effect.Effect<ReadonlyArray<Rows.ListedSecret>, StoreError>
    readonly status: Effect.Effect<SecretsStatus>
  }
>()("siteledger/Intake/Secrets") {
  static readonly layer: Layer.Layer<Secrets, StoreError, Services> = Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const keyring = yield* Keyring
      const fingerprint = yield* Rows.fingerprints(yield* Store, yield* Seal)
      const unreadable: Unreadable = new Map()
      yield* look(unreadable)
      yield* watchUses
      yield* follow(look(unreadable))
      const oneAtATime = yield* Semaphore.make(1)
      const context = yield* Effect.context<Services>()
      const told = Effect.promise(keyring.told)
      const inTurn = <A, E>(change: Effect.Effect<A, E, Services>) =>
        Effect.provideContext(Effect.tap(oneAtATime.withPermit(change), told), context)
      const learn = (text: string, subscriptionId: number | null): Secret => {
        const learned = secretOf(text, { fingerprint: fingerprint(text), subscriptionId })
        keyring.hold(learned)
        return learned
      }
      return Secrets.of({
        lend: (secret) => void learn(Redacted.value(secret), null),
        learn: (subscriptionId, text) => learn(text, subscriptionId),
        keep: (secret, and) => inTurn(keep(secret, and)),
        add: (secret) => inTurn(Effect.tap(add(Redacted.value(secret), fingerprint), look(unreadable))),
        retire: (known, how) => inTurn(Effect.tap(retire(known, how), Effect.andThen(look(unreadable), reportEnding))),
        list: Effect.provideContext(list(unreadable), context),
        status: Effect.sync(() => ({
          valid: keyring.valid().length,
          ending: keyring.valid().filter(isEnding).length,
          unreadable: unreadable.size,
          signedByEnding: keyring.endingUses()
        }))
      })
    })
  )
}

const lookEvery = Duration.seconds(2)
const lookAgainAfter = Duration.millis(250)
const patienceMs = 5_000
/** After this time, an answer that should bring a secret no longer counts as pending. */
const creationMs = 60_000

/** Rows whose secret can't be decrypted, by id. */
type Unreadable = Map<number, Rows.Row>

/** Updates the Keyring from the Store; returns true while a secret is awaited. */
const look = Effect.fnUntraced(function* (unreadable: Unreadable) {
  const keyring = yield* Keyring
  const seal = yield* Seal
  const nowMs = yield* Clock.currentTimeMillis
  const at = Instant.fromMillis(nowMs)
  const known = new Map(keyring.valid().map((each) => [each.id, each]))
  const rows = yield* Rows.load(yield* Store)
  unreadable.clear()
  let isComing = false
  for (const row of rows) {
    const before = known.get(row.id)
    const expiresAtMs = Rows.millis(row.expires_at) ?? Number.POSITIVE_INFINITY
    if (before !== undefined && before.expiresAtMs !== expiresAtMs) {
      keyring.end(before, Rows.millis(row.retired_at) ?? nowMs, expiresAtMs)
    }
    if (before !== undefined || Rows.hasExpired(row, at)) continue
    if (row.sealed === null) isComing ||= nowMs - (Rows.millis(row.added_at) ?? 0) < creationMs
    else {
      const text = yield* Rows.opened(seal, row)
      if (text === undefined) unreadable.set(row.id, row)
      else if (!keyring.valid().some((each) => isLearned(each, row, text))) keyring.hold(held(text, row))
    }
  }
  yield* Rows.reportUnreadable(unreadable)
  return isComing
})

const held = (text: string, row: Rows.Row): Secret =>
  secretOf(text, {
    id: row.id,
    fingerprint: row.fingerprint,
    subscriptionId: row.subscription_id,
    retiredAtMs: Rows.millis(row.retired_at),
    expiresAtMs: Rows.millis(row.expires_at) ?? Number.POSITIVE_INFINITY,
    lastUsedMs: Rows.millis(row.last_used_at)
  })

/** This worker has just received the secret and is about to store it. */
const isLearned = (known: Secret, row: Rows.Row, text: string): boolean =>
  known.id === undefined && known.subscriptionId === row.subscription_id && known.key.export().toString("utf8") === text

/** Follows changes by other workers. */
const follow = Effect.fnUntraced(function* (looked: ReturnType<typeof look>) {
  const keyring = yield* Keyring
  const { pollEvery, stamp } = yield* Store
  const context = yield* Effect.context<Services>()
  const isComing = Effect.orElseSucceed(looked, () => false)
  const pause = Duration.max(lookEvery, pollEvery)
  const changes = Beat.whenChanged(pause, stamp("webhook_secrets"), looked)
  yield* Effect.forkScoped(supervised("the search for other workers' secrets", changes))
  const untilKnown = Effect.gen(function* () {
    const untilMs = (yield* Clock.currentTimeMillis) + patienceMs
    while ((yield* isComing) && (yield* Clock.currentTimeMillis) < untilMs) yield* Effect.sleep(lookAgainAfter)
  })
  let looking: Promise<void> | undefined
  keyring.lookAgain = () => {
    // Forged deliveries share one search and the pause after it.
    looking ??= Effect.runPromiseWith(context)(untilKnown).finally(() =>
      setTimeout(() => (looking = undefined), Duration.toMillis(lookAgainAfter)).unref()
    )
    return looking
  }
})

const keep = Effect.fnUntraced(function* (secret: Secret, and: (tx: Transaction<StoreTables>) => Promise<unknown>) {
  const store = yield* Store
  const { fingerprint, key, subscriptionId } = secret
  const sealed = Rows.sealed(yield* Seal, key.export().toString("utf8"))
  const row = yield* store.transaction(async (tx) => {
    const filled = await Rows.fill(tx, Number(subscriptionId), { sealed, fingerprint })
    await and(tx)
    return filled
  })
  secret.id = row.id
})

const add = Effect.fnUntraced(function* (text: string, fingerprintOf: Rows.Fingerprint) {
  const store = yield* Store
  const seal = yield* Seal
  const keyring = yield* Keyring
  const at = yield* Rows.now
  const { key, fingerprint } = secretOf(text, { fingerprint: fingerprintOf(text) })
  const already = keyring.valid().find((each) => each.id !== undefined && !isEnding(each) && each.key.equals(key))
  const known = (yield* Rows.load(store)).find(({ id }) => id === already?.id)
  if (known !== undefined) return Rows.listed(known, at, already?.lastUsedMs)
  const row = yield* store.transaction((tx) => Rows.insert(tx, { sealed: Rows.sealed(seal, text), fingerprint }, at))
  yield* LogLine.write("secret.added", { fingerprint })
  return Rows.listed(row, at)
})

const retire = Effect.fnUntraced(function* (fingerprint: string, how: Retirement) {
  const store = yield* Store
  const { valid } = yield* Keyring
  const nowMs = yield* Clock.currentTimeMillis
  const at = Instant.fromMillis(nowMs)
  const current = (yield* Rows.load(store)).filter((row) => !Rows.hasExpired(row, at))
  const ids = current.filter((row) => row.fingerprint === fingerprint).map(({ id }) => id)
  if (ids.length === 0) return yield* unknown(fingerprint, valid(), current)
  const isChosen = ({ id }: Secret): boolean => id !== undefined && ids.includes(id)
  const isLast = valid().some(isChosen) && !valid().some((secret) => !isChosen(secret) && !isEnding(secret))
  if (isLast && !how.isForced) return yield* last(fingerprint)
  const expiresAt = Instant.fromMillis(nowMs + Duration.toMillis(how.after))
  const rows = yield* store.transaction((tx) => Rows.retire(tx, ids, at, expiresAt))
  yield* LogLine.write("secret.retired", { fingerprint, ends_at: expiresAt })
  return rows.map((row) => Rows.listed(row, at))
})

const last = (fingerprint: string) =>
  new SecretsError({
    message:
      `${fingerprint} is the last webhook secret that stays valid: without it every delivery is refused. ` +
      "Add its successor first (`siteledger secret add`), or use --force."
  })

const unknown = (fingerprint: string, valid: ReadonlyArray<Secret>, rows: ReadonlyArray<Rows.Row>) => {
  const known = [...new Set(rows.map((row) => row.fingerprint))].join(", ") || "none"
  const isLent = valid.some((secret) => secret.fingerprint === fingerprint)
  return new SecretsError({
    message: isLent
      ? `${fingerprint} comes from ${Rows.variable}: remove it there and restart the worker.`
      : `No stored, unexpired webhook secret has the fingerprint ${fingerprint}. There are: ${known}.`
  })
}

const list = Effect.fnUntraced(function* (unreadable: ReadonlyMap<number, Rows.Row>) {
  const { valid } = yield* Keyring
  const at = yield* Rows.now
  const used = new Map(valid().map(({ id, lastUsedMs }) => [id, lastUsedMs]))
  const lent = valid().filter(({ id, subscriptionId }) => id === undefined && subscriptionId === null)
  const kept = (yield* Rows.load(yield* Store)).map((row) => {
    const shown = Rows.listed(row, at, used.get(row.id))
    return unreadable.has(row.id) ? { ...shown, state: "unreadable" as const } : shown
  })
  return [...lent.map(({ fingerprint, lastUsedMs }) => Rows.listedLoan(fingerprint, lastUsedMs)), ...kept]
})
