/** The engines of the Store, each as a layer with an empty one, for the contract's tests. */
import { Effect, Layer, Redacted } from "effect"
import { Postgres } from "../../src/Stores/Postgres/Postgres.ts"
import type { Store } from "../../src/Stores/Store.ts"
import * as PostgresStore from "../../src/Stores/Postgres/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import * as Databases from "../Postgres.ts"
import { database } from "./Postgres/World.ts"
import { folder } from "./WarehouseEngines.ts"

/** The location of a Store, which can be reopened. */
export interface Place {
  readonly layer: Layer.Layer<Store, unknown>
}

export const inSqlite = Effect.map(folder, (path): Place => ({ layer: Sqlite.layerAt(`${path}/store.sqlite`) }))

const inPostgres = Effect.map(database, ({ url }): Place => ({
  layer: Layer.provide(PostgresStore.layer, Postgres.layerAt(Redacted.make(url)))
}))

export const engines = [
  { name: "SQLite", isSkipped: false, place: inSqlite },
  { name: "PostgreSQL", isSkipped: Databases.skipped !== undefined, place: inPostgres }
]
