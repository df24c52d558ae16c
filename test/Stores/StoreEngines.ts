/** The engines of the Store, each as a layer that brings an empty one: what the contract is held against. */
import { Effect, Layer, Redacted } from "effect"
import { Postgres } from "../../src/Stores/Postgres/Postgres.ts"
import type { Store } from "../../src/Stores/Store.ts"
import * as PostgresStore from "../../src/Stores/Postgres/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import * as Databases from "../Postgres.ts"
import { removeFolder, temporaryFolder } from "../RunningWorker.ts"

/** Where a Store lies: opened again, it holds what was written. */
export interface Place {
  readonly layer: Layer.Layer<Store, unknown>
}

const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) => Effect.sync(() => removeFolder(path)))

const database = Effect.acquireRelease(
  Effect.promise(() => Databases.database()),
  (own) =>
    Effect.promise(async () => {
      await own[Symbol.asyncDispose]()
    })
)

const inSqlite = Effect.map(folder, (path): Place => ({ layer: Sqlite.layerAt(`${path}/store.sqlite`) }))

const inPostgres = Effect.map(database, ({ url }): Place => ({
  layer: Layer.provide(PostgresStore.layer, Postgres.layerAt(Redacted.make(url)))
}))

export const engines = [
  { name: "SQLite", isSkipped: false, place: inSqlite },
  { name: "PostgreSQL", isSkipped: Databases.skipped !== undefined, place: inPostgres }
]
