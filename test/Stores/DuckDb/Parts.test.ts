/** Work on many tables in parts: everything once, in order, and no part is larger than it may be. */
import { assert, describe, it } from "@effect/vitest"
import { partsOf } from "../../../src/Stores/DuckDb/Parts.ts"

const columns = (count: number): number => count

describe("tables in parts", () => {
  it.each([
    ["none", [], 10, []],
    ["as many as fit", [4, 6, 3], 10, [[4, 6], [3]]],
    ["one with more than fit, alone", [4, 60, 3], 10, [[4], [60], [3]]],
    ["all at once", [4, 60, 3], Infinity, [[4, 60, 3]]]
  ])("are %s", (_what, tables, atOnce, parts) => {
    assert.deepStrictEqual(partsOf(tables, columns, atOnce), parts)
  })
})
