/** A set of numbers that is filled first and queried afterwards. */
import { assert, describe, it } from "@effect/vitest"
import { NumberSet } from "../../../src/Operate/Audit/NumberSet.ts"
import { seeded } from "../../Seeded.ts"

describe("a set of numbers", () => {
  it("has what was added, in any order and number, and nothing else", () => {
    const random = seeded(20261125)
    const set = new NumberSet()
    assert.isFalse(set.has(0))
    const added = new Set(Array.from({ length: 5000 }, () => random.below(2 ** 30) * 2))
    for (const number of added) set.add(number)
    for (const number of added) assert.isTrue(set.has(number))
    for (const number of added) assert.isFalse(set.has(number + 1))
    set.add(1)
    assert.isTrue(set.has(1))
  })
})
