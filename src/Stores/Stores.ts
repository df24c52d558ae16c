/**
 * The Store and the Warehouse of the configured engine. Nothing above this room knows which engine it is.
 */
import { Effect, Layer } from "effect"
import { Settings } from "../../config/Settings.ts"
import * as DuckDb from "./DuckDb/Warehouse.ts"
import { byEngine } from "./Engine.ts"
import * as PostgresLeadership from "./Postgres/Leadership.ts"
import { Postgres, PostgresError } from "./Postgres/Postgres.ts"
import * as PostgresStore from "./Postgres/Store.ts"
import * as PostgresWarehouse from "./Postgres/Warehouse.ts"
import type { Reasons } from "../Runtime/Reasons.ts"
import * as DuckDbWaiting from "./DuckDb/Waiting.ts"
import * as SetAsideNotice from "./SetAsideNotice.ts"
import * as Sqlite from "./Sqlite/Store.ts"
import { Store, StoreError } from "./Store.ts"
import { type Warehouse, WarehouseError } from "./Warehouse.ts"

export type StoresError = StoreError | WarehouseError | PostgresError

/** A conflicting transaction was in the way: the transaction that holds the lock will end, or be ended. */
export const isLocked = (error: unknown): error is StoresError =>
  (error instanceof StoreError || error instanceof PostgresError) && error.reason === "Locked"

/** Damage was found and noted: the next start rebuilds the file. */
export const isDamaged = (error: unknown): error is StoresError =>
  (error instanceof StoreError || error instanceof WarehouseError) && error.reason === "Fatal"

/** Shared by all layers of a worker. */
const postgres = Layer.unwrap(
  Effect.map(Settings, (settings) =>
    byEngine(settings, {
      embedded: () => Layer.effect(Postgres, Effect.die("no server")),
      server: Postgres.layerAt
    })
  )
)

interface Files {
  readonly store: string
  readonly warehouse: string
  readonly memoryMb: number
}
type Layers<A, R> = Layer.Layer<A, StoresError, Settings | R>

const of = <A, R = never>(embedded: (files: Files) => Layers<A, R>, server: Layers<A, R>): Layers<A, R> =>
  Layer.unwrap(
    Effect.map(Settings, (settings) =>
      byEngine(settings, {
        embedded: (files) => embedded({ ...files, memoryMb: settings.memoryMb }),
        server: () => server
      })
    )
  )

const onServer = Layer.merge(PostgresStore.layer, PostgresWarehouse.layer).pipe(Layer.provide(postgres))

export const layer = of<Store | Warehouse>(
  ({ memoryMb, warehouse }) => DuckDb.layerAt(warehouse, memoryMb).pipe(Layer.provideMerge(Sqlite.layer)),
  onServer
)

/**
 * Opens the inbox's files while the warehouse is being opened. If that fails, so does whatever needs them first, which
 * tries again.
 */
const openingInbox = Layer.effectDiscard(
  Effect.flatMap(Store, ({ deliveries }) => Effect.forkScoped(Effect.exit(deliveries.last), { startImmediately: true }))
)

/** For a worker: it starts even if the warehouse's file can't be opened at the moment. */
export const layerWaiting = of<Store | Warehouse, Reasons>(
  ({ memoryMb, store, warehouse }) =>
    DuckDbWaiting.layerAt(warehouse, memoryMb).pipe(
      Layer.provideMerge(openingInbox.pipe(Layer.provideMerge(Sqlite.layer))),
      Layer.merge(SetAsideNotice.layerAt({ store, warehouse }))
    ),
  onServer
)

/** Only the Store: the warehouse isn't opened. */
export const layerStore = of<Store>(() => Sqlite.layer, PostgresStore.layer.pipe(Layer.provide(postgres)))

/** Which of several workers leads. With files there is one worker, which leads by default. */
export const layerLeadership = of<never, Reasons>(
  () => Layer.empty,
  PostgresLeadership.layer.pipe(Layer.provide(postgres))
)
