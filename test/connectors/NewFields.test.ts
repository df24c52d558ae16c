/** What a list's `newFields` makes of fields that have no column: kept for later, or kept nowhere, not even in quarantine. */
import { assert, describe, it } from "@effect/vitest"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import { shapeOf } from "../../connectors/construction/ConstructionShapes.ts"
import { resourceOf } from "../../src/Discovery/Resources.ts"
import { newFields } from "../../src/Discovery/Review.ts"
import { column, listOf } from "./ReviewedLists.ts"

const columns = [column("id", "BIGINT"), column("city", "VARCHAR", { from: "/address/city" }), column("name")]

const records = [
  { id: 7, name: "A", address: { city: "Graz", street: "secret" }, note: "secret" },
  { id: {}, name: "B", address: { city: "Linz", street: "secret" }, note: "secret" }
]

const read = (policy: (typeof newFields)[number] | undefined) => {
  const list = listOf({ columns, ...(policy === undefined ? {} : { newFields: policy }) })
  const page = { records, observedMicros: 1, receivedAt: "2026-11-20T02:00:00.000000Z", sha256: "ab".repeat(32) }
  const { bad, changes } = changesOf(page, shapeOf(list))
  return { change: changes[0], bad: bad[0], resource: resourceOf(list) }
}

describe("a field without a column", () => {
  it.each([undefined, "evolve", "freeze"] as const)("is kept if newFields is %s", (policy) => {
    const { bad, change, resource } = read(policy)
    assert.strictEqual(change?.extra["note"], '"secret"')
    assert.include(bad?.record, "secret")
    assert.strictEqual(resource.learns, policy === "freeze" ? undefined : true)
  })

  it("is kept nowhere if newFields is discard", () => {
    const { bad, change, resource } = read("discard")
    assert.deepStrictEqual(change?.values, { city: "Graz", name: "A" })
    assert.deepStrictEqual(Object.keys(change?.extra ?? { none: 1 }), [])
    assert.strictEqual(bad?.record, '{"id":{},"name":"B","address":{"city":"Linz"}}')
    assert.isUndefined(resource.learns)
  })

  it("has a table that siteledger's own resources don't share", () => {
    const own = resourceOf(listOf({ table: "ipcs" }))
    assert.isUndefined(own.learns)
    assert.isUndefined(own.isWhole)
  })
})

describe("a column of days", () => {
  it("has the day of a time, which is kept whole", () => {
    const shape = shapeOf(listOf({ columns: [column("id", "BIGINT"), column("due_on", "DATE")] }))
    const page = { observedMicros: 1, receivedAt: "2026-11-20T02:00:00.000000Z", sha256: "ab".repeat(32) }
    const time = "2026-11-20T23:30:00-05:00"
    const records = [
      { id: 1, due_on: "2026-11-20" },
      { id: 2, due_on: "2026-11-20T00:00:00.000Z" },
      { id: 3, due_on: time }
    ]
    const { changes } = changesOf({ ...page, records }, shape)
    assert.deepStrictEqual(
      changes.map(({ misfits, values }) => ({ ...values, ...misfits })),
      [{ due_on: "2026-11-20" }, { due_on: "2026-11-20" }, { due_on: JSON.stringify(time) }]
    )
    assert.strictEqual(changes[2]?.values["due_on"], "2026-11-20")
  })
})
