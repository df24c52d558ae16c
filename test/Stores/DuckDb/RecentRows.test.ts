/** The most recent rows that events changed are kept in memory, up to a total size. */
import { assert, describe, it } from "@effect/vitest"
import { RecentRows } from "../../../src/Stores/DuckDb/RecentRows.ts"

const row = (id: string, characters: number) => ({ id, text: "x".repeat(characters), none: null })

describe("recent rows", () => {
  it("are those kept last, as many as fit, each as it was kept last", () => {
    const recent = new RecentRows(1000)
    for (let n = 0; n < 100; n++) recent.keep(`I${n % 10}`, { row: row(`I${n % 10}`, 150), number: n })
    const kept = Array.from({ length: 10 }, (_, n) => recent.get(`I${n}`)?.number)
    assert.deepStrictEqual(
      kept.filter((number) => number !== undefined),
      [95, 96, 97, 98, 99]
    )
    recent.drop("I9")
    recent.drop("I9")
    assert.isUndefined(recent.get("I9"))
    recent.keep("I0", { row: row("I0", 100), number: 100 })
    assert.strictEqual(recent.get("I5")?.number, 95)
  })

  it("never hold one that is larger than all of them may be", () => {
    const recent = new RecentRows(1000)
    recent.keep("I1", { row: row("I1", 100), number: 1 })
    recent.keep("I2", { row: row("I2", 2000), number: 2 })
    assert.isUndefined(recent.get("I2"))
    recent.keep("I3", { row: row("I3", 900), number: 3 })
    assert.strictEqual(recent.get("I3")?.number, 3)
  })
})
