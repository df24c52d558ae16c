/**
 * Subscriptions that only a person can delete (interface document §4.4): superseded ones, and those whose secret we
 * don't know. If the service created one with an answer in which we find no secret, this is noted in the Store. Then no
 * other one is created, even after a restart, until a person has added its secret or deleted it.
 */
import { Effect, Schema } from "effect"
import type { Transaction } from "kysely"
import type { ServiceSettings } from "../../config/Settings.ts"
import { documented } from "../../config/WireFiles.ts"
import * as Json from "../../src/Domain/Json.ts"
import * as SecretRows from "../../src/Intake/Secrets/Rows.ts"
import { shownUrl, type SupersededSubscription } from "../../src/Intake/Subscription.ts"
import { readMeta, Store, writeMeta } from "../../src/Stores/Store.ts"
import type { StoreTables } from "../../src/Stores/StoreTables.ts"
import { lookupIn, placesIn } from "./ConstructionPlaces.ts"

const key = "subscription_unreadable"

const Noted = Schema.fromJsonString(Schema.Struct({ id: Schema.Int, fields: Schema.Array(Schema.String) }))

/** The secret in an answer, wherever the contents are. */
export const secretIn = (
  text: string,
  { envelope, fieldAliases }: Pick<ServiceSettings["Service"], "envelope" | "fieldAliases">
): string | undefined => {
  const secret = lookupIn(placesIn(Json.parse(text), envelope.creation), fieldAliases)(["secret"])?.value
  return typeof secret === "string" && secret !== "" ? secret : undefined
}

/** Names that a person may see; the values may be secret. */
const fieldsOf = (text: string): ReadonlyArray<string> =>
  [...new Set(placesIn(Json.parse(text), documented.creation).flatMap((place) => Object.keys(place.fields)))]
    .filter((name) => /^[\w.-]{1,40}$/.test(name))
    .slice(0, 10)

/** `text` says what became of the answer. */
export const note = (tx: Transaction<StoreTables>, id: number, text: string): Promise<unknown> =>
  writeMeta(tx, key, JSON.stringify({ id, fields: fieldsOf(text) }))

const read = Effect.gen(function* () {
  const store = yield* Store
  const text = yield* store.run((db) => readMeta(db, key))
  return text === undefined || text === "" ? undefined : yield* Effect.orDie(Schema.decodeEffect(Noted)(text))
})

/** What a person should do; undefined if there is no such subscription, or a person has deleted it. */
export const sentence = Effect.gen(function* () {
  const noted = yield* read
  if (noted === undefined) return undefined
  const store = yield* Store
  const at = yield* SecretRows.now
  const row = yield* store.run((db) =>
    db
      .selectFrom("webhook_secrets")
      .select(["fingerprint", "added_at"])
      .where("subscription_id", "=", noted.id)
      .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", at)]))
      .executeTakeFirst()
  )
  if (row === undefined) return undefined
  const fields =
    noted.fields.length === 0 ? "it was cut off or is no JSON object" : `its fields: ${noted.fields.join(", ")}`
  return (
    `The service created a subscription at ${row.added_at}, but we find no secret in its answer (${fields}). No other one is ` +
    "created. In the service's Admin → API → Webhooks, copy its secret and run `siteledger secret add`; or delete it and " +
    `run \`siteledger secret retire ${row.fingerprint}\`, and another one is created.`
  )
})

/** Its secret was added by hand, so it is no longer orphaned. */
export const adopt = Effect.gen(function* () {
  const noted = yield* read
  if (noted === undefined) return
  const store = yield* Store
  yield* store.transaction(async (tx) => {
    await writeMeta(tx, key, "")
    await remove(tx, noted.id)
  })
})

/** Removes the row of a request, and the place reserved for its secret. */
export const remove = async (tx: Transaction<StoreTables>, id: number): Promise<void> => {
  await SecretRows.release(tx, id)
  await tx.deleteFrom("subscriptions").where("id", "=", id).execute()
}

/** All except the active one, until a person has retired their secrets. */
export const toDelete = Effect.fnUntraced(function* (activeId: number) {
  const store = yield* Store
  const at = yield* SecretRows.now
  const others = yield* store.run((db) =>
    db
      .selectFrom("subscriptions")
      .innerJoin("webhook_secrets", "webhook_secrets.subscription_id", "subscriptions.id")
      .select(["subscriptions.url", "subscriptions.created_at", "fingerprint", "sealed"])
      .where("subscriptions.id", "<>", activeId)
      .where((where) => where.or([where("expires_at", "is", null), where("expires_at", ">", at)]))
      .orderBy("subscriptions.id")
      .execute()
  )
  return others.map(({ created_at: createdAt, fingerprint, sealed, url }): SupersededSubscription => ({
    url: shownUrl(url),
    createdAt,
    isSecretLost: sealed === null,
    fingerprint
  }))
})
