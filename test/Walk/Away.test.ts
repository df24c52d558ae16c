/**
 * What Status says about a walk that was in trouble: nothing about a server that is away for a moment, why a table can
 * permanently not be looked up, and nothing about a crash once a page has come since.
 */
import { setImmediate } from "node:timers/promises"
import { assert, it } from "@effect/vitest"
import { Clock, Duration, Effect, Layer, Schedule } from "effect"
import { TestClock } from "effect/testing"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import { Seal } from "../../src/Runtime/Seal.ts"
import { Store, StoreError } from "../../src/Stores/Store.ts"
import { Warehouse, WarehouseError } from "../../src/Stores/Warehouse.ts"
import { Pace } from "../../src/Walk/Pace.ts"
import { Source } from "../../src/Walk/Source.ts"
import { Spending } from "../../src/Walk/Spending.ts"
import { Walk } from "../../src/Walk/Walk.ts"
import { Log } from "../Logged.ts"
import { type ListModel, listModel } from "./ListModel.ts"
import { stores } from "./Passing.ts"

const lost = new StoreError({ reason: "Failed", message: "the server is away" })
const away = new WarehouseError({ reason: "Failed", message: "the server is away" })

/** So many times its tables can't be looked up, nothing can be written, or the answer to the end of a pass is lost. */
interface Times {
  readonly looks?: number
  readonly writes?: number
  readonly ends?: number
}

const failing = ({ ends = 0, looks = 0, writes = 0 }: Times) => {
  const left = { ends, looks, writes }
  const hasEnded = ({ run }: Store["Service"]) =>
    Effect.map(
      run((db) => db.selectFrom("walks").select("finished_at").executeTakeFirst()),
      (walk) => walk?.finished_at != null
    )
  const store = Effect.map(Store, (each) =>
    Store.of({
      ...each,
      transaction: (body, options) =>
        Effect.tap(each.transaction(body, options), () =>
          Effect.flatMap(hasEnded(each), (isOver) => (isOver && left.ends-- > 0 ? Effect.fail(lost) : Effect.void))
        )
    })
  )
  const warehouse = Effect.map(Warehouse, (each) =>
    Warehouse.of({
      ...each,
      table: (name) => Effect.suspend(() => (left.looks-- > 0 ? Effect.fail(away) : each.table(name))),
      write: (batch) => Effect.suspend(() => (left.writes-- > 0 ? Effect.fail(away) : each.write(batch)))
    })
  )
  return Layer.merge(Layer.effect(Warehouse, warehouse), Layer.effect(Store, store)).pipe(Layer.provide(stores))
}

const world = (times: Times, list: ListModel = listModel([1, 2, 3])) =>
  Walk.layerWith({ every: Duration.hours(1), pageSize: 5 }).pipe(
    Layer.provideMerge(Pace.layerWith({ requestsPerMinute: 60_000, longestPause: Duration.hours(1) })),
    Layer.provideMerge(
      Layer.mergeAll(
        Layer.fresh(Spending.layerAlone),
        Reasons.layer,
        failing(times),
        Seal.layerWith(new Uint8Array(32)),
        Layer.succeed(Source, Source.of({ lists: [list] }))
      )
    )
  )

it.live("a walk goes on once its table can be looked up, and hasn't crashed", () => {
  const log = new Log()
  return Effect.flatMap(Walk, ({ status }) => status).pipe(
    Effect.filterOrFail(({ projects }) => projects?.proof === "counts-agree"),
    Effect.retry(Schedule.spaced("20 millis")),
    Effect.andThen(Effect.sync(() => assert.notInclude(log.events, "pipeline.crashed"))),
    Effect.provide(world({ looks: 2 })),
    Effect.provide(log.layer),
    Effect.scoped
  )
})

/** Lets time pass, by the second, until this is so. */
const until = <R>(isSo: Effect.Effect<boolean, never, R>) =>
  Effect.repeat(
    Effect.andThen(
      TestClock.adjust("1 second"),
      Effect.andThen(
        Effect.promise(() => setImmediate()),
        isSo
      )
    ),
    { until: (now) => now }
  )

const keys = Reasons.use(({ all }) => Effect.map(all, (active) => active.map(({ key }) => key)))

it.effect("a walk says why its table can't be looked up for good, until it can be", () => {
  const list = listModel([1, 2, 3])
  // It is gone before a pass is through.
  const fetch: ListModel["fetch"] = () => Effect.never
  return Effect.gen(function* () {
    yield* until(Effect.map(keys, (active) => active.includes("walk projects")))
    const [{ sentence } = { sentence: "" }] = yield* Reasons.use(({ all }) => all)
    assert.strictEqual(sentence, away.message)
    yield* until(Effect.map(keys, (active) => active.length === 0))
  }).pipe(Effect.provide(world({ looks: 15 }, { ...list, fetch })), Effect.scoped)
})

it.effect("a crash is over once a page has come, long before the pass is", () => {
  let crashes = 0
  const list = listModel(Array.from({ length: 30 }, (_, at) => at + 1))
  const fetch: ListModel["fetch"] = (page, ...asked) => {
    if (page < 3) return list.fetch(page, ...asked)
    return crashes++ === 0 ? Effect.die(new Error("a broken invariant")) : Effect.never
  }
  return Effect.gen(function* () {
    yield* until(Effect.map(keys, (active) => active.includes("the walk of projects")))
    yield* until(Effect.map(keys, (active) => active.length === 0))
    assert.isAbove(crashes, 1)
  }).pipe(Effect.provide(world({}, { ...list, fetch })), Effect.scoped)
})

it.effect("a store that was away is past once a page has come, too", () => {
  const list = listModel(Array.from({ length: 30 }, (_, at) => at + 1))
  const fetch: ListModel["fetch"] = (page, ...asked) => (page < 3 ? list.fetch(page, ...asked) : Effect.never)
  return Effect.gen(function* () {
    yield* until(Effect.map(keys, (active) => active.includes("walk projects")))
    yield* until(Effect.map(keys, (active) => active.length === 0))
  }).pipe(Effect.provide(world({ writes: 1 }, { ...list, fetch })), Effect.scoped)
})

it.effect("a store that was away when a pass had ended is past with it, long before the next", () =>
  Effect.gen(function* () {
    const { status } = yield* Walk
    yield* until(Effect.map(keys, (active) => active.includes("walk projects")))
    yield* until(Effect.map(keys, (active) => active.length === 0))
    assert.deepInclude((yield* status)["projects"], { proof: "counts-agree" })
    assert.isBelow(yield* Clock.currentTimeMillis, Duration.toMillis("30 minutes"))
  }).pipe(Effect.provide(world({ ends: 1 })), Effect.scoped)
)
