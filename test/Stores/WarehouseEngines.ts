/** The engines of the Warehouse, each as a layer with an empty one and its Store. */
import { Effect, Layer, Redacted } from "effect"
import { Postgres } from "../../src/Stores/Postgres/Postgres.ts"
import type { Store } from "../../src/Stores/Store.ts"
import * as PostgresStore from "../../src/Stores/Postgres/Store.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import type { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Warehouse.ts"
import * as PostgresWarehouse from "../../src/Stores/Postgres/Warehouse.ts"
import * as Databases from "../Postgres.ts"
import { database } from "./Postgres/World.ts"
import { removeFolder, temporaryFolder } from "../Folders.ts"

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
