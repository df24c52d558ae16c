/** A warehouse of each engine that is opened repeatedly, with other lists switched on. */
import { join } from "node:path"
import { Effect, Layer, Redacted } from "effect"
import type { Scope } from "effect"
import type { Resource } from "../../src/Domain/Resource.ts"
import * as DuckDb from "../../src/Stores/DuckDb/Warehouse.ts"
import { Postgres } from "../../src/Stores/Postgres/Postgres.ts"
import * as PostgresStore from "../../src/Stores/Postgres/Store.ts"
import * as PostgresWarehouse from "../../src/Stores/Postgres/Warehouse.ts"
import { Resources } from "../../src/Stores/Resources.ts"
import * as Sqlite from "../../src/Stores/Sqlite/Store.ts"
import type { Store } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"
import * as Databases from "../Postgres.ts"
import { database } from "./Postgres/World.ts"
import { query } from "./Reading.ts"
import { folder } from "./WarehouseEngines.ts"

type Row = Readonly<Record<string, unknown>>

export interface Place {
  readonly open: <A, E>(
    resources: ReadonlyArray<Resource>,
    use: (warehouse: Warehouse["Service"]) => Effect.Effect<A, E, Store>
  ) => Effect.Effect<A, unknown>
  /** Of the copy for analysts, as text, in the order of their keys. */
  readonly rows: (table: string) => Effect.Effect<ReadonlyArray<Row>, unknown>
  /** Of the same, by DuckDB; `resources`: of the worker that makes it. */
  readonly ask: (text: string, resources?: ReadonlyArray<Resource>) => Effect.Effect<ReadonlyArray<Row>, unknown>
}

interface Engine {
  readonly name: string
  readonly isSkipped: boolean
  readonly within: (use: (place: Place) => Effect.Effect<void, unknown, Scope.Scope>) => Effect.Effect<void, unknown>
}

const placeOf = (layer: Layer.Layer<Warehouse | Store, unknown>, copy: string): Place => {
  const open: Place["open"] = (resources, use) =>
    Effect.flatMap(Warehouse, use).pipe(
      Effect.provide(Layer.fresh(layer).pipe(Layer.provide(Layer.succeed(Resources, resources)))),
      Effect.scoped
    )
  const ask: Place["ask"] = (text, resources = []) =>
    Effect.andThen(
      open(resources, (warehouse) => warehouse.publish(copy)),
      Effect.promise(() => query(copy, text))
    )
  return {
    open,
    ask,
    rows: (table) => ask(`select cast(columns(*) as varchar) from construction."${table}" order by 1`)
  }
}

export const evolvingEngines: ReadonlyArray<Engine> = [
  {
    name: "DuckDB",
    isSkipped: false,
    within: (use) =>
      Effect.flatMap(folder, (path) => {
        const layer = DuckDb.layerAt(join(path, "warehouse.duckdb")).pipe(
          Layer.provideMerge(Sqlite.layerAt(join(path, "store.sqlite")))
        )
        return use(placeOf(layer, join(path, "copy.duckdb")))
      }).pipe(Effect.scoped)
  },
  {
    name: "PostgreSQL",
    isSkipped: Databases.skipped !== undefined,
    within: (use) =>
      Effect.gen(function* () {
        const path = yield* folder
        const { url } = yield* database
        const layer = Layer.merge(PostgresStore.layer, PostgresWarehouse.layer).pipe(
          Layer.provide(Postgres.layerAt(Redacted.make(url)))
        )
        yield* use(placeOf(layer, join(path, "copy.duckdb")))
      }).pipe(Effect.scoped)
  }
]
