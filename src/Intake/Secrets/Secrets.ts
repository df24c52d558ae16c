/**
 * Secrets keeps the webhook secrets: sealed in the Store, opened into the Keyring, added and ended by people.
 *
 * Guarantees: `add` and `keep` return after the secret is on disk, sealed; a change holds for the next delivery; the
 * last secret that stays valid ends only when a person insists. One that is to end and is still used becomes a reason
 * until it has not been used for an hour. When it was last used is written once a minute, and at the end; dying
 * in between forgets the last minute. Secrets of the environment live in memory only.
 */
import { Clock, Context, Duration, Effect, Layer, Redacted, Schema, Semaphore } from "effect"
import type { Transaction } from "kysely"
import * as Instant from "../../Domain/Instant.ts"
import { Reasons } from "../../Runtime/Reasons.ts"
import { Seal } from "../../Runtime/Seal.ts"
import { Store, type StoreError } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"
import { isEnding, Keyring, type Secret, secret as secretOf } from "./Keyring.ts"
import * as Kept from "./KeptSecrets.ts"
import { listed, listedLoan, type ListedSecret, variable } from "./ListedSecret.ts"
import * as Uses from "./SecretUses.ts"
import * as Shared from "./SharedSecrets.ts"

/** What a person asked for can't be done; `message` says why and what can. */
export class SecretsError extends Schema.TaggedError<SecretsError>()("SecretsError", { message: Schema.String }) {}

export interface SecretsStatus {
  readonly valid: number
  /** Of the valid ones: those that a person has retired for a time to come. */
  readonly ending: number
  readonly unreadable: number
  /** Deliveries since the start that were signed with one that was to end. */
  readonly signedByEnding: number
}

export interface Retirement {
  readonly after: Duration.Duration
  /** Also the last one that stays valid. */
  readonly isForced: boolean
}

export class Secrets extends Context.Service<
  Secrets,
  {
    /** Valid from now on, until this process ends; never written. */
    readonly lend: (secret: Redacted.Redacted) => void
    /** Valid from now on; `keep` puts it on disk. */
    readonly learn: (subscriptionId: number, secret: string) => Secret
    /** In one transaction with `and`. */
    readonly keep: (
      secret: Secret,
      and: (tx: Transaction<StoreTables>) => Promise<unknown>
    ) => Effect.Effect<void, StoreError>
    /** By hand. One that is valid already stays as it is. */
    readonly add: (secret: Redacted.Redacted) => Effect.Effect<ListedSecret, StoreError>
    /** All secrets of this fingerprint. */
    readonly retire: (
      fingerprint: string,
      how: Retirement
    ) => Effect.Effect<ReadonlyArray<ListedSecret>, StoreError | SecretsError>
    readonly list: Effect.Effect<ReadonlyArray<ListedSecret>, StoreError>
    readonly status: Effect.Effect<SecretsStatus>
  }
>()("siteledger/Receiver/Secrets") {
  static readonly layer: Layer.Layer<Secrets, StoreError, Keyring | Store | Seal | Reasons> = Layer.effect(
    Secrets,
    Effect.suspend(() => make)
  )
}

const make = Effect.gen(function* () {
  const store = yield* Store
  const seal = yield* Seal
  const keyring = yield* Keyring
  const fingerprint = yield* Kept.fingerprints(store, seal)
  yield* Kept.sealPlain(store, seal, fingerprint)
  const unreadable = yield* open
  yield* Uses.tellUnreadable(unreadable)
  yield* Uses.watch

  yield* Shared.follow
  const oneAtATime = yield* Semaphore.make(1)
  const context = yield* Effect.context<Store | Seal | Keyring | Reasons>()
  const inTurn = <A, E>(change: Effect.Effect<A, E, Store | Seal | Keyring | Reasons>) =>
    Effect.provideContext(oneAtATime.withPermit(change), context)
  const learn = (text: string, subscriptionId: number | null): Secret => {
    const learned = secretOf(text, { fingerprint: fingerprint(text), subscriptionId })
    keyring.hold(learned)
    return learned
  }
  return Secrets.of({
    lend: (given) => void learn(Redacted.value(given), null),
    learn: (subscriptionId, text) => learn(text, subscriptionId),
    keep: (secret, and) => inTurn(keep(secret, and)),
    add: (given) => inTurn(add(Redacted.value(given), fingerprint)),
    retire: (known, how) => inTurn(retire(known, how, unreadable)),
    list: Effect.provideContext(list(unreadable), context),
    status: Effect.sync(() => ({
      valid: keyring.valid().length,
      ending: keyring.valid().filter(isEnding).length,
      unreadable: unreadable.size,
      signedByEnding: keyring.endingUses()
    }))
  })
})

/** Rows whose secret can't be opened, by id. */
type Unreadable = Map<number, Kept.Row>

