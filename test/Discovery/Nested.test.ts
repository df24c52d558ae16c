/** Lists inside records: what discovery offers, what a review file may say of them, and how that is brought up to date. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { compare } from "../../src/Discovery/Compare.ts"
import type { Discovered } from "../../src/Discovery/Discovery.ts"
import type { List, Nested, Review } from "../../src/Discovery/Review.ts"
import { decode } from "../../src/Discovery/Review/Decode.ts"
import { revise } from "../../src/Discovery/Review/Revise.ts"
import { write } from "../../src/Discovery/Review/Write.ts"
import { array, integer, listing, object, of, text } from "./Documents.ts"

const line = object({
  id: integer,
  "Net Price": { type: "number" },
  api_token: text,
  deep: array(object({ a: text }))
})
const order = object({ id: integer, lines: array(line), tags: array(text), more: object({ a: text }) })

const found = (item: unknown, others: Readonly<Record<string, unknown>> = {}): Discovered =>
  of({ "/orders": listing(item), ...others })

const orders = (review: Review): List => review.lists.find(({ read }) => read === "GET /orders") ?? assert.fail("none")

const withNested = (review: Review, nested: ReadonlyArray<Nested>, changes: Partial<List> = {}): Review => ({
  ...review,
  lists: review.lists.map((list) => (list.read === "GET /orders" ? { ...list, nested, ...changes } : list))
})

const refusals = (review: Review): ReadonlyArray<string> =>
  Result.match(decode(JSON.stringify(review)), { onFailure: (sentences) => sentences, onSuccess: () => [] })

describe("lists inside records", () => {
  const { review } = found(order, { "/order-lines": listing(object({ id: integer })) })
  const [nested = assert.fail("none")] = orders(review).nested ?? []

  it("are offered, off, where they are lists of objects, with columns like any other and a table of their own", () => {
    assert.deepStrictEqual(orders(review).nested, [
      {
        column: "lines",
        on: false,
        table: "order_lines_2",
        columns: [
          { name: "id", type: "BIGINT", use: "keep" },
          { name: "net_price", type: "DECIMAL(28,4)", use: "keep", money: "suggested", from: "/Net Price" },
          { name: "api_token", type: "VARCHAR", use: "drop" },
          { name: "deep", type: "JSON", use: "keep" }
        ]
      }
    ])
    assert.include(orders(review).reasons.at(-1), "may be tables, too: lines.")
    assert.deepStrictEqual(refusals(review), [])
    assert.include(write(review), '\n            { "name": "id", "type": "BIGINT", "use": "keep" },\n')
  })

  it("are refused by the list and the table, where something is wrong", () => {
    const on = { ...nested, on: true }
    const column = { name: "a", type: "VARCHAR", use: "keep" } as const
    const wrong: ReadonlyArray<readonly [changed: Nested, words: string]> = [
      [{ ...on, table: 'x"; drop' }, `whose nested "x\\"; drop" isn't a table with a name of small letters`],
      [{ ...on, column: "more_of" }, 'is made of "more_of", which isn\'t a column of type JSON that is kept'],
      [{ ...on, column: "id" }, 'is made of "id", which isn\'t a column of type JSON that is kept'],
      [{ ...on, columns: [column, column] }, "has a column twice"],
      [{ ...on, columns: [{ ...column, name: "__proto__" }] }, "that isn't a name of small letters"],
      [{ ...on, columns: [{ ...column, parameter: "p" }] }, "that is a parameter"],
      [{ ...on, columns: [{ ...column, money: "signed-off" }] }, "that is money, which is DECIMAL(28,4)"]
    ]
    for (const [changed, words] of wrong) {
      const [sentence = "", ...others] = refusals(withNested(review, [changed]))
      assert.include(sentence, words)
      assert.match(sentence, /^has GET \/orders, whose nested "/)
      assert.deepStrictEqual(others, [])
    }
    for (const [table, owner] of [
      ["vos", "siteledger"],
      ["order_lines", "GET /order-lines"]
    ] as const) {
      const said = refusals(withNested(review, [{ ...on, table }], { on: true }))
      assert.deepStrictEqual(said, [`has GET /orders, whose nested "${table}" is a table of ${owner}, too.`])
    }
    const twice = withNested(review, [on, { ...on, column: "tags" }], { on: true })
    assert.deepStrictEqual(refusals(twice), [
      'has GET /orders, whose nested "order_lines_2" is a table of GET /orders, too.'
    ])
  })

  it("stay as a person wrote them when the document changes, and get what is new", () => {
    const written = withNested(review, [
      { ...nested, on: true, table: "positions", columns: nested.columns.filter(({ name }) => name !== "deep") }
    ])
    const now = found(
      object({ id: integer, lines: array(object({ id: text, unit: text })), parts: array(object({ a: text })) }),
      { "/order-lines": listing(object({ id: integer })) }
    )
    const revised = revise(written, now.review)
    const [kept, added, ...others] = orders(revised.review).nested ?? []
    assert.deepStrictEqual(others, [])
    assert.deepInclude(kept, { on: true, table: "positions" })
    assert.deepStrictEqual(
      kept?.columns.map(({ gone, name, type }) => [name, type, gone]),
      [
        ["id", "BIGINT", undefined],
        ["net_price", "DECIMAL(28,4)", true],
        ["api_token", "VARCHAR", true],
        ["unit", "VARCHAR", undefined]
      ]
    )
    assert.deepInclude(added, { column: "parts", on: false, table: "order_parts" })
    assert.includeMembers(
      [...revised.changes],
      [
        "new: GET /orders has a list in parts, off, as order_parts.",
        "gone: GET /orders positions has no net_price any more.",
        "differs: GET /orders positions has id as BIGINT in the file, VARCHAR in the document; the file's stays."
      ]
    )
    assert.deepStrictEqual(revise(revised.review, now.review).review, revised.review)
    assert.deepStrictEqual(refusals(revised.review), [])
  })

  it("are compared with those of another document", () => {
    const said = (item: unknown) => compare(found(order), found(item)).map(({ verdict, what }) => `${verdict}: ${what}`)
    const other = object({
      id: integer,
      lines: array(object({ id: text })),
      tags: array(object({ a: text })),
      more: text
    })
    assert.includeMembers(said(other), [
      "unsafe: in lines, id was BIGINT, is VARCHAR",
      "unsafe: in lines, it has no deep any more",
      "safe: tags has a list of objects now"
    ])
    assert.include(said(object({ id: integer, lines: array(text) })), "unsafe: lines has no list of objects any more")
  })
})
