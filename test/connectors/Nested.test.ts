/**
 * Fields that must not be kept, of the items of a list that is a table: they are neither there, nor in the record's own
 * column, nor in quarantine.
 */
import { assert, describe, it } from "@effect/vitest"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import { shapeOf } from "../../connectors/construction/ConstructionShapes.ts"
import { resourceOf } from "../../src/Discovery/Resources.ts"
import * as Merge from "../../src/Domain/Merge.ts"
import * as Nested from "../../src/Domain/Nested.ts"
import { column, listOf } from "./ReviewedLists.ts"

const list = listOf({
  columns: [column("id", "BIGINT"), column("parts", "JSON", { from: "/lines" })],
  nested: [
    {
      column: "parts",
      on: true,
      table: "thing_parts",
      columns: [
        column("nr"),
        column("qty", "DECIMAL(28,4)"),
        column("token", "VARCHAR", { use: "drop" }),
        column("mail", "VARCHAR", { use: "hash", from: "/who/mail" })
      ]
    }
  ]
})

const read = (records: ReadonlyArray<unknown>, of = list) => {
  const page = { records, observedMicros: 1, receivedAt: "2026-11-20T02:00:00.000000Z", sha256: "ab".repeat(32) }
  return changesOf(page, shapeOf(of), { hashOf: (value) => `hash of ${value.length}` })
}

const lines = [{ nr: "A", token: "s3cret", who: { mail: "a@x" }, qty: 2 }, "odd", { who: null }]

describe("the items of a list that is a table", () => {
  it("lose what is dropped, and have a hash of what is hashed, in the record's column and in their rows", () => {
    const [change] = read([{ id: 7, lines }]).changes
    const kept = '[{"nr":"A","who":{"mail":"hash of 5"},"qty":2},"odd",{"who":null}]'
    assert.strictEqual(change?.values["parts"], kept)
    const row = Merge.merge(resourceOf(list), undefined, change === undefined ? [] : [change])
    assert.strictEqual(row?.["parts"], kept)
    assert.deepStrictEqual(JSON.parse(row?.["_nested"] ?? ""), {
      thing_parts: [
        { _position: "0", nr: "A", qty: "2.0000", mail: "hash of 5", _extra: '{"who":{"mail":"hash of 5"}}' },
        { _position: "1", _extra: '"odd"' },
        { _position: "2", _extra: '{"who":null}' }
      ]
    })
  })

  it("lose both in quarantine", () => {
    const [bad] = read([{ id: {}, lines }]).bad
    assert.strictEqual(bad?.record, '{"id":{},"lines":[{"nr":"A","who":{},"qty":2},"odd",{"who":null}]}')
  })

  it("are as they came while it is no table", () => {
    const off = { ...list, nested: (list.nested ?? []).map((each) => ({ ...each, on: false })) }
    const [change] = read([{ id: 7, lines }], off).changes
    assert.strictEqual(change?.values["parts"], JSON.stringify(lines))
    assert.isUndefined(resourceOf(off).nested)
  })

  it("count as misfits where a value has another type, or is no list of objects", () => {
    const misfits = (parts: unknown) => Nested.misfitsIn(resourceOf(list), { parts: JSON.stringify(parts) })
    const counts = [[{ nr: "A", qty: "x" }, { qty: true }, "odd"], { no: "list" }, "odd", [], null, [{ nr: null }]].map(
      misfits
    )
    assert.deepStrictEqual(counts, [3, 1, 1, 0, 0, 0])
    assert.strictEqual(misfits("[erased]"), 0)
  })
})
