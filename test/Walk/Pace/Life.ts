/**
 * One process's pace on the virtual clock, over a real SQLite store. Time moves in small steps with a turn of the event
 * loop after each, because the store answers in real time.
 */
import { join } from "node:path"
import { Clock, Duration, Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import * as KeptSpending from "../../../src/Walk/KeptSpending.ts"
import { type Lane, Pace } from "../../../src/Walk/Pace.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import { Store, type StoreError } from "../../../src/Stores/Store.ts"
import { temporaryFolder } from "../../Folders.ts"

export const start = Date.parse("2026-11-20T02:00:00.400Z")
export const minuteMs = 60_000
const stepMs = 10

export const newStorePath = () => join(temporaryFolder(), "store.sqlite")

export const life = Effect.fnUntraced(function* (limit: number, store: Layer.Layer<Store, StoreError>) {
  const scope = yield* Scope.make()
  const layer = Pace.layerWith({ requestsPerMinute: limit, longestPause: Duration.hours(1) }).pipe(
    Layer.provide(KeptSpending.layer),
    Layer.provideMerge(store),
    Layer.provideMerge(Reasons.layer)
  )
  const context = yield* Layer.buildWithScope(Layer.fresh(layer), scope)
  const services = Effect.provideContext(
    Effect.all({ pace: Effect.service(Pace), store: Effect.service(Store), reasons: Effect.service(Reasons) }),
    context
  )
  const fork = <A, E>(effect: Effect.Effect<A, E, Pace>) => Effect.forkIn(Effect.provideContext(effect, context), scope)
  return { ...(yield* services), fork, end: Scope.close(scope, Exit.void) }
})

export const settle = Effect.promise(() => new Promise((done) => setImmediate(done)))

export const pass = (millis: number) =>
  Effect.gen(function* () {
    for (let ms = 0; ms < millis; ms += stepMs) {
      yield* TestClock.adjust(Math.min(stepMs, millis - ms))
      yield* settle
    }
  })

/** Takes turns forever and notes when each came. */
export const noting = (times: Array<number>, lane: Lane = "backfill") =>
  Effect.gen(function* () {
    const pace = yield* Pace
    yield* Effect.forever(
      Effect.andThen(
        pace.take(lane),
        Effect.map(Clock.currentTimeMillis, (at) => times.push(at))
      )
    )
  })

/** The most in any half-open window of 60 s. */
export const mostInWindow = (times: ReadonlyArray<number>): number =>
  times.reduce((most, from, first) => {
    const end = times.findIndex((at) => at >= from + minuteMs)
    return Math.max(most, (end < 0 ? times.length : end) - first)
  }, 0)

export const between = (times: ReadonlyArray<number>, from: number, to: number) =>
  times.filter((at) => at >= from && at < to).length
