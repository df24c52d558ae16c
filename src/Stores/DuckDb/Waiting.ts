/**
 * The worker's Warehouse: like `Warehouse`, but a file that can't be opened for now doesn't stop the worker.
 *
 * While it waits, deliveries are stored, the warehouse refuses all work with the reason that Status shows, and the file
 * is tried again every few seconds. Once it can be opened, the pipelines restart on it. Nothing is kept meanwhile, so a
 * crash changes nothing.
 */
import { Duration, Effect, Layer, Option, Schedule } from "effect"
import { Reasons } from "../../Runtime/Reasons.ts"
import { Restart } from "../../Runtime/Restart.ts"
import type { Store, StoreError } from "../Store.ts"
import { Warehouse, WarehouseError, noMirrors } from "../Warehouse.ts"
import { tryNext } from "./OwnFile.ts"
import * as DuckDb from "./Warehouse.ts"

const isWaiting = (error: { readonly _tag: string }): error is WarehouseError =>
  error instanceof WarehouseError && error.reason === "Waiting"

const key = "warehouse"
const laterOn = "Deliveries are applied once it is open."

const firstPause = Duration.millis(500)
const pauses = Schedule.min([Schedule.exponential(firstPause), Schedule.spaced("10 seconds")])

/** Ends when the file can be opened or is found damaged; the next start handles both. */
const awaited = (path: string, first: WarehouseError) =>
  Effect.gen(function* () {
    const reasons = yield* Reasons
    const show = ({ message }: WarehouseError) => reasons.set(key, `${message} ${laterOn}`)
    yield* show(first)
    yield* tryNext(path).pipe(Effect.tapError(show), Effect.delay(firstPause), Effect.retry(pauses), Effect.orDie)
    yield* reasons.clear(key)
  })

const restart = Effect.flatMap(
  Effect.serviceOption(Restart),
  Option.match({ onNone: () => Effect.void, onSome: ({ request }) => request("the warehouse can be opened") })
)

const refusing = (error: WarehouseError): Warehouse["Service"] => ({
  id: "waiting",
  prefersFewTables: true,
  opened: Effect.never,
  write: () => Effect.fail(error),
  watermark: Effect.fail(error),
  books: Effect.fail(error),
  probe: Effect.fail(error),
  version: Effect.succeed(0),
  table: () => Effect.fail(error),
  tables: Effect.fail(error),
  evolve: Effect.fail(error),
  query: () => Effect.fail(error),
  snapshot: Effect.fail(error),
  publish: () => Effect.fail(error),
  pieces: Effect.fail(error),
  mirrors: { ...noMirrors, live: Effect.fail(error) },
  keepNewest: Effect.void
})

const waiting = (path: string, error: WarehouseError) =>
  Layer.effect(
    Warehouse,
    Effect.gen(function* () {
      yield* Effect.forkScoped(Effect.andThen(awaited(path, error), restart))
      return refusing(error)
    })
  )

export const layerAt = (
  path: string,
  budgetMb: number
): Layer.Layer<Warehouse, WarehouseError | StoreError, Store | Reasons> =>
  DuckDb.layerAt(path, budgetMb).pipe(
    Layer.catch((error) => (isWaiting(error) ? waiting(path, error) : Layer.effect(Warehouse, Effect.fail(error))))
  )
