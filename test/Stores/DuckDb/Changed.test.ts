/** What is recorded for the next copy for analysts: each key once, events as ranges of numbers. */
import { assert, describe, it } from "@effect/vitest"
import { Changed } from "../../../src/Stores/DuckDb/Changed.ts"
import { seed } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"

const sorted = (keys: Iterable<string> = []) => [...keys].toSorted((a, b) => Number(a) - Number(b))

describe("keys of changed rows", () => {
  it("are those that were noted, each once, in whatever order events came", () => {
    const dice = seeded(seed)
    for (let round = 0; round < 200; round++) {
      const changed = new Changed()
      const noted = new Set<string>()
      for (let n = 0; n < 60; n++) {
        const key = String(dice.below(40) + 1)
        noted.add(key)
        changed.add("events", [key, key])
        changed.add("ipcs", [`IPC-${key}`])
      }
      assert.deepStrictEqual(changed.keys?.get("events"), sorted(noted), `seed ${seed}, round ${round}`)
      assert.deepStrictEqual(new Set(changed.keys?.get("ipcs")), new Set([...noted].map((key) => `IPC-${key}`)))
      assert.strictEqual(changed.count, noted.size * 2)
    }
  })

  it("of tables in which nothing was written aren't there", () => {
    const changed = new Changed()
    changed.add("ipcs", ["IPC-1"])
    assert.deepStrictEqual([...(changed.keys ?? [])], [["ipcs", ["IPC-1"]]])
  })

  it("count as all once there are too many", () => {
    const changed = new Changed()
    const numbers = Array.from({ length: 200_001 }, (_, at) => String(at + 1))
    changed.add("events", numbers.slice(1))
    assert.strictEqual(changed.keys?.get("events")?.length, 200_000)
    changed.add("events", numbers)
    assert.isUndefined(changed.keys)
    changed.add("ipcs", ["IPC-1"])
    assert.isUndefined(changed.keys)
  })
})
