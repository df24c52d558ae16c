/** The engines of the Warehouse, each as a layer that brings an empty one with its Store. */
import { Effect, Layer, Redacted } from "effect"
import { Postgres } from "../../src/Postgres.ts"
import type { Store } from "../../src/Store.ts"
import * as PostgresStore from "../../src/Store/Postgres.ts"
import * as Sqlite from "../../src/Store/Sqlite.ts"
import type { Warehouse } from "../../src/Warehouse.ts"
import * as DuckDb from "../../src/Warehouse/DuckDb.ts"
import * as PostgresWarehouse from "../../src/Warehouse/Postgres.ts"
import * as Databases from "../Postgres.ts"
import { database } from "../Postgres/World.ts"
import { removeFolder, temporaryFolder } from "../RunningWorker.ts"

type Engine = Layer.Layer<Warehouse | Store, unknown>

export const folder = Effect.acquireRelease(Effect.sync(temporaryFolder), (path) =>
  Effect.sync(() => removeFolder(path))
)

const duckDb: Engine = Layer.unwrap(
  Effect.map(folder, (path) =>
    DuckDb.layerAt(`${path}/warehouse.duckdb`).pipe(Layer.provideMerge(Sqlite.layerAt(`${path}/store.sqlite`)))
  )
)

const postgres: Engine = Layer.unwrap(
  Effect.map(database, ({ url }) =>
    Layer.merge(PostgresStore.layer, PostgresWarehouse.layer).pipe(Layer.provide(Postgres.layerAt(Redacted.make(url))))
  )
)

export const engines: ReadonlyArray<{ readonly name: string; readonly isSkipped: boolean; readonly layer: Engine }> = [
  { name: "DuckDB", isSkipped: false, layer: duckDb },
  { name: "PostgreSQL", isSkipped: Databases.skipped !== undefined, layer: postgres }
]
