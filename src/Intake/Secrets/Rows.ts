/**
 * Webhook secrets in the Store: sealed, one row each, with a fingerprint that identifies them to people. Only this
 * module writes the table.
 *
 * A row is inserted before the subscription is requested. A row without a secret means that a subscription may exist
 * whose secret we never received.
 */
import { createHmac, randomBytes } from "node:crypto"
import { Clock, Effect } from "effect"
import type { Kysely, Selectable, Transaction } from "kysely"
import * as Instant from "../../Domain/Instant.ts"
import { Reasons } from "../../Runtime/Reasons.ts"
import type { Seal } from "../../Runtime/Seal.ts"
import { readMeta, type Store, writeMeta } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"

type Tx = Transaction<StoreTables>
export type Row = Selectable<StoreTables["webhook_secrets"]>

const purpose = "webhook secret"

export const sealed = (seal: Seal["Service"], secret: string): string => seal.seal(secret, purpose)

/** Undefined if it is sealed with a key that we don't have. */
export const opened = (seal: Seal["Service"], row: Pick<Row, "sealed">): Effect.Effect<string | undefined> =>
  row.sealed === null ? Effect.undefined : Effect.orElseSucceed(seal.open(row.sealed, purpose), () => undefined)

export const hasExpired = ({ expires_at: expiresAt }: Row, at: Instant.Instant): boolean =>
  expiresAt !== null && expiresAt <= at

export const millis = (instant: Instant.Instant | null): number | undefined =>
  instant === null ? undefined : Instant.toMicros(instant) / 1000

export type Fingerprint = (secret: string) => string

const fingerprintKey = "webhook_fingerprint_key"
const fingerprintDigits = 8

/**
 * A keyed hash, because the plain hash of a secret that a person made up could be guessed. If the key is lost, so are
 * the secrets, so new fingerprints do no harm.
 */
export const fingerprints = (store: Store["Service"], seal: Seal["Service"]) =>
  Effect.gen(function* () {
    const fresh = randomBytes(32).toString("hex")
    const stored = yield* store.transaction((tx) => kept(tx, seal.seal(fresh, fingerprintKey)))
    const known = yield* Effect.option(seal.open(stored, fingerprintKey))
    if (known._tag === "Some") return fingerprintBy(known.value)
    yield* store.lostKey
    yield* store.transaction((tx) => writeMeta(tx, fingerprintKey, seal.seal(fresh, fingerprintKey)))
    return fingerprintBy(fresh)
  })

/** The stored key, or this one if none is stored. */
const kept = async (tx: Tx, sealedKey: string): Promise<string> => {
  await tx
    .insertInto("meta")
    .values({ key: fingerprintKey, value: sealedKey })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await readMeta(tx, fingerprintKey)) ?? sealedKey
}

const fingerprintBy =
  (key: string): Fingerprint =>
  (secret) =>
    createHmac("sha256", key).update(secret).digest("hex").slice(0, fingerprintDigits)

/** Reserves a row for the secret of a subscription that is about to be created. */
export const reserve = (tx: Kysely<StoreTables>, subscriptionId: number, at: Instant.Instant) =>
  tx
    .insertInto("webhook_secrets")
    .values({ ...blank, subscription_id: subscriptionId, fingerprint: `lost-${subscriptionId}`, added_at: at })
    .execute()

const blank = { subscription_id: null, sealed: null, retired_at: null, expires_at: null, last_used_at: null }

/** The subscription was not created after all. */
export const release = (tx: Kysely<StoreTables>, subscriptionId: number) =>
  tx.deleteFrom("webhook_secrets").where("subscription_id", "=", subscriptionId).execute()

export const fill = (tx: Tx, subscriptionId: number, secret: { sealed: string; fingerprint: string }) =>
  tx
    .updateTable("webhook_secrets")
    .set(secret)
    .where("subscription_id", "=", subscriptionId)
    .returningAll()
    .executeTakeFirstOrThrow()

export const insert = (tx: Tx, secret: { sealed: string; fingerprint: string }, at: Instant.Instant) =>
  tx
    .insertInto("webhook_secrets")
    .values({ ...blank, ...secret, added_at: at })
    .returningAll()
    .executeTakeFirstOrThrow()

export const retire = (tx: Tx, ids: ReadonlyArray<number>, at: Instant.Instant, expiresAt: Instant.Instant) =>
  tx
    .updateTable("webhook_secrets")
    .set({ retired_at: at, expires_at: expiresAt })
    .where("id", "in", ids)
    .returningAll()
    .execute()

export const load = (store: Store["Service"]) =>
  store.run((db) => db.selectFrom("webhook_secrets").selectAll().orderBy("id").execute())

export const saveUses = (store: Store["Service"], uses: ReadonlyArray<{ readonly id: number; readonly ms: number }>) =>
  store.transaction(async (tx) => {
    for (const { id, ms } of uses) {
      const at = Instant.fromMillis(ms)
      await tx.updateTable("webhook_secrets").set({ last_used_at: at }).where("id", "=", id).execute()
    }
  })

/** A secret as people see it: everything but the secret. */
export interface ListedSecret {
  readonly fingerprint: string
  /** `subscription N`, `by hand`, or the variable it comes from. */
  readonly source: string
  /** lost: we never received it. unreadable: sealed with a key that we don't have. */
  readonly state: "valid" | "ending" | "retired" | "lost" | "unreadable"
  readonly addedAt: string | null
  readonly retiredAt: string | null
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

export const variable = "SITELEDGER_WEBHOOK_SECRET"

const instant = (ms: number | undefined): string | null => (ms === undefined ? null : Instant.fromMillis(ms))

/** A secret from the environment, which has no row. */
export const listedLoan = (fingerprint: string, lastUsedMs: number | undefined): ListedSecret => ({
  fingerprint,
  source: variable,
  state: "valid",
  addedAt: null,
  retiredAt: null,
  expiresAt: null,
  lastUsedAt: instant(lastUsedMs)
})

/** `lastUsedMs`: from memory, if the secret is valid. */
export const listed = (row: Row, at: Instant.Instant, lastUsedMs?: number): ListedSecret => ({
  fingerprint: row.fingerprint,
  source: row.subscription_id === null ? "by hand" : `subscription ${row.subscription_id}`,
  state: hasExpired(row, at) ? "retired" : row.sealed === null ? "lost" : row.retired_at === null ? "valid" : "ending",
  addedAt: row.added_at,
  retiredAt: row.retired_at,
  expiresAt: row.expires_at,
  lastUsedAt: instant(lastUsedMs) ?? row.last_used_at
})

const unreadableKey = "unreadable webhook secrets"

/** The reason stays until the secrets can be decrypted or a person retires them. */
export const reportUnreadable = Effect.fnUntraced(function* (rows: ReadonlyMap<number, Row>) {
  const reasons = yield* Reasons
  if (rows.size === 0) return yield* reasons.clear(unreadableKey)
  const fingerprints = [...rows.values()].map(({ fingerprint }) => fingerprint).join(", ")
  yield* reasons.set(
    unreadableKey,
    `Stored webhook secrets can't be opened (${fingerprints}), so deliveries signed with them are refused: they were ` +
      "sealed with another key. Start again with that key (SITELEDGER_KEY, or the file key in the data directory). " +
      "If it is lost, delete their subscriptions in the service's Admin → API → Webhooks, add secrets made by hand " +
      "again (`siteledger secret add`), and run `siteledger secret retire` for each fingerprint.",
    "critical"
  )
})

export const now = Effect.map(Clock.currentTimeMillis, Instant.fromMillis)
