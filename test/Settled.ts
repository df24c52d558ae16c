/**
 * Stores that report when they have answered: a virtual clock doesn't wait for what happens in real time, so a test that
 * moves it must.
 */
import { setImmediate as immediate } from "node:timers/promises"
import { Effect, Layer } from "effect"
import { Store } from "../src/Stores/Store.ts"

/** Turns of the event loop without a query: by then, the consequences of an answer have happened, too. */
const calmTurns = 3

export const settling = () => {
  let underWay = 0
  const counted = <A, E, R>(ask: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      underWay++
      return Effect.ensuring(
        ask,
        Effect.sync(() => underWay--)
      )
    })
  const counting = Layer.effect(
    Store,
    Effect.map(Store, (inner) =>
      Store.of({
        ...inner,
        run: (query) => counted(inner.run(query)),
        transaction: (body) => counted(inner.transaction(body))
      })
    )
  )
  return {
    over: <E>(store: Layer.Layer<Store, E>): Layer.Layer<Store, E> => Layer.provide(counting, store),
    /** Returns when every Store has answered all queries, and no further ones follow. */
    settled: Effect.promise(async () => {
      for (let calm = 0; calm < calmTurns; calm = underWay === 0 ? calm + 1 : 0) await immediate()
    })
  }
}
