/** Counts by length: percentiles that are right to two percent, also for counts that are added up and kept. */
import { assert, describe, it } from "@effect/vitest"
import { Latencies } from "../../../src/Operate/History/Latencies.ts"
import { forSeeds } from "../../Seeded.ts"

const of = (all: ReadonlyArray<number>): Latencies => {
  const latencies = new Latencies()
  for (const ms of all) latencies.add(ms)
  return latencies
}

const exactly = (all: ReadonlyArray<number>, share: number): number =>
  all.toSorted((one, other) => one - other)[Math.ceil(all.length * share) - 1] ?? Number.NaN

describe("latencies", () => {
  it("tell percentiles that are wrong by 2.3 % at the most, of one and of several that are added", () => {
    forSeeds(20, ({ below }) => {
      const all = Array.from({ length: 2000 }, () => 1 + below(10 ** (1 + below(8))))
      const kept = [all.slice(0, 7), all.slice(7, 1200), all.slice(1200)].map((some) => of(some).kept)
      const added = new Latencies()
      for (const each of kept) added.addKept(each)
      assert.strictEqual(added.kept, of(all).kept)
      for (const share of [0.01, 0.5, 0.9, 0.99, 1]) {
        const [told, exact] = [added.percentile(share) ?? 0, exactly(all, share)]
        assert.isAtMost(Math.abs(told / exact - 1), 0.023, `${share} of it is ${exact}`)
      }
    })
  })

  it("tell the one that there is, and nothing of none", () => {
    assert.strictEqual(new Latencies().percentile(0.5), null)
    assert.strictEqual(new Latencies().kept, "{}")
    for (const share of [0, 0.5, 0.99, 1]) assert.strictEqual(of([0]).percentile(share), 1)
    // As many as count: of a hundred, one is beyond the 99th.
    const hundred = of([...Array.from({ length: 99 }, () => 1), 1000])
    assert.strictEqual(hundred.percentile(0.99), 1)
    assert.strictEqual(of([...Array.from({ length: 98 }, () => 1), 1000, 1000]).percentile(0.99), 1000)
  })

  it("are kept in a form that stays, and take what is longer than three days for that", () => {
    assert.strictEqual(of([0, 1, 1.01, 2, 2, 2.01, 60_000]).kept, '{"0":2,"1":1,"16":2,"17":1,"254":1}')
    assert.strictEqual(of([1e12, Number.MAX_VALUE]).kept, '{"448":2}')
    const newer = new Latencies()
    newer.addKept('{"-1":7,"449":1,"9999":1}')
    assert.strictEqual(newer.kept, '{"448":2}')
  })

  it("are empty again when they are cleared", () => {
    const latencies = of([5, 5, 5])
    latencies.clear()
    assert.strictEqual(latencies.kept, "{}")
  })
})
