/** What is left of an erased record in pages and single answers: only what the reading and the books need. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import * as Erasing from "../../connectors/construction/ConstructionErasing.ts"
import { readList } from "../../connectors/construction/ConstructionPages.ts"
import { Forms } from "../../connectors/construction/ConstructionRecords.ts"
import { projectsShape, shapeOf } from "../../connectors/construction/ConstructionShapes.ts"
import type { List } from "../../src/Discovery/Review.ts"
import * as Erasure from "../../src/Domain/Erasure.ts"
import * as Json from "../../src/Domain/Json.ts"
import { column, listOf } from "./ReviewedLists.ts"

const given = { aliases: {}, contentsAt: [] }
const person = "Ada Lovelace"
const at = "2026-11-20T08:00:00Z"
const salt = "s"

const redactorOf = (record: Erasure.Named): Erasure.Redactor =>
  Erasure.redactor([Erasure.erased(record, salt)]) ?? assert.fail("nothing is erased")

const things = listOf({
  key: ["region", "number"],
  columns: [
    column("region"),
    column("number", "BIGINT", { from: "/meta/number" }),
    column("slug", "VARCHAR", { from: "/meta/slug" }),
    column("title"),
    column("mail", "VARCHAR", { use: "hash" }),
    column("since", "TIMESTAMPTZ"),
    column("cost", "DECIMAL(28,4)")
  ]
})
const notes = listOf({
  read: "GET /things/{thing}/notes",
  table: "notes",
  parent: { table: "things", parameters: { thing: "slug" } }
})
const ipcs = listOf({
  read: "GET /ipcs",
  table: "ipcs",
  detail: "GET /ipcs/{ipc_id}",
  lookUp: { on: true, record: "/data", paid: "paid_at", certificate: { amount: "certified_amount", at: "made" } },
  columns: [
    column("id", "VARCHAR", { from: "/ipc_id" }),
    column("certified_amount", "DECIMAL(28,4)", { money: "signed-off" }),
    column("made", "TIMESTAMPTZ", { from: "/made_at" }),
    column("paid_at", "TIMESTAMPTZ"),
    column("submitter")
  ]
})
const lists = [things, notes, ipcs]
const reads = Erasing.reads({ ...given, recordsAt: ["data"] }, lists)

const erasedIn = (table: string, ...ids: ReadonlyArray<string>) =>
  Erasing.erasedOf({ all: ids.map((id) => Erasure.erased({ table, id }, salt)), reads }, table)

const pageOf = (
  shape: Parameters<typeof changesOf>[1],
  records: ReadonlyArray<unknown>,
  erased: ReturnType<typeof erasedIn>
) => {
  const text = JSON.stringify({ data: records })
  const answer = { text, startedMs: 1.8e12, endedMs: 1.8e12, serviceMs: undefined }
  const { at: _at, ...raw } = Effect.runSync(readList(answer, shape!, new Forms()))
  return changesOf(raw, shape, { hashOf: (value) => `hash of ${value}`, erased })
}

describe("a page with an erased record", () => {
  const record = (region: string) => ({
    region,
    meta: { number: 4, slug: "a-4", by: person },
    title: person,
    mail: "ada@example.org",
    since: at,
    cost: "12.50",
    owner: { name: person }
  })

  it("has that without what isn't kept, named by several columns, and others whole", () => {
    const { bad, changes } = pageOf(shapeOf(things), [record("a/b"), record("c")], erasedIn("things", "a%2Fb/4"))
    assert.deepStrictEqual(bad, [])
    assert.deepStrictEqual(
      changes.map(({ extra, id, misfits, values }) => ({ id, values, misfits, extra: { ...extra } })),
      [
        {
          id: "a%2Fb/4",
          values: {
            region: "a/b",
            number: "4",
            slug: "a-4",
            title: "[erased]",
            mail: "[erased]",
            since: null,
            cost: null
          },
          misfits: {},
          extra: { meta: '{"number":4,"slug":"a-4","by":"[erased]"}', owner: '"[erased]"' }
        },
        {
          id: "c/4",
          values: {
            region: "c",
            number: "4",
            slug: "a-4",
            title: person,
            mail: 'hash of "ada@example.org"',
            since: "2026-11-20T08:00:00.000000Z",
            cost: "12.5000"
          },
          misfits: {},
          extra: { meta: `{"number":4,"slug":"a-4","by":"${person}"}`, owner: `{"name":"${person}"}` }
        }
      ]
    )
  })

  it("is cut as fast as before, but for that record", () => {
    const records = Array.from({ length: 6 }, (_, index) => ({
      id: index + 1,
      name: `${person} ${index}`,
      status: "s",
      by: person
    }))
    const { changes } = pageOf(projectsShape(), records, erasedIn("projects", "6", "7"))
    assert.deepStrictEqual(
      changes.map(({ id, values }) => `${id} ${values["name"]}`),
      [0, 1, 2, 3, 4].map((index) => `${index + 1} ${person} ${index}`).concat("6 [erased]")
    )
    assert.deepStrictEqual({ ...changes[5]?.extra }, { by: '"[erased]"' })
    assert.isUndefined(erasedIn("projects"))
  })

  it("keeps of one that can't be copied only what is left, or copies that", () => {
    const [long, nul] = ["x".repeat(3000), "a\u0000"]
    const records = [record(long), { ...record("c"), title: nul }]
    const { bad, changes } = pageOf(shapeOf(things), records, erasedIn("things", `${long}/4`, "c/4"))
    assert.deepStrictEqual(
      bad.map(({ id, record: text }) => [id, Json.parse(text)]),
      [
        [
          `${long}/4`,
          {
            region: long,
            meta: { number: 4, slug: "a-4", by: "[erased]" },
            title: "[erased]",
            since: null,
            cost: null,
            owner: "[erased]"
          }
        ]
      ]
    )
    assert.deepStrictEqual(
      changes.map(({ id, values }) => [id, values["title"]]),
      [["c/4", "[erased]"]]
    )
  })
})

describe("a single answer about an erased record", () => {
  const body = {
    data: { ipc_id: "17", certified_amount: 5.5, made_at: at, paid_at: at, submitter: person, by: person },
    of: person
  }

  const leftOf = (list: List, answer: unknown, id: string) =>
    Erasure.redactText(JSON.stringify(answer), redactorOf({ table: "ipcs", id }), Erasing.single(lists, list, given))

  it("keeps the certificate and what names it", () => {
    assert.deepStrictEqual(JSON.parse(leftOf(ipcs, body, "17") ?? ""), {
      data: { ...body.data, submitter: "[erased]", by: "[erased]" },
      of: "[erased]"
    })
    assert.isUndefined(leftOf(ipcs, body, "1"))
    assert.isUndefined(leftOf(ipcs, { data: {} }, "17"))
  })

  it("is a record of its table in quarantine, too, if it alone says which it is", () => {
    const rest = { ipc_id: "17", by: person }
    const quarantined = (table: string, record: unknown, id: string) =>
      Erasure.redactText(JSON.stringify(record), redactorOf({ table, id }), reads.records(table))
    assert.strictEqual(quarantined("ipcs", rest, "17"), '{"ipc_id":"17","by":"[erased]"}')
    assert.isUndefined(quarantined("ipcs", rest, "1"))
    assert.strictEqual(quarantined("projects", { id: 1, by: person }, "1"), '{"id":1,"by":"[erased]"}')
    assert.isUndefined(quarantined("unknown", rest, "17"))
  })

  it("may be any in quarantine where a key has a part of its request, or one that is hashed", () => {
    const below = { ...notes, key: ["thing", "id"] }
    const columns = [column("id", "VARCHAR", { use: "hash" }), column("name")]
    const all = [
      { ...below, columns: [column("thing", "VARCHAR", { parameter: "thing" }), column("id", "BIGINT")] },
      listOf({ table: "hashed", columns }),
      things,
      ipcs
    ]
    const { records } = Erasing.reads({ ...given, recordsAt: [] }, all)
    const tables = ["notes", "hashed", "things", "ipcs", "projects", "unknown"]
    assert.deepStrictEqual(
      tables.filter((table) => records(table).isUnnamed === true),
      ["notes", "hashed"]
    )
    assert.deepStrictEqual(records("notes").records({ id: 1 }), [])
  })
})

describe("a delivery that was read under other names once", () => {
  const before = [
    { aliases: { paid_amount: ["amt"], ncr_id: ["no"] }, contentsAt: ["object"] },
    { aliases: {}, contentsAt: [] }
  ]
  const left = (body: object, record: Erasure.Named, was = before) =>
    Erasure.redactText(
      JSON.stringify(body),
      redactorOf(record),
      Erasing.reads({ aliases: { paid_amount: ["amount_paid"] }, contentsAt: [], recordsAt: [] }, [], was).bodies
    )

  it("keeps what the books rest on by any of them, and is found by any", () => {
    const paid = { event_type: "ipc.paid", ipc_id: 7, payment_reference: "P", amt: 100, amount_paid: 7, of: 5 }
    const less = { ...paid, of: null }
    assert.strictEqual(left(paid, { table: "ipcs", id: "7" }), JSON.stringify(less))
    assert.strictEqual(left(paid, { table: "ipcs", id: "7" }, []), JSON.stringify({ ...less, amt: null }))
    const inside = { event_type: "ncr.closed", object: { no: 9, closure_date: "2026-11-20", by: person } }
    assert.strictEqual(
      left(inside, { table: "ncrs", id: "9" }),
      '{"event_type":"ncr.closed","object":{"no":9,"closure_date":"[erased]","by":"[erased]"}}'
    )
    assert.isUndefined(left(inside, { table: "ncrs", id: "9" }, []))
    const value = Erasure.redactor([Erasure.erased({ value: "100", field: "amt", isWithin: false }, salt)])
    const { bodies } = Erasing.reads({ ...given, recordsAt: [] }, [], before)
    assert.isUndefined(Erasure.redactText(JSON.stringify(paid), value ?? assert.fail("nothing"), bodies))
  })
})
