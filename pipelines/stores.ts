/**
 * What every pipeline stands on.
 *
 *   Store (SQLite: the system of record) ◄── the seam ──► Warehouse (DuckDB: a projection, made again when it must)
 *
 * or, on a server, both in one database, where a transaction spans them:
 *
 *   Store (PostgreSQL, schema siteledger) ◄── one transaction ──► Warehouse (schema construction)
 */
import { Effect, Layer } from "effect"
import { Settings } from "../config/Settings.ts"
import { Postgres, type PostgresError } from "../src/Stores/Postgres/Postgres.ts"
import { Reasons } from "../src/Runtime/Reasons.ts"
import type { Store, StoreError } from "../src/Stores/Store.ts"
import * as PostgresLeadership from "../src/Stores/Postgres/Leadership.ts"
import * as PostgresStore from "../src/Stores/Postgres/Store.ts"
import * as Sqlite from "../src/Stores/Sqlite/Store.ts"
import type { Warehouse, WarehouseError } from "../src/Stores/Warehouse.ts"
import { Workers } from "../src/Operate/Workers.ts"
import * as DuckDb from "../src/Stores/DuckDb/Warehouse.ts"
import * as PostgresWarehouse from "../src/Stores/Postgres/Warehouse.ts"

/** Of one worker all the same. */
const postgres = Layer.unwrap(
  Effect.map(Settings, ({ warehouse }) =>
    warehouse.engine === "postgres" ? Postgres.layerAt(warehouse.url) : Layer.effect(Postgres, Effect.die("no server"))
  )
)

type Failure = StoreError | WarehouseError | PostgresError

const both = ({ warehouse }: Settings["Service"]): Layer.Layer<Store | Warehouse, Failure, Settings> =>
  warehouse.engine === "duckdb"
    ? DuckDb.layerAt(warehouse.path).pipe(Layer.provideMerge(Sqlite.layer))
    : Layer.merge(PostgresStore.layer, PostgresWarehouse.layer).pipe(Layer.provide(postgres))

const one = ({ warehouse }: Settings["Service"]): Layer.Layer<Store, Failure, Settings> =>
  warehouse.engine === "duckdb" ? Sqlite.layer : PostgresStore.layer.pipe(Layer.provide(postgres))

export const stores = Layer.unwrap(Effect.map(Settings, both)).pipe(Layer.provideMerge(Reasons.layer))

/** For what needs no tables: the warehouse stays untouched. */
export const store = Layer.unwrap(Effect.map(Settings, one))

/** What several workers on one server need to know of each other; nothing where a worker is alone. */
export const others = Layer.unwrap(
  Effect.map(Settings, ({ warehouse }) =>
    warehouse.engine === "duckdb"
      ? Layer.empty
      : Workers.layer.pipe(Layer.provideMerge(PostgresLeadership.layer), Layer.provide(postgres))
  )
)
