/** Times as people write them. */
import { assert, describe, it } from "@effect/vitest"
import { Duration, Result } from "effect"
import * as Parse from "../../config/Parse.ts"

describe("a duration", () => {
  it.each([
    ["1h", 3600],
    ["90s", 90],
    ["1 hour", 3600],
    ["30 minutes", 1800],
    ["1h 30m", 5400],
    ["1.5H", 5400],
    ["2d", 172_800],
    ["250ms", 0.25]
  ] as const)("may be written %s", (text, seconds) => {
    assert.strictEqual(Duration.toMillis(Result.getOrThrow(Parse.duration(text))), seconds * 1000)
  })

  it.each(["", "1", "1 fortnight", "1h30", "h", "0 hours", "-1h", `${"9".repeat(30)}h`])("may not be %j", (text) => {
    assert.isTrue(Result.isFailure(Parse.duration(text)))
  })
})

describe("an age", () => {
  it.each([
    ["90 days", 90],
    ["12w", 84],
    ["6 months", 186],
    ["2y", 732]
  ] as const)("may be written %s", (text, days) => {
    assert.deepStrictEqual(Result.getOrThrow(Parse.age(text)), Duration.days(days))
  })

  it.each(["6m", "0 days", "1.5 years", "12345 days"])("may not be %s", (text) => {
    assert.isTrue(Result.isFailure(Parse.age(text)))
  })
})
