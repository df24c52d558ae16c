/**
 * All looks of a period come at the same moments, whenever each began, and never later than a period.
 */
import { Duration, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { expect, it } from "@effect/vitest"
import * as Beat from "../../src/Runtime/Beat.ts"

const endsAt = (every: Duration.Input) =>
  Effect.map(Effect.timed(Beat.next(every)), ([lasted]) => Duration.toMillis(lasted))

it.effect("two that began at different times end together", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust("10300 millis")
    const first = yield* Effect.forkChild(endsAt("2 seconds"))
    yield* TestClock.adjust("900 millis")
    const second = yield* Effect.forkChild(endsAt("2 seconds"))
    yield* TestClock.adjust("800 millis")
    expect([yield* Fiber.join(first), yield* Fiber.join(second)]).toEqual([1700, 800])
  })
)

it.effect("on a beat, the next one is a whole period away", () =>
  Effect.gen(function* () {
    yield* TestClock.adjust("3 seconds")
    const fiber = yield* Effect.forkChild(endsAt("1 second"))
    yield* TestClock.adjust("999 millis")
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* TestClock.adjust("1 millis")
    expect(yield* Fiber.join(fiber)).toBe(1000)
  })
)

it.effect("an endless period has no beat", () =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(Beat.next(Duration.infinity))
    yield* TestClock.adjust("1000 days")
    expect(fiber.pollUnsafe()).toBeUndefined()
    yield* Fiber.interrupt(fiber)
  })
)
