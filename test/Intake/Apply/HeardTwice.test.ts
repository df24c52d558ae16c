/**
 * A delivery that was heard ahead of its turn is heard once more by a process that doesn't know of it, but posted only
 * once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Instant from "../../../src/Domain/Instant.ts"
import { Ledger } from "../../../src/Ledger/Ledger.ts"
import { Store } from "../../../src/Stores/Store.ts"
import { contractor } from "../../Ledger/Contractor.ts"
import { engines } from "../../Stores/StoreEngines.ts"
import { until } from "../Uptime/World.ts"
import { applying, arriveMeanwhile, certified, drained, made, now, paid, pending, permits } from "./HearingWorld.ts"

describe.each(engines)("the ledger, with a Store in $name,", ({ isSkipped, place }) => {
  it.effect.skipIf(isSkipped)("posts once what was heard before the process died, and asks nothing meanwhile", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Instant.toMicros(now) / 1000)
      const { layer } = yield* place
      const ledger = Ledger.layerWith(contractor)
      const books = Effect.flatMap(Store, (store) =>
        store.run(async (db) => ({
          entries: await db.selectFrom("ledger_entries").select("event_id").execute(),
          asked: await db.selectFrom("ledger_hold_decisions").selectAll().execute()
        }))
      )
      const posted = { entries: [{ event_id: "p1" }], asked: [] }
      const dying = { ...made(), isForOne: true }
      yield* Effect.gen(function* () {
        yield* arriveMeanwhile(dying, [certified("1"), ...permits(2500), paid("1")])
        yield* until(Effect.map(books, ({ entries }) => entries.length === 1))
        // The batch that has the payment waits at the gate.
        assert.isAtLeast(yield* pending, 2502)
      }).pipe(Effect.provide(Layer.provideMerge(applying(dying, ledger), layer)))
      const next = made()
      yield* Effect.gen(function* () {
        yield* drained
        assert.deepStrictEqual(yield* books, posted)
      }).pipe(Effect.provide(Layer.provideMerge(applying(next, ledger), layer)))
    }).pipe(Effect.scoped)
  )
})
