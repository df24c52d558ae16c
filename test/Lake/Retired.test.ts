/** Which exports may be removed: the promise of docs/lake.md, to the second. */
import { assert, describe, it } from "@effect/vitest"
import { Duration } from "effect"
import { runId } from "../../src/Lake/Manifest.ts"
import { type Kept, retired, safeUntilMs, secondsOf } from "../../src/Lake/Retention.ts"

const second = 1000
const day = 86_400 * second
const now = Date.UTC(2026, 10, 20, 2)

const keep = { newest: 30, for: Duration.days(30) }

const aged = (age: number, more: Omit<Kept, "run"> = {}): Kept => ({ run: runId(now - age, 0), ...more })
const namesOf = (runs: ReadonlyArray<Kept>) => runs.map(({ run }) => run)

/** So many that age alone decides over the others. */
const newest = Array.from({ length: 30 }, (_, minutes) => aged(minutes * 60 * second))

describe("an export", () => {
  it("that was replaced less than 30 days ago stays, however old it is, and may go after that", () => {
    const [old, replaced] = [aged(90 * day), aged(60 * day)]
    const young = aged(30 * day)
    const gone = (runs: ReadonlyArray<Kept>) => retired([...runs, ...newest], undefined, keep, now)
    assert.deepStrictEqual(gone([old, replaced, young]), namesOf([old]))
    assert.deepStrictEqual(gone([old, replaced, aged(30 * day + second), young]), namesOf([old, replaced]))
  })

  it("that is among the newest 30 stays, however old", () => {
    const old = Array.from({ length: 32 }, (_, months) => aged((months + 2) * 31 * day))
    assert.deepStrictEqual(retired(old, undefined, keep, now), namesOf(old.slice(30)).toSorted())
  })

  it("stays for as long, and among as many, as is configured", () => {
    const runs = [1, 61, 62, 63].map((seconds) => aged(seconds * second))
    const few = { newest: 2, for: Duration.minutes(1) }
    assert.deepStrictEqual(retired(runs, undefined, few, now), namesOf(runs.slice(2)).toSorted())
    assert.deepStrictEqual(retired(runs, runs[3]?.run, few, now), namesOf(runs.slice(2, 3)))
  })

  it("that the pointer names stays, however old", () => {
    const old = [aged(61 * day), aged(62 * day), aged(63 * day)]
    assert.deepStrictEqual(retired([...newest, ...old], old[1]?.run, keep, now), namesOf(old.slice(2)))
  })

  it("stays for as long as its manifest says, whatever is configured since", () => {
    const least = { newest: 1, for: Duration.zero }
    const [first, last] = [aged(40 * day, { keptSeconds: 10 * 86_400 }), aged(10 * day)]
    assert.deepStrictEqual(retired([first, last], undefined, least, now), [])
    assert.deepStrictEqual(retired([first, aged(10 * day + second)], undefined, least, now), [first.run])
  })

  it("is safe for a century at the most, whatever anybody wrote into a manifest", () => {
    const [first, last] = [aged(2 * day, { keptSeconds: Number.MAX_SAFE_INTEGER }), aged(1 * day)]
    const until = safeUntilMs([first, last]).get(first.run) ?? 0
    assert.strictEqual(until, now - day + 36_500 * day)
    const odd = { run: last.run, before: first.run, shownAt: "2026-99-99T99:99:99.999999Z" }
    assert.strictEqual(safeUntilMs([first, odd]).get(first.run), 36_500 * day)
    assert.strictEqual(secondsOf(Duration.infinity), 36_500 * 86_400)
  })

  it("was replaced when the one that says so was shown, not when the next by name began", () => {
    const first = aged(90 * day)
    const unseen = aged(80 * day)
    const shownAt = "2026-11-01T00:00:00.000000Z"
    const next = aged(20 * day, { before: first.run, shownAt })
    const until = safeUntilMs([first, unseen, next], Duration.days(30))
    assert.strictEqual(until.get(first.run), Date.UTC(2026, 11, 1))
    assert.isUndefined(until.get(next.run))
    // An overtaken one names the same.
    const overtaken = aged(70 * day, { before: first.run })
    assert.strictEqual(safeUntilMs([first, overtaken, next]).get(first.run), Date.parse(shownAt))
  })
})
