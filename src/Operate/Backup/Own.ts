/**
 * What a Store knows about its backup: in its meta, and therefore in the backup itself. So a restored Store knows which
 * backup it may continue, and a copy that was started beside its original is detected.
 */
import type { Transaction } from "kysely"
import { Effect, Option, Schema } from "effect"
import { type Store, readMeta, writeMeta } from "../../Stores/Store.ts"
import type { StoreTables } from "../../Stores/StoreTables.ts"

const Own = Schema.Struct({
  owner: Schema.String,
  /** The generation that it has written; null before the first one is complete. */
  generation: Schema.NullOr(Schema.String),
  /** One that is being written, and the logs that it is from. */
  next: Schema.NullOr(Schema.Struct({ generation: Schema.String, rows: Schema.String, inbox: Schema.String })),
  /** A person has since put a backup in the Store's place: it may continue the backup that exists now. */
  isRestored: Schema.Boolean
})
export type Own = typeof Own.Type

const toOwn = Schema.decodeUnknownOption(Schema.fromJsonString(Own))
/** In the Store's meta. */
export const key = "backup"

export const parse = (text: unknown): Own | undefined => Option.getOrUndefined(toOwn(text))

/** For a Store that is rebuilt from a backup: its rows may be from before it knew this. */
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

/** A backup replaces the Store. */
export const restored = async (tx: Transaction<StoreTables>): Promise<void> => {
  const own = parse(await readMeta(tx, key))
  if (own !== undefined) await writeMeta(tx, key, JSON.stringify({ ...own, isRestored: true }))
}
