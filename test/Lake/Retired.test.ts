/** Which exports may go: the promise of docs/lake.md, to the second. */
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { retired, runId } from "../../src/Lake/Manifest.ts"

const second = 1000
const day = 86_400 * second
const now = Date.UTC(2026, 10, 20, 2)

const keep = { newest: 30, for: Duration.days(30) }

const aged = (...ages: ReadonlyArray<number>) => ages.map((age) => runId(now - age, 0))

/** So many that age alone decides over the others. */
const newest = aged(...Array.from({ length: 30 }, (_, minutes) => minutes * 60 * second))

describe("an export", () => {
  it("that is younger than 30 days stays, and may go after that", () => {
    const young = aged(30 * day - second, 30 * day)
    const old = aged(30 * day + second)
    assert.deepStrictEqual(retired([...old, ...young, ...newest], undefined, keep, now), old)
  })

  it("that is among the newest 30 stays, however old", () => {
    const old = aged(...Array.from({ length: 32 }, (_, months) => (months + 2) * 30 * day))
    assert.deepStrictEqual(retired(old, undefined, keep, now), old.slice(30).toSorted())
  })

  it("stays for as long, and among as many, as is configured", () => {
    const ages = aged(1 * second, 61 * second, 62 * second, 63 * second)
    const few = { newest: 2, for: Duration.minutes(1) }
    assert.deepStrictEqual(retired(ages, undefined, few, now), ages.slice(2).toSorted())
    assert.deepStrictEqual(retired(ages, ages[3], few, now), ages.slice(2, 3))
  })

  it("that the pointer names stays, however old", () => {
    const old = aged(31 * day, 32 * day)
    assert.deepStrictEqual(retired([...newest, ...old], old[1], keep, now), old.slice(0, 1))
  })
})
