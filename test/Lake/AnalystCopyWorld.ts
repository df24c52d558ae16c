/** A copy for analysts of a stub warehouse, with the times at which copies were made. */
import { setImmediate as immediate } from "node:timers/promises"
import { Clock, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { AnalystCopy } from "../../src/Lake/AnalystCopy.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { noMirrors, Warehouse, WarehouseError } from "../../src/Stores/Warehouse.ts"

/** A warehouse of which only the version and the time that a copy takes matter. */
export const makeStub = () => {
  const stub = {
    version: 0,
    takes: Duration.zero,
    isFailing: false,
    isLive: true,
    isWhole: true,
    copies: [] as Array<number>
  }
  const failure = new WarehouseError({ reason: "Failed", message: "no room" })
  const layer = Layer.succeed(Warehouse, {
    id: "stub",
    prefersFewTables: false,
    opened: Effect.void,
    evolve: Effect.void,
    write: () => Effect.die("unused"),
    watermark: Effect.succeed(0),
    books: Effect.undefined,
    probe: Effect.void,
    version: Effect.sync(() => stub.version),
    table: () => Effect.die("unused"),
    tables: Effect.die("unused"),
    query: () => Effect.die("unused"),
    snapshot: Effect.die("unused"),
    publish: () =>
      Effect.gen(function* () {
        stub.copies.push(yield* Clock.currentTimeMillis)
        yield* Effect.sleep(stub.takes)
        if (stub.isFailing) return yield* failure
        return { isWhole: stub.isWhole }
      }),
    mirrors: noMirrors,
    pieces: Effect.succeed([]),
    keepNewest: Effect.void
  })
  const publish = (path: string) =>
    AnalystCopy.layerWith({ path, isLive: Effect.sync(() => stub.isLive) }).pipe(
      Layer.provide(layer),
      Layer.provideMerge(Reasons.layer)
    )
  return { stub, publish }
}

export const seconds = (...values: ReadonlyArray<number>) => values.map((value) => value * 1000)
/** Lets all fibers finish that wait only for each other. */
export const settle = Effect.promise(() => immediate())
export const passSeconds = (count: number) => Effect.andThen(settle, TestClock.adjust(Duration.seconds(count)))
