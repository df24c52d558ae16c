import { assert, describe, it } from "@effect/vitest"
import * as Faults from "../../../sandbox/Faults.ts"

describe("The switches of the faults", () => {
  it("are all off until they are set", () => {
    const faults = Faults.make()
    assert.deepStrictEqual(
      faults.all().map(({ name, value }) => `${name} ${value}`),
      Faults.names.map((name) => `${name} 0`)
    )
  })

  it("take the nearest value that a fault allows, a whole number if it is a count", () => {
    const faults = Faults.make({ duplicate: 0.25, reset: -1 })
    faults.set("html", 7)
    faults.set("churn", 3.9)
    faults.set("clock-skew", -1e9)
    faults.set("rate-limit", Infinity)
    const set = Object.fromEntries(faults.all().map(({ name, value }) => [name, value]))
    assert.deepInclude(set, {
      duplicate: 0.25,
      reset: 0,
      html: 1,
      churn: 3,
      "clock-skew": -86_400,
      "rate-limit": 100_000
    })
  })

  it("refuse NaN", () => {
    assert.throws(() => Faults.make().set("duplicate", Number.NaN), RangeError)
  })

  it("count an outage down to its end, and can end it early", () => {
    let now = 5_000
    const faults = Faults.make({ outage: 10 }, () => now)
    const left = [0, 2_500, 7_499, 1, 5_000].map((passed) => {
      now += passed
      return faults.value("outage")
    })
    assert.deepStrictEqual(left, [10, 8, 1, 0, 0])
    faults.set("outage", 3)
    assert.strictEqual(faults.value("outage"), 3)
    faults.set("outage", 0)
    assert.strictEqual(faults.value("outage"), 0)
  })

  it("hit the same numbers in every run of a seed, different ones for each fault, as many as the share says", () => {
    const faults = Faults.make({ reset: 0.3, html: 0.3 })
    const hit = (seed: number, name: Faults.FaultName) =>
      Array.from({ length: 2000 }, (_, n) => n).filter((n) => Faults.hits(faults, seed, name, n))
    const resets = hit(5, "reset")
    assert.deepStrictEqual(hit(5, "reset"), resets)
    assert.notDeepEqual(hit(6, "reset"), resets)
    assert.notDeepEqual(hit(5, "html"), resets)
    assert.isTrue(resets.length > 520 && resets.length < 680, `${resets.length} of 2000`)
    assert.deepStrictEqual(hit(5, "hang"), [])
  })
})
