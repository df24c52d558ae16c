/** Where an answer has its rows, and how pages are requested. */
import { assert, describe, it } from "@effect/vitest"
import { answering, array, inPath, integer, listAt, object, of, query, text, whyNot } from "./Documents.ts"

const thing = object({ id: integer })
const flag = { type: "boolean" }
const url = { type: "string", format: "uri" }

const pagingOf = (schema: unknown, parameters: ReadonlyArray<object>, headers: object = {}) => {
  const answer = { description: "", headers, content: { "application/json": { schema } } }
  return listAt(of({ "/things": { get: { parameters, responses: { "200": answer } } } }), "/things").paging
}

describe("paging", () => {
  it.each([
    [
      "page numbers",
      object({ items: array(thing), total: integer }),
      [query("page", integer), query("limit", integer)],
      { style: "page", page: "page", first: 1, size: "limit" }
    ],
    [
      "page numbers from 0",
      object({ content: array(thing), totalElements: integer }),
      [query("page", { type: "integer", default: 0 })],
      { style: "page", page: "page", first: 0 }
    ],
    [
      "an offset",
      array(thing),
      [query("offset", integer), query("limit", { type: "integer", maximum: 500 })],
      { style: "offset", offset: "offset", size: "limit", largest: 500 }
    ],
    [
      "a cursor",
      object({ data: array(thing), next_cursor: text }),
      [query("cursor"), query("limit", integer)],
      { style: "cursor", cursor: "cursor", next: "/next_cursor", size: "limit" }
    ],
    [
      "a cursor deeper inside",
      object({ data: array(thing), meta: object({ cursors: object({ after: text }) }) }),
      [query("after")],
      { style: "cursor", cursor: "after", next: "/meta/cursors/after" }
    ],
    [
      "an offset that is a token",
      object({ data: array(thing), next_page: object({ offset: text, uri: url }) }),
      [query("offset"), query("limit", integer)],
      { style: "cursor", cursor: "offset", next: "/next_page/offset", size: "limit" }
    ],
    [
      "the last record",
      object({ data: array(thing), has_more: flag }),
      [query("starting_after"), query("ending_before")],
      { style: "after", after: "starting_after", column: "id", more: "/has_more" }
    ],
    ["a link", object({ results: array(thing), next: url }), [], { style: "link", next: "/next" }],
    [
      "a link among links",
      object({ data: array(thing), links: object({ next: url }) }),
      [],
      { style: "link", next: "/links/next" }
    ],
    ["nothing", object({ data: array(thing) }), [], { style: "none" }]
  ] as const)("by %s", (_how, schema, parameters, expected) => {
    assert.deepStrictEqual(pagingOf(schema, parameters), expected)
  })

  it("by the Link header", () => {
    assert.deepStrictEqual(pagingOf(array(thing), [], { Link: {} }), { style: "link", next: "header Link" })
  })

  it("by numbers rather than a cursor where there is a total, which proves a copy", () => {
    const both = [query("page", integer), query("cursor")]
    assert.strictEqual(pagingOf(object({ data: array(thing), total: integer, next: text }), both).style, "page")
    assert.strictEqual(pagingOf(object({ data: array(thing), next: text }), both).style, "cursor")
  })

  it("that hides the rest can't be synced", () => {
    const found = of({ "/things": { get: answering(object({ data: array(thing), has_more: flag })) } })
    assert.match(whyNot(found, "GET /things"), /says that there may be more, but no parameter asks for it/)
    const lost = of({ "/things": { get: answering(array(thing), { parameters: [query("cursor")] }) } })
    assert.match(whyNot(lost, "GET /things"), /pages by cursor, but its answer doesn't show where the next one is/)
  })
})

describe("rows", () => {
  const rowsOf = (schema: unknown, path = "/things") =>
    listAt(of({ [path]: { get: answering(schema) } }), path).answer.rows

  it.each([
    ["under a usual name", object({ data: array(thing), errors: array(text) }), "/data"],
    ["under their own name", object({ things: array(thing), meta: object({ total: integer }) }), "/things"],
    ["deeper inside", object({ data: object({ items: array(thing), total: integer }) }), "/data/items"],
    ["in a schema of parts", { allOf: [object({ data: array({}) }), object({ data: array(thing) })] }, "/data"],
    [
      "in one of several schemas",
      { oneOf: [object({ error: text }), object({ data: array(thing), total: integer })] },
      "/data"
    ]
  ])("are found %s", (_where, schema, expected) => {
    assert.strictEqual(rowsOf(schema), expected)
  })

  it("aren't the parts of one record", () => {
    const order = object({ id: integer, items: array(thing) })
    const found = of({
      "/orders/{id}": { get: answering(order, { parameters: inPath("id") }) },
      "/me": { get: answering(order) }
    })
    assert.deepStrictEqual(found.review.lists, [])
  })

  it("of one record in a list's envelope are a detail", () => {
    const many = object({ Accounts: array(object({ AccountID: text, Name: text })) })
    const found = of({ "/Accounts": { get: answering(many) }, "/Accounts/{AccountID}": { get: answering(many) } })
    assert.deepStrictEqual(
      found.operations.map(({ kind }) => kind),
      ["list", "detail"]
    )
    assert.deepStrictEqual(listAt(found, "/Accounts").key, ["account_id"])
  })
})
