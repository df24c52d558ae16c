/**
 * All looks with the same period come at the same moments, no matter when each began, and never later than one period.
 * If a stamp shows that nothing has changed, it isn't read again for a minute.
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

it.effect("acts once for each change, again after a failure, and each minute", () =>
  Effect.gen(function* () {
    let [acts, stamp, fails] = [0, "a", false]
    const act = Effect.suspend(() => {
      acts++
      return fails ? Effect.fail("full") : Effect.void
    })
    const look = Beat.whenChanged(
      "1 second",
      Effect.sync(() => stamp),
      act
    )
    yield* Effect.forkScoped(Effect.forever(look))
    const after = (pause: Duration.Input) => Effect.map(TestClock.adjust(pause), () => acts)
    expect(yield* after("1 second")).toBe(1)
    expect(yield* after("20 seconds")).toBe(1)
    stamp = "b"
    fails = true
    expect(yield* after("3 seconds")).toBe(4)
    fails = false
    expect(yield* after("3 seconds")).toBe(5)
    expect(yield* after("57 seconds")).toBe(5)
    expect(yield* after("1 minute")).toBe(6)
  }).pipe(Effect.scoped)
)
