/**
 * A Store in PostgreSQL, read through one connection, which sees one point in time in each transaction that asks for
 * it.
 */
import { Effect } from "effect"
import { Kysely, PostgresDialect } from "kysely"
import { Pool, type PoolConfig } from "pg"
import { type Reader, StoreError } from "../Store.ts"
import type { StoreTables } from "../StoreTables.ts"
import * as Failure from "./Failure.ts"
import { GuardedClient } from "./Guarded.ts"
import { openPool } from "./Prompt.ts"
import { valueOf } from "./Values.ts"

/** `name`: the server's name, for messages. */
export const open = Effect.fnUntraced(function* (config: PoolConfig, name: string) {
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() =>
      openPool(new Pool({ ...config, types: { getTypeParser: valueOf }, Client: GuardedClient, max: 1 }))
    ),
    (opened) => Effect.promise(() => opened.end())
  )
  const db = new Kysely<StoreTables>({ dialect: new PostgresDialect({ pool }) })
  const failed = (cause: unknown) => new StoreError(Failure.of(cause, name))
  const attempt = <A>(use: () => Promise<A>) => Effect.tryPromise({ try: use, catch: failed })
  const reader: Reader = {
    run: (query) => attempt(() => query(db)),
    transaction: (body) => attempt(() => db.transaction().execute(body))
  }
  return reader
})
