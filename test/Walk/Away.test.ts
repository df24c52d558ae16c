/** A server that is away for a moment when a walk begins is no crash of it, which Status would tell of until the next pass. */
import { assert, it } from "@effect/vitest"
import { Duration, Effect, Layer, Schedule } from "effect"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Seal } from "../../src/Runtime/Seal.ts"
import { Store } from "../../src/Stores/Store.ts"
import { Warehouse, WarehouseError } from "../../src/Stores/Warehouse.ts"
import { Pace } from "../../src/Walk/Pace.ts"
import { Source } from "../../src/Walk/Source.ts"
import { Spending } from "../../src/Walk/Spending.ts"
import { Walk } from "../../src/Walk/Walk.ts"
import { Log } from "../Logged.ts"
import { listModel } from "./ListModel.ts"
import { stores } from "./Passing.ts"

const away = new WarehouseError({ reason: "Failed", message: "the server is away" })

/** Its tables can't be looked up so many times. */
const failing = (times: number) => {
  let left = times
  const warehouse = Effect.map(Warehouse, (each) =>
    Warehouse.of({
      ...each,
      table: (name) => Effect.suspend(() => (left-- > 0 ? Effect.fail(away) : each.table(name)))
    })
  )
  return Layer.merge(Layer.effect(Warehouse, warehouse), Layer.effect(Store, Store)).pipe(Layer.provide(stores))
}

const world = (times: number) =>
  Walk.layerWith({ every: Duration.hours(1), pageSize: 5 }).pipe(
    Layer.provideMerge(Pace.layerWith({ requestsPerMinute: 60_000, longestPause: Duration.hours(1) })),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.fresh(Spending.layerAlone),
        Reasons.layer,
        failing(times),
        Seal.layerWith(new Uint8Array(32)),
        Layer.succeed(Source, Source.of({ lists: [listModel([1, 2, 3])] }))
      )
    )
  )

it.live("a walk goes on once its table can be looked up, and hasn't crashed", () => {
  const log = new Log()
  return Effect.flatMap(Walk, ({ status }) => status).pipe(
    Effect.filterOrFail(({ projects }) => projects?.proof === "counts-agree"),
    Effect.retry(Schedule.spaced("20 millis")),
    Effect.andThen(Effect.sync(() => assert.notInclude(log.events, "pipeline.crashed"))),
    Effect.provide(world(2)),
    Effect.provide(log.layer),
    Effect.scoped
  )
})
