/** A worker that counts its minutes, without anything to count. */
import { Effect, Exit, Latch, Layer, Scope } from "effect"
import { Receiver } from "../../../src/Intake/Receiver.ts"
import * as History from "../../../src/Operate/History.ts"
import { history } from "../../../src/Operate/History/Points.ts"
import { Workers } from "../../../src/Operate/Workers.ts"
import { Reasons } from "../../../src/Runtime/Reasons.ts"
import * as Timings from "../../../src/Runtime/Timings.ts"
import { Store, StoreError } from "../../../src/Stores/Store.ts"
import { Pace } from "../../../src/Walk/Pace.ts"

/** A worker on this Store, whose counters a test moves. */
export const begin = (id: string, store: Layer.Layer<Store>) =>
  Effect.gen(function* () {
    const counters = { accepted: 0, sent: 0, isAway: false }
    /** Closed: the store takes its time. */
    const gate = yield* Latch.make(true)
    const away = new StoreError({ reason: "Failed", message: "It is away." })
    const failing = Layer.effect(
      Store,
      Effect.map(Store, (inner) =>
        Store.of({
          ...inner,
          transaction: (body) => (counters.isAway ? away : Effect.andThen(gate.await, inner.transaction(body)))
        })
      )
    )
    const services = Layer.mergeAll(
      Layer.succeed(Receiver, { status: Effect.sync(() => ({ accepted: counters.accepted })) } as never),
      Layer.mock(Pace, {
        sent: Effect.sync(() => counters.sent),
        usage: Effect.succeed({ limitPerMinute: 600, usedLastMinute: 0 })
      }),
      Layer.succeed(Workers, { id, all: Effect.succeed([]) }),
      Layer.provide(failing, store),
      Reasons.layer,
      History.counting
    )
    const scope = yield* Scope.make()
    const worker = yield* Layer.buildWithScope(Layer.provideMerge(History.layer, services), scope)
    const within = <A, E, R>(body: Effect.Effect<A, E, R>) => Effect.provideContext(body, worker)
    return {
      counters,
      gate,
      took: (name: "visible" | "posted", ...seconds: ReadonlyArray<number>) =>
        within(Effect.forEach(seconds, (each) => Timings.observe(name, each), { discard: true })),
      told: (range: "hour" | "day") => within(history({ range })),
      reasons: within(Reasons.use(({ all }) => all)),
      end: Scope.close(scope, Exit.void)
    }
  })
