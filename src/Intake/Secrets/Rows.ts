/**
 * Webhook secrets in the Store: sealed, one row each, with the fingerprint that people know them by. Nothing else writes
 * the table.
 *
 * A row is there before the subscription is asked for: without its secret it stands for one that may exist and whose
 * secret we never learned.
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

/** Undefined: sealed with a key that we don't have. */
export const opened = (seal: Seal["Service"], row: Pick<Row, "sealed">): Effect.Effect<string | undefined> =>
  row.sealed === null ? Effect.undefined : Effect.orElseSucceed(seal.open(row.sealed, purpose), () => undefined)

export const isOver = ({ expires_at: expiresAt }: Row, at: Instant.Instant): boolean =>
  expiresAt !== null && expiresAt <= at

export const millis = (instant: Instant.Instant | null): number | undefined =>
  instant === null ? undefined : Instant.toMicros(instant) / 1000

export type Fingerprint = (secret: string) => string

const fingerprintKey = "webhook_fingerprint_key"
const fingerprintDigits = 8

/**
 * Keyed, as a plain hash of a secret that a person made up could be guessed. Where the key is lost, so are the secrets,
 * and new fingerprints are as good.
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

/** What is there already, or else this. */
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

/** A secret as people see it: everything but the secret. */
export interface ListedSecret {
  readonly fingerprint: string
  /** `subscription N`, `by hand`, or the variable it comes from. */
  readonly source: string
  /** lost: we never learned it. unreadable: sealed with a key that we don't have. */
  readonly state: "valid" | "ending" | "retired" | "lost" | "unreadable"
  readonly addedAt: string | null
  readonly retiredAt: string | null
  readonly expiresAt: string | null
  readonly lastUsedAt: string | null
}

export const variable = "SITELEDGER_WEBHOOK_SECRET"

const instant = (ms: number | undefined): string | null => (ms === undefined ? null : Instant.fromMillis(ms))

/** One of the environment, which is in no row. */
export const listedLoan = (fingerprint: string, lastUsedMs: number | undefined): ListedSecret => ({
  fingerprint,
  source: variable,
  state: "valid",
  addedAt: null,
  retiredAt: null,
  expiresAt: null,
  lastUsedAt: instant(lastUsedMs)
})

/** `lastUsedMs`: as it is known in memory, where the secret is valid. */
export const listed = (row: Row, at: Instant.Instant, lastUsedMs?: number): ListedSecret => ({
  fingerprint: row.fingerprint,
  source: row.subscription_id === null ? "by hand" : `subscription ${row.subscription_id}`,
  state: isOver(row, at) ? "retired" : row.sealed === null ? "lost" : row.retired_at === null ? "valid" : "ending",
  addedAt: row.added_at,
  retiredAt: row.retired_at,
  expiresAt: row.expires_at,
  lastUsedAt: instant(lastUsedMs) ?? row.last_used_at
})

const unreadableKey = "unreadable webhook secrets"

/** Until they can be opened, or a person retires them. */
export const tellUnreadable = Effect.fnUntraced(function* (rows: ReadonlyMap<number, Row>) {
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

export const now = Effect.map(Clock.currentTimeMillis, Instant.fromMillis)
