/** Latency at steady rates, by a model of a batch's cost; and one hiccup doesn't affect it permanently. */
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { gathering } from "../../../src/Intake/Apply/Gathering.ts"

/** How many ms from the end of a batch to that of the next one, at a steady rate, once it has settled. */
const period = (perSecond: number, firstMs: number, costMs: (events: number) => number): number => {
  let periodMs = firstMs
  for (let batch = 0; batch < 50; batch++) {
    const events = (perSecond * periodMs) / 1000
    const lastedMs = costMs(events)
    periodMs = Duration.toMillis(gathering((events * 1000) / periodMs, Duration.millis(lastedMs))) + lastedMs
  }
  return periodMs
}

describe("events", () => {
  const costMs = (events: number) => 15 + events * 0.3

  for (const perSecond of [1, 10, 100, 200, 400]) {
    it(`that arrive at ${perSecond}/s are visible within 0.1 s, also after a second in which nothing was applied`, () => {
      for (const firstMs of [1, 50, 300, 1000]) {
        // One that comes just after a batch was taken waits for that one, the pause and its own batch.
        assert.isAtMost(period(perSecond, firstMs, costMs) + costMs((perSecond * 70) / 1000), 100)
      }
    })
  }

  it("that are a stream are gathered for long, from which the worker has more than from little latency", () => {
    assert.isAtLeast(period(2000, 1, costMs), 250)
  })

  it("leave half of the machine to others while batches take long, but not for longer than 0.1 s", () => {
    assert.strictEqual(Duration.toMillis(gathering(100, Duration.millis(80))), 80)
    assert.strictEqual(Duration.toMillis(gathering(100, Duration.millis(500))), 100)
  })
})
