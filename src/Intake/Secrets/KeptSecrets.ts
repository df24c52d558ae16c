/**
 * Webhook secrets in the Store: sealed, one row each, and the fingerprints that people know them by. Nothing else
 * writes the table.
 *
 * A row is there before the subscription is asked for: without its secret it stands for one that may exist and whose
 * secret we never learned. Secrets that an older version kept in the clear are sealed at the first start; their bytes
 * are gone from the file and its log when `sealPlain` returns, and a death in the middle is made good by the next one.
 */
import { createHmac, randomBytes } from "node:crypto"
import { Clock, Effect } from "effect"
import { type Kysely, type Selectable, sql, type Transaction } from "kysely"
import * as Instant from "../../Domain/Instant.ts"
import type { Seal } from "../../Runtime/Seal.ts"
import { readMeta, type Store, StoreError, writeMeta } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"

type Tx = Transaction<StoreTables>
export type Row = Selectable<StoreTables["webhook_secrets"]>

const purpose = "webhook secret"

export const sealed = (seal: Seal["Service"], secret: string): string => seal.seal(secret, purpose)

/** Undefined: sealed with a key that we don't have. */
export const opened = (seal: Seal["Service"], row: Pick<Row, "sealed">): Effect.Effect<string | undefined> =>
  row.sealed === null ? Effect.undefined : Effect.orElseSucceed(seal.open(row.sealed, purpose), () => undefined)

export const isOver = ({ expires_at: expiresAt }: Row, at: Instant.Instant): boolean =>
  expiresAt !== null && expiresAt <= at

export type Fingerprint = (secret: string) => string

const fingerprintKey = "webhook_fingerprint_key"
const fingerprintDigits = 8

/**
 * Keyed, as a plain hash of a secret that a person made up could be guessed. With the key lost, so are the secrets, and
 * new fingerprints are as good.
 */
export const fingerprints = (store: Store["Service"], seal: Seal["Service"]) =>
  Effect.gen(function* () {
    const fresh = randomBytes(32).toString("hex")
    const stored = yield* store.transaction((tx) => kept(tx, seal.seal(fresh, fingerprintKey)))
    const known = yield* Effect.option(seal.open(stored, fingerprintKey))
    if (known._tag === "Some") return fingerprintBy(known.value)
    if (store.engine === "postgres") return yield* otherKey
    yield* store.transaction((tx) => writeMeta(tx, fingerprintKey, seal.seal(fresh, fingerprintKey)))
    return fingerprintBy(fresh)
  })

/** What is there already, or else this. */
const kept = async (tx: Tx, sealedKey: string): Promise<string> => {
  await tx
    .insertInto("meta")
    .values({ key: fingerprintKey, value: sealedKey })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await readMeta(tx, fingerprintKey)) ?? sealedKey
}

/** One worker alone may lose its key; one of several would make a subscription that the others can't verify. */
const otherKey = new StoreError({
  reason: "Unusable",
  message:
    "The secrets in this database were sealed with another key: give all workers the same SITELEDGER_KEY. If that key " +
    `is lost, delete the row ${fingerprintKey} from siteledger.meta: then a new subscription is made.`
})

const fingerprintBy =
  (key: string): Fingerprint =>
  (secret) =>
    createHmac("sha256", key).update(secret).digest("hex").slice(0, fingerprintDigits)

/** A place for the secret of a subscription that is about to be made. */
export const reserve = (tx: Kysely<StoreTables>, subscriptionId: number, at: Instant.Instant) =>
  tx
    .insertInto("webhook_secrets")
    .values({ ...blank, subscription_id: subscriptionId, fingerprint: `lost-${subscriptionId}`, added_at: at })
    .execute()

const blank = { subscription_id: null, sealed: null, retired_at: null, expires_at: null, last_used_at: null }

/** No such subscription was made. */
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

const scrubKey = "plain_secrets_to_scrub"

/** Seals what lies in the clear, then makes the file anew without the bytes. */
export const sealPlain = Effect.fnUntraced(function* (
  store: Store["Service"],
  seal: Seal["Service"],
  fingerprint: Fingerprint
) {
  const unkept = yield* store.run((db) =>
    db
      .selectFrom("subscriptions")
      .leftJoin("webhook_secrets", "webhook_secrets.subscription_id", "subscriptions.id")
      .select(["subscriptions.id", "subscriptions.secret", "subscriptions.created_at"])
      .where("webhook_secrets.id", "is", null)
      .execute()
  )
  if (unkept.length > 0) {
    yield* store.transaction(async (tx) => {
      for (const { id, secret, created_at: at } of unkept) {
        await reserve(tx, id, at)
        if (secret === null) continue
        await fill(tx, id, { sealed: sealed(seal, secret), fingerprint: fingerprint(secret) })
        await tx.updateTable("subscriptions").set({ secret: null }).where("id", "=", id).execute()
        await writeMeta(tx, scrubKey, "due")
      }
    })
  }
  if ((yield* store.run((db) => readMeta(db, scrubKey))) === undefined) return
  // A disk without room for it must not keep the worker from starting.
  yield* Effect.catchTag(scrub(store), "StoreError", ({ message }) =>
    Effect.logWarning(`Old bytes of secrets could not be wiped from the store; the next start tries again: ${message}`)
  )
})

const scrub = (store: Store["Service"]) =>
  Effect.gen(function* () {
    yield* Effect.logInfo("The store is being made anew, without the secrets that lay in it in the clear")
    yield* store.run((db) => sql`vacuum`.execute(db))
    yield* store.run((db) => sql`pragma wal_checkpoint(truncate)`.execute(db))
    yield* store.transaction((tx) => tx.deleteFrom("meta").where("key", "=", scrubKey).execute())
  })

export const now = Effect.map(Clock.currentTimeMillis, Instant.fromMillis)
