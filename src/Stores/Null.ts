/**
 * A Store that keeps nothing: every query finds no rows and every change is forgotten. For a client whose pace and
 * token live and die with its process, without a file and without SQLite.
 *
 * It takes no deliveries and makes no backups: both would be promises that it can't keep, so both fail.
 */
import { Duration, Effect, Layer } from "effect"
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from "kysely"
import { Store, StoreError } from "./Store.ts"
import { sqliteQueue } from "./Sqlite/Queue.ts"
import type { StoreTables } from "./StoreTables.ts"

const failed = (cause: unknown) =>
  new StoreError({ reason: "Failed", message: "A query failed that was to find nothing.", cause })

const unkept = new StoreError({ reason: "Failed", message: "This store keeps nothing." })

export const layer: Layer.Layer<Store> = Layer.sync(Store, () => {
  const db = new Kysely<StoreTables>({
    dialect: {
      createAdapter: () => new SqliteAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler()
    }
  })
  return Store.of({
    engine: "sqlite",
    atomically: (effect) => effect,
    pollEvery: Duration.infinity,
    lostKey: Effect.void,
    queue: sqliteQueue,
    run: (query) => Effect.tryPromise({ try: () => query(db), catch: failed }),
    transaction: (body) => Effect.tryPromise({ try: () => db.transaction().execute(body), catch: failed }),
    receive: () => Promise.reject(unkept),
    backup: () => Effect.fail(unkept)
  })
})
