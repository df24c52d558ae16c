/** The numbers that a writer keeps of ids, by a part of their hash. */
import { assert, describe, it } from "@effect/vitest"
import { isOf, RowNumbers } from "../../../src/Stores/DuckDb/RowNumbers.ts"
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
})
