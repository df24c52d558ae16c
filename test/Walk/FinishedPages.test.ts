import { assert, describe, it } from "@effect/vitest"
import { FinishedPages } from "../../src/Walk/FinishedPages.ts"

describe("finished pages", () => {
  it("are counted once each, in any order, and the others are missing", () => {
    const finished = new FinishedPages()
    for (const page of [3, 1, 7, 3, 2, 1]) finished.add(page)
    assert.strictEqual(finished.size, 4)
    assert.deepStrictEqual(finished.missing(9, 10), [4, 5, 6, 8, 9])
    assert.deepStrictEqual(finished.missing(9, 2), [4, 5])
    assert.deepStrictEqual(finished.missing(3, 10), [])
    for (const page of [6, 5, 4]) finished.add(page)
    assert.deepStrictEqual([finished.size, ...finished.missing(9, 10)], [7, 8, 9])
  })
})
