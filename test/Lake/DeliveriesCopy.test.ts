/** A lake that fails doesn't stop the worker: the copy of the deliveries is tried again, and the log says so. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Apply } from "../../src/Intake/Apply.ts"
import * as DeliveriesCopy from "../../src/Lake/DeliveriesCopy.ts"
import { Lake, LakeError } from "../../src/Lake/Lake.ts"
import { Reasons } from "../../src/Runtime/Reasons.ts"
import type { Deliveries } from "../../src/Stores/Store.ts"
import { Log } from "../Logged.ts"
import { storeWith } from "../Stores/MockedStore.ts"

it.effect("the copy of the deliveries on the lake is tried again in an hour", () => {
  const log = new Log()
  const copying = { id: Effect.succeed("an inbox"), after: () => Effect.undefined }
  const damage = Effect.succeed({ lost: [], repaired: 0 })
  const deliveries = { copying, damage, last: Effect.succeed(1) } as unknown as Deliveries
  const layer = DeliveriesCopy.layer.pipe(
    Layer.provide([
      storeWith(deliveries),
      Layer.mock(Lake, {
        name: "s3://a",
        list: () => Effect.fail(new LakeError({ reason: "Denied", message: "denied" }))
      }),
      Layer.mock(Apply, {}),
      Reasons.layer
    ])
  )
  const passed = Effect.promise(() => new Promise((done) => setTimeout(done, 50)))
  return Effect.gen(function* () {
    while (log.written.length === 0) yield* passed
    const why = "The copy of the deliveries in s3://a can't be used for now, and is tried again in an hour: denied"
    assert.deepStrictEqual(log.saw("copy.unusable"), { why })
    yield* TestClock.adjust("1 hour")
    while (log.written.length === 1) yield* passed
    assert.deepStrictEqual(log.events, ["copy.unusable", "copy.unusable"])
  }).pipe(Effect.provide(layer), Effect.provide(log.layer))
})
