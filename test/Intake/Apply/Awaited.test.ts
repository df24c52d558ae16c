/** Only payments are heard at once: what comes before one is heard with it, and the rest with its batch. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Instant from "../../../src/Domain/Instant.ts"
import { engines } from "../../Stores/StoreEngines.ts"
import { until } from "../Uptime/World.ts"
import {
  applying,
  certified,
  drained,
  isAtGate,
  made,
  noted,
  now,
  offer,
  paid,
  pending,
  permit,
  type World
} from "./HearingWorld.ts"

const body = (world: World) =>
  Effect.gen(function* () {
    yield* world.gate.close
    yield* offer(permit(-1))
    yield* isAtGate(world)
    yield* offer(certified("1"), permit(1))
    // Beside the batch that is at the gate.
    for (let look = 0; look < 20; look++) yield* Effect.andThen(TestClock.adjust(10), pending)
    assert.deepStrictEqual(world.log, [])
    yield* offer(certified("2"), paid("2"), certified("3"))
    yield* until(
      Effect.andThen(
        TestClock.adjust(10),
        Effect.sync(() => world.log.includes("p2"))
      )
    )
    assert.deepStrictEqual(
      world.log.filter((each) => each !== "c3"),
      ["c1", "c2", "p2"]
    )
    yield* world.gate.open
    yield* drained
    assert.strictEqual(world.log.filter((each) => each === "c3").length, 1)
  })

describe.each(engines)("certificates, with a Store in $name,", ({ isSkipped, place }) => {
  it.effect.skipIf(isSkipped)("are heard with the next payment, or left to their batch", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Instant.toMicros(now) / 1000)
      const { layer } = yield* place
      const world = made()
      yield* Effect.provide(body(world), Layer.provideMerge(applying(world, noted(world)), layer))
    }).pipe(Effect.scoped)
  )
})
