/**
 * What a Store knows of its backup: in its meta, and so in the backup itself. A restored Store thereby knows which backup it
 * may go on with; a copy that was started beside its original is found out.
 */
import type { Transaction } from "kysely"
import { Effect, Option, Schema } from "effect"
import { type Store, readMeta, writeMeta } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"

const Own = Schema.Struct({
  owner: Schema.String,
  /** The generation that it has written; null before the first one is complete. */
  generation: Schema.NullOr(Schema.String),
  /** One that is being written, and of which logs. */
  next: Schema.NullOr(Schema.Struct({ generation: Schema.String, rows: Schema.String, inbox: Schema.String })),
  /** A person has put a backup in the Store's place since: it may go on from whatever its backup is now. */
  isRestored: Schema.Boolean
})
export type Own = typeof Own.Type

const toOwn = Schema.decodeUnknownOption(Schema.fromJsonString(Own))
/** In the Store's meta. */
export const key = "backup"

export const parse = (text: unknown): Own | undefined => Option.getOrUndefined(toOwn(text))

/** Of a Store that is made of a backup: its rows may be from before it knew. */
export const inBackup = (owner: string, generation: string): readonly [key: string, value: string] => [
  key,
  JSON.stringify({ owner, generation, next: null, isRestored: true } satisfies Own)
]

export const read = (store: Store["Service"]) =>
  Effect.map(
    store.run((db) => readMeta(db, key)),
    parse
  )

export const write = (store: Store["Service"], own: Own) =>
  store.transaction((tx) => writeMeta(tx, key, JSON.stringify(own)))

/** A backup takes the place of the Store. */
export const restored = async (tx: Transaction<StoreTables>): Promise<void> => {
  const own = parse(await readMeta(tx, key))
  if (own !== undefined) await writeMeta(tx, key, JSON.stringify({ ...own, isRestored: true }))
}
