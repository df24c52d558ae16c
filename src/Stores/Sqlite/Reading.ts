/**
 * The file of an embedded Store, opened to be read only: what is written beside it is seen by the next transaction.
 */
import { DatabaseSync } from "node:sqlite"
import { Effect } from "effect"
import { Kysely } from "kysely"
import type { Reader } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"
import { dialect, prepared } from "./Dialect.ts"
import { storeError } from "./Failure.ts"

export const open = Effect.fnUntraced(function* (path: string) {
  const database = yield* Effect.acquireRelease(
    Effect.try({ try: () => new DatabaseSync(path, { readOnly: true, timeout: 5000 }), catch: storeError }),
    (opened) => Effect.sync(() => opened.close())
  )
  const db = new Kysely<StoreTables>({ dialect: dialect(prepared(database)) })
  const attempt = <A>(use: () => Promise<A>) => Effect.tryPromise({ try: use, catch: storeError })
  const reader: Reader = {
    run: (query) => attempt(() => query(db)),
    transaction: (body) => attempt(() => db.transaction().execute(body))
  }
  return reader
})
