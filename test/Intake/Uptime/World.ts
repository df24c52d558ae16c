/**
 * A Store per test, on a virtual clock, and Uptime over it, over several lives of the worker.
 */
import { join } from "node:path"
import { setImmediate as immediate } from "node:timers/promises"
import { Clock, Context, Duration, Effect, Exit, Latch, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Store, StoreError } from "../../../src/Stores/Store.ts"
import * as Sqlite from "../../../src/Stores/Sqlite/Store.ts"
import { Uptime } from "../../../src/Intake/Uptime.ts"
import { temporaryFolder } from "../../Folders.ts"

export const second = 1000
export const minute = 60 * second
export const hour = 60 * minute
export const day = 24 * hour
export const start = Date.UTC(2026, 10, 20, 2)

const offsets = [0, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, day].map((ms) => Duration.millis(ms))

/** With a Store that can be made to fail or to hang. */
export const world = Effect.gen(function* () {
  const path = join(temporaryFolder(), "store.sqlite")
  const scope = yield* Effect.scope
  const sqlite = Context.get(yield* Layer.buildWithScope(Sqlite.layerAt(path), scope), Store)
  const faults = { isFailing: false, lost: 0, brokenTurns: 0, cameLate: undefined as number | undefined }
  const gate = yield* Latch.make(true)
  const failing = new StoreError({ reason: "Full", message: "The store failed: no space" })
  const store = Store.of({
    ...sqlite,
    run: (query) =>
      Effect.andThen(
        gate.await,
        Effect.suspend(() => (faults.isFailing ? Effect.fail(failing) : sqlite.run(query)))
      )
  })
  const reasons = Context.get(yield* Layer.buildWithScope(Reasons.layer, scope), Reasons)
  const onLost = Effect.suspend(() =>
    faults.brokenTurns-- > 0 ? Effect.die("broken") : Effect.sync(() => faults.lost++)
  )
  const cameLate = () => Effect.sync(() => faults.cameLate)
  const uptime = Uptime.layerWith({ offsets, onLost, cameLate }).pipe(
    Layer.provide(Layer.succeed(Store, store)),
    Layer.provide(Layer.succeed(Reasons, reasons))
  )
  const rows = sqlite.run((db) => db.selectFrom("uptime").select(["from_ms", "to_ms"]).orderBy("id").execute())
  /** In milliseconds since `start`. */
  const intervals = Effect.map(rows, (all) => all.map((row) => [row.from_ms - start, row.to_ms - start]))
  const record = (...pairs: ReadonlyArray<readonly [number, number]>) =>
    sqlite.run((db) =>
      db
        .insertInto("uptime")
        .values(pairs.map(([from, to]) => ({ from_ms: start + from, to_ms: start + to })))
        .execute()
    )
  yield* TestClock.setTime(start)
  return { faults, gate, intervals, reasons, record, store: sqlite, uptime }
})

export type World = Effect.Success<typeof world>

/** Another life of the worker. */
export const live = (layer: World["uptime"]) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const service = Context.get(yield* Layer.buildWithScope(layer, scope), Uptime)
    return { service, stop: Scope.close(scope, Exit.void) }
  })

export const until = <E, R>(state: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(state, (isThere) =>
    isThere
      ? Effect.void
      : Effect.andThen(
          Effect.promise(() => immediate()),
          Effect.suspend(() => until(state))
        )
  )

/** Lets time pass heartbeat by heartbeat. */
export const pass = ({ intervals }: World, ms: number) =>
  Effect.gen(function* () {
    for (let passed = 0; passed < ms; passed += 5 * second) {
      yield* TestClock.adjust(5 * second)
      const now = (yield* Clock.currentTimeMillis) - start
      yield* until(Effect.map(intervals, (all) => (all.at(-1)?.[1] ?? 0) > now - 5 * second))
    }
  })

/** Stops a heartbeat in the middle and moves the clock before it continues. */
export const standStill = ({ gate, intervals }: World, ms: number) =>
  Effect.gen(function* () {
    const before = (yield* intervals).length
    yield* gate.close
    yield* TestClock.adjust(5 * second)
    yield* TestClock.setTime((yield* Clock.currentTimeMillis) + ms)
    yield* gate.open
    yield* until(
      Effect.andThen(
        TestClock.adjust(10),
        Effect.map(intervals, (all) => all.length > before)
      )
    )
  })
