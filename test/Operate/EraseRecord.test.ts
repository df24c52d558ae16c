/**
 * The row of an erased record of a list, changed in place: it equals the row that a page without the erased values
 * makes.
 */
import { assert, describe, it } from "@effect/vitest"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import { fields } from "../../connectors/construction/ConstructionColumns.ts"
import * as Erasing from "../../connectors/construction/ConstructionErasing.ts"
import { read } from "../../connectors/construction/ConstructionReader.ts"
import { shapeOf } from "../../connectors/construction/ConstructionShapes.ts"
import { resourceOf } from "../../src/Discovery/Resources.ts"
import * as Erasure from "../../src/Domain/Erasure.ts"
import { merge } from "../../src/Domain/Merge.ts"
import { resources } from "../../src/Domain/Resource.ts"
import { emptiedRow } from "../../src/Operate/Erase/ServerRecord.ts"
import { described } from "../../src/Stores/EntityTables.ts"
import { column, listOf } from "../connectors/ReviewedLists.ts"

const types = ["VARCHAR", "BIGINT", "DECIMAL(28,4)", "DOUBLE", "BOOLEAN", "TIMESTAMPTZ", "DATE", "JSON"] as const

/** Each may come in each column. */
const values = [
  null,
  "Ada Lovelace",
  "",
  7,
  "7",
  1.5,
  "12.50",
  1e300,
  true,
  "true",
  "2026-11-20",
  "2026-11-20T08:00:00Z",
  "2026-11-20T23:30:00-05:00",
  ["Ada", 1],
  { by: "Ada", at: 7 },
  "[erased]"
]

const columns = types.map((type, place) => column(`c${place}`, type))
const list = listOf({
  key: ["region", "id"],
  columns: [
    column("region"),
    column("id", "BIGINT"),
    column("slug", "VARCHAR", { from: "/meta/slug" }),
    column("mail", "VARCHAR", { use: "hash" }),
    column("address", "VARCHAR", { use: "hash", from: "/contact/address" }),
    ...columns
  ]
})
const notes = listOf({ table: "notes", parent: { table: list.table, parameters: { thing: "slug" } } })
const given = { aliases: {}, contentsAt: [] }
const reads = Erasing.reads({ ...given, recordsAt: [] }, [list, notes])
const resource = resourceOf(list)
const table = described(resource)
const all = [Erasure.erased({ table: list.table, id: "a/1" }, "salt")]
const erased = Erasing.erasedOf({ all, reads }, list.table)

const rowOf = (record: object, by?: typeof erased) => {
  const page = {
    records: [record],
    observedMicros: 1,
    receivedAt: "2026-11-20T02:00:00.000000Z",
    sha256: "ab".repeat(32)
  }
  const { changes } = changesOf(page, shapeOf(list), { hashOf: (value) => `hash ${value}`, erased: by })
  return merge(resource, undefined, changes) ?? assert.fail("no row")
}

describe("the row of an erased record", () => {
  for (const value of values) {
    it(`that has ${JSON.stringify(value)} everywhere is as a page makes it that has lost that`, () => {
      const fill = Object.fromEntries(columns.map(({ name }) => [name, value]))
      const record = {
        region: "a",
        id: 1,
        meta: { slug: "s", by: value },
        mail: value,
        contact: { address: value, by: value },
        ...fill,
        more: value,
        c9: { c: value }
      }
      const row = rowOf(record)
      const left = emptiedRow(table, row, { fields: fields(given, [list, notes]), reads })
      assert.deepStrictEqual(left, { ...rowOf(record, erased) })
      assert.notInclude(JSON.stringify({ ...left, _clocks: "" }), "Ada")
      assert.deepInclude(left, { _key: "a/1", region: "a", slug: "s" })
      assert.deepStrictEqual(emptiedRow(table, left, { fields: fields(given, [list, notes]), reads }), left)
    })
  }
})

describe("the row of an erased record that events tell of", () => {
  const nested = { aliases: { severity: ["assessment.grade"] }, contentsAt: [] }
  const nestedReads = Erasing.reads({ ...nested, recordsAt: [] }, [])

  const rowOfEvent = (body: string) => {
    const delivery = {
      sequence: 1,
      bodySha256: "0".repeat(64),
      body: Buffer.from(body),
      eventId: "e",
      headerType: null,
      issuedAt: null,
      receivedAt: "2026-11-21T08:00:00.000000Z",
      deliveries: 1,
      replayed: false
    }
    const now = Date.parse("2026-11-21T08:00:00Z") * 1000
    const { change } = read({ ...nested, trustTypeHeader: false, maximumBytes: 1e6 }, delivery, now)
    return merge(resources.ncrs, undefined, [change ?? assert.fail("not read")]) ?? assert.fail("no row")
  }

  for (const value of values.filter((value) => value !== null)) {
    it(`is as its delivery makes it that has lost ${JSON.stringify(value)} beside a proof inside an object`, () => {
      const assessment = { grade: value, by: value, more: { by: value } }
      const body = JSON.stringify({ event_timestamp: "2026-11-20T08:00:00Z", ncr_id: 5, assessment, note: value })
      const rule = Erasure.redactor([Erasure.erased({ table: "ncrs", id: "5" }, "salt")])
      const less = Erasure.redactText(body, rule ?? assert.fail("nothing is erased"), nestedReads.bodies) ?? body
      const left = emptiedRow(described(resources.ncrs), rowOfEvent(body), {
        fields: fields(nested, []),
        reads: nestedReads
      })
      assert.deepStrictEqual(left, { ...rowOfEvent(less) })
      assert.deepInclude(left, { severity: "[erased]", status: "open" })
    })
  }
})