/** Holds what can be opened. */
const open = Effect.gen(function* () {
  const keyring = yield* Keyring
  const seal = yield* Seal
  const at = yield* Kept.now
  const unreadable: Unreadable = new Map()
  for (const row of yield* Kept.load(yield* Store)) {
    if (row.sealed === null || Kept.isOver(row, at)) continue
    const text = yield* Kept.opened(seal, row)
    if (text === undefined) unreadable.set(row.id, row)
    else keyring.hold(Shared.held(text, row))
  }
  return unreadable
})

const keep = Effect.fnUntraced(function* (secret: Secret, and: (tx: Transaction<StoreTables>) => Promise<unknown>) {
  const store = yield* Store
  const { fingerprint, key, subscriptionId } = secret
  const sealed = Kept.sealed(yield* Seal, key.export().toString("utf8"))
  const row = yield* store.transaction(async (tx) => {
    const filled = await Kept.fill(tx, Number(subscriptionId), { sealed, fingerprint })
    await and(tx)
    return filled
  })
  secret.id = row.id
})

const add = Effect.fnUntraced(function* (text: string, fingerprintOf: Kept.Fingerprint) {
  const store = yield* Store
  const seal = yield* Seal
  const keyring = yield* Keyring
  const at = yield* Kept.now
  const { key, fingerprint } = secretOf(text, { fingerprint: fingerprintOf(text) })
  const already = keyring.valid().find((each) => each.id !== undefined && !isEnding(each) && each.key.equals(key))
  const known = (yield* Kept.load(store)).find(({ id }) => id === already?.id)
  if (known !== undefined) return listed(known, at, already)
  const row = yield* store.transaction((tx) => Kept.insert(tx, { sealed: Kept.sealed(seal, text), fingerprint }, at))
  keyring.hold(Shared.held(text, row))
  yield* Effect.logInfo(`The webhook secret ${fingerprint} is valid from now on`)
  return listed(row, at)
})

const retire = Effect.fnUntraced(function* (fingerprint: string, how: Retirement, unreadable: Unreadable) {
  const store = yield* Store
  const keyring = yield* Keyring
  const nowMs = yield* Clock.currentTimeMillis
  const at = Instant.fromMillis(nowMs)
  const standing = (yield* Kept.load(store)).filter((row) => !Kept.isOver(row, at))
  const ids = standing.filter((row) => row.fingerprint === fingerprint).map(({ id }) => id)
  if (ids.length === 0) return yield* unknown(fingerprint, keyring.valid(), standing)
  const isChosen = ({ id }: Secret): boolean => id !== undefined && ids.includes(id)
  const chosen = keyring.valid().filter(isChosen)
  const isLast = !keyring.valid().some((secret) => !isChosen(secret) && !isEnding(secret))
  if (chosen.length > 0 && isLast && !how.isForced) return yield* last(fingerprint)
  const expiresAtMs = nowMs + Duration.toMillis(how.after)
  const rows = yield* store.transaction((tx) => Kept.retire(tx, ids, at, Instant.fromMillis(expiresAtMs)))
  for (const secret of chosen) keyring.end(secret, nowMs, expiresAtMs)
  for (const id of ids) unreadable.delete(id)
  yield* Uses.tellUnreadable(unreadable)
  yield* Uses.tellEnding
  yield* Effect.logInfo(`The webhook secret ${fingerprint} ends at ${Instant.fromMillis(expiresAtMs)}`)
  return rows.map((row) => listed(row, at))
})

const last = (fingerprint: string) =>
  new SecretsError({
    message:
      `${fingerprint} is the last webhook secret that stays valid: without it every delivery is refused. ` +
      "Add its successor first (`siteledger secret add`), or insist with --force."
  })

const unknown = (fingerprint: string, valid: ReadonlyArray<Secret>, rows: ReadonlyArray<Kept.Row>) => {
  const known = [...new Set(rows.map((row) => row.fingerprint))].join(", ") || "none"
  const isLent = valid.some((secret) => secret.fingerprint === fingerprint)
  return new SecretsError({
    message: isLent
      ? `${fingerprint} comes from ${variable}: take it out there and start the worker again.`
      : `No webhook secret that is kept and not over yet has the fingerprint ${fingerprint}. There are: ${known}.`
  })
}

const list = Effect.fnUntraced(function* (unreadable: Unreadable) {
  const keyring = yield* Keyring
  const at = yield* Kept.now
  const valid = keyring.valid()
  const lent = valid.filter(({ id, subscriptionId }) => id === undefined && subscriptionId === null)
  const kept = (yield* Kept.load(yield* Store)).map((row) => {
    const shown = listed(
      row,
      at,
      valid.find(({ id }) => id === row.id)
    )
    return unreadable.has(row.id) ? { ...shown, state: "unreadable" as const } : shown
  })
  return [...lent.map(listedLoan), ...kept]
})
