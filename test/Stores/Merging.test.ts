/** A row with very many fields is merged while other events are handled. */
import { assert, describe, it } from "@effect/vitest"
import { merge } from "../../src/Domain/Merge.ts"
import { resources } from "../../src/Domain/Resource.ts"
import { mergeGently } from "../../src/Stores/Merging.ts"
import { event } from "../Domain/Merge/Histories.ts"

const withFields = (count: number) => {
  const extra = Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, "1"]))
  return event("permits", "issued", 1, { validity: "long" }, { extra })
}

describe("a merge for an engine", () => {
  it("of very many fields leaves turns to others, and ends in the same row", async () => {
    const large = withFields(50_000)
    const merging = mergeGently(resources.permits, undefined, [large])
    assert.instanceOf(merging, Promise)
    let [turns, isMerging] = [0, true]
    const count = (): void => {
      turns++
      if (isMerging) setImmediate(count)
    }
    setImmediate(count)
    const row = await merging
    isMerging = false
    assert.isAtLeast(turns, 10)
    assert.deepStrictEqual(row, merge(resources.permits, undefined, [large]))
  })

  it("of a usual change is done at once", () => {
    const small = withFields(100)
    assert.deepStrictEqual(
      mergeGently(resources.permits, undefined, [small]),
      merge(resources.permits, undefined, [small])
    )
  })
})
