/** The row numbers that a writer keeps for ids, by a part of their hash. */
import { assert, describe, it } from "@effect/vitest"
import { isOf, RowNumbers } from "../../../src/Stores/DuckDb/RowNumbers.ts"
import { seed } from "../../Long.ts"
import { seeded } from "../../Seeded.ts"
import { alike } from "./Alike.ts"

describe("row numbers", () => {
  it("of ids with one hash are all candidates, and each can move", () => {
    const numbers = new RowNumbers()
    for (let n = 0; n < 5000; n++) numbers.add(`I${n}`, n + 100)
    for (const [number, [a, b]] of alike.entries()) {
      assert.isTrue(isOf(a, b))
      numbers.add(a, number * 2)
      numbers.add(b, number * 2 + 1)
      numbers.move(b, number * 2 + 1, 9000 + number)
      assert.deepStrictEqual(numbers.of(a).toSorted(), [number * 2, 9000 + number])
    }
    for (let n = 0; n < 5000; n++) assert.include(numbers.of(`I${n}`), n + 100)
    assert.deepStrictEqual(numbers.of("another"), [])
  })

  it(`from one on are told and forgotten, and the others stay (seed ${seed})`, () => {
    const random = seeded(seed)
    for (let round = 0; round < 40; round++) {
      const numbers = new RowNumbers()
      let known = new Map<number, string>()
      let next = 0
      for (let turn = 0; turn < 12; turn++) {
        // As full as it gets, where most of them aren't in their first slot.
        for (const most = random.below(768); known.size < most; next++) {
          const id = random.chance(0.1) ? random.pick(alike.flat()) : `I${random.below(1000)}`
          numbers.add(id, next)
          known.set(next, id)
        }
        // An older row then is in the way of a newer one.
        for (const [number, id] of [...known].filter(() => random.chance(0.1))) {
          numbers.move(id, number, next)
          known.delete(number)
          known.set(next++, id)
        }
        const least = random.below(next + 1)
        const expected = [...known.keys()].filter((number) => number >= least)
        assert.deepStrictEqual([...numbers.from(least)], expected)
        if (random.chance(0.3)) continue
        numbers.dropFrom(least)
        known = new Map([...known].filter(([number]) => number < least))
        next = least
        assert.strictEqual(numbers.count, known.size)
        assert.deepStrictEqual([...numbers.from(0)], [...known.keys()])
        for (const [number, id] of known) assert.include(numbers.of(id), number)
      }
    }
  })
})
