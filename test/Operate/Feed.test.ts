/** What open dashboards are told while a store or Status fails, and afterwards. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import type { StatusReport } from "../../src/Operate/AdminApi/StatusReport.ts"
import { Feed } from "../../src/Operate/Dashboard/Feed.ts"
import { Status } from "../../src/Operate/Status.ts"
import { Store, StoreError } from "../../src/Stores/Store.ts"
import { Warehouse } from "../../src/Stores/Warehouse.ts"

const away = new StoreError({ reason: "Failed", message: "The store is away." })

/** Each look meets the next of these. */
const reports = [
  Effect.fail(away),
  Effect.die(new Error("a service has ended")),
  Effect.succeed({ phase: "live" } as StatusReport)
]

const settled = 10_000

it.effect("goes on after a failure and a defect", () => {
  let looks = 0
  const status = Layer.succeed(Status, { report: Effect.suspend(() => reports[Math.min(looks++, 2)]!) })
  const store = Layer.mock(Store, {
    deliveries: {
      settledThrough: Effect.suspend(() => (looks === 0 ? away : Effect.succeed(settled)))
    }
  } as never)
  return Effect.gen(function* () {
    const { from } = yield* Feed
    const told = yield* Effect.forkChild(Stream.runCollect(Stream.take(from(undefined), 4)), {
      startImmediately: true
    })
    for (let second = 0; second < 3; second++) yield* TestClock.adjust("1 second")
    const messages = [...(yield* Fiber.join(told))].map((text) => text.trim().split("\n"))
    assert.deepStrictEqual(messages, [
      ["event: trouble", 'data: {"error":"The store is away."}'],
      ["event: trouble", `data: {"error":"Status can't be read now."}`],
      [`id: ${settled}`, "event: events", `data: {"through":${settled},"events":[]}`],
      ["event: status", 'data: {"phase":"live"}']
    ])
  }).pipe(
    Effect.scoped,
    Effect.provide(
      Layer.provide(
        Feed.layer,
        Layer.mergeAll(status, store, Layer.mock(Warehouse, { query: () => Effect.succeed([]) } as never))
      )
    )
  )
})
