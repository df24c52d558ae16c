/**
 * A row with very many fields is merged in parts, and a row from its first change is merged at once: both end in the
 * same row.
 */
import { assert, describe, it } from "@effect/vitest"
import type { Change } from "../../../src/Domain/Change.ts"
import { isLarge, merge, mergeInParts, type Row } from "../../../src/Domain/Merge.ts"
import { type Resource, resources } from "../../../src/Domain/Resource.ts"
import { seeded } from "../../Seeded.ts"
import { event, page } from "./Histories.ts"

const values: ReadonlyArray<string> = ["1.50", "null", '"é\\n"', '{"y":[1,-0],"x":"2"}', "12345678901234567890"]

/** Names that are sorted by number, names that aren't, and some that a prototype has. */
const fields = (count: number, from = 0): Readonly<Record<string, string>> => {
  const extra = Object.create(null) as Record<string, string>
  for (let n = from; n < from + count; n++) extra[n % 3 === 0 ? `${n * 7919}` : `k${n}`] = values[n % 5] ?? ""
  return Object.assign(extra, { "01": "1", "4294967295": "2", constructor: "3" })
}

const of = (second: number, extra: Readonly<Record<string, string>>): Change =>
  event("permits", "issued", second, { validity: "long" }, { extra })

const inParts = (stored: Row | undefined, changes: ReadonlyArray<Change>, resource: Resource = resources.permits) => {
  const parts = mergeInParts(resource, stored, changes)
  let pauses = 0
  for (let part = parts.next(); ; part = parts.next()) {
    if (part.done === true) return { row: part.value, pauses }
    pauses++
  }
}

describe("a merge in parts", () => {
  it("ends in the same row, also over a stored one, and pauses", () => {
    const first = of(1, fields(30_000))
    const second = of(2, fields(20_000, 20_000))
    const once = merge(resources.permits, undefined, [first, second])
    assert.deepStrictEqual(inParts(undefined, [first, second]).row, once)
    const stored = merge(resources.permits, undefined, [first])
    const { pauses, row } = inParts(stored, [second])
    assert.deepStrictEqual(row, merge(resources.permits, stored, [second]))
    assert.isAtLeast(pauses, 15)
    assert.strictEqual(inParts(row, [second]).row, row)
  })

  it("ends in the row that a first change makes at once, whatever came before it", () => {
    const random = seeded(7)
    const names = ["note", "10", "9", "01", "__proto__", "é", "constructor"]
    for (let n = 0; n < 500; n++) {
      const extra = Object.create(null) as Record<string, string>
      for (const name of names) if (random.chance(0.4)) extra[name] = values[random.below(values.length)] ?? ""
      const [resource, change] = random.chance(0.5)
        ? ([resources.permits, event("permits", "issued", random.below(3), { validity: "long" }, { extra })] as const)
        : ([resources.projects, page("projects", random.below(3), { name: "A", status: null }, { extra })] as const)
      assert.deepStrictEqual(merge(resource, undefined, [change]), inParts(undefined, [change], resource).row)
    }
  })

  it("is for changes and rows with thousands of fields only", () => {
    const [small, large] = [of(1, fields(100)), of(1, fields(10_000))]
    assert.isFalse(isLarge(undefined, [small]))
    assert.isTrue(isLarge(undefined, [small, large]))
    assert.isTrue(isLarge(merge(resources.permits, undefined, [large]), [small]))
    assert.isFalse(isLarge(merge(resources.permits, undefined, [small]), [small]))
  })
})
