/** The changes between two documents, and between a document and the data: safe, unsafe, new or gone. */
import { assert, describe, it } from "@effect/vitest"
import { compare } from "../../src/Discovery/Compare.ts"
import { compareSeen } from "../../src/Discovery/Seen.ts"
import { answering, array, integer, listAt, listing, object, of, page, query, text } from "./Documents.ts"

const thing = { id: integer, name: text, amount: { type: "number" } }

const between = (old: Readonly<Record<string, unknown>>, now: Readonly<Record<string, unknown>>) =>
  compare(of(old), of(now)).map(({ of: list, verdict, what }) => `${verdict} ${list}: ${what}`)

const things = (properties: Readonly<Record<string, unknown>>, parameters: ReadonlyArray<object> = []) => ({
  "/things": listing(object(properties), parameters as [])
})

describe("between two documents", () => {
  it("nothing changes if nothing does, whatever the words and the order", () => {
    assert.deepStrictEqual(between(things(thing), { "/things": { ...listing(object(thing)), summary: "other" } }), [])
  })

  it.each([
    [things({ ...thing, more: text }), "safe GET /things: it has more VARCHAR now"],
    [things({ id: integer, name: text }), "unsafe GET /things: it has no amount any more"],
    [things({ ...thing, name: integer }), "unsafe GET /things: name was VARCHAR, is BIGINT"],
    [
      things(thing, [query("company", text, { required: true })]),
      "unsafe GET /things: it requires the parameter company now"
    ],
    [things(thing, [query("updated_since")]), "safe GET /things: it can be asked for what changed, by updated_since"],
    [{ ...things(thing), "/new": { get: answering(text) } }, "new GET /new: it is new: not syncable"],
    [{ "/other": listing(object(thing)) }, "gone GET /things: it is gone: a list"],
    [
      {
        "/things": {
          get: answering(object({ items: array(object(thing)), pagination: object({ total: integer }) }), {
            parameters: [query("page", integer), query("per_page", { maximum: 200 })]
          })
        }
      },
      'unsafe GET /things: its rows were at "/data", are at "/items"'
    ],
    [
      {
        "/things": {
          get: answering(page(object(thing)), { parameters: [query("offset", integer), query("limit", integer)] })
        }
      },
      'unsafe GET /things: it was paged as {"style":"page","page":"page","first":1,"size":"per_page"}, is as {"style":"offset","offset":"offset","size":"limit"}'
    ],
    [
      things({ name: text, amount: { type: "number" } }),
      "unsafe GET /things: was list, is not syncable: No field tells its records apart (it has name, amount): name the columns that do under key."
    ]
  ])("a change is told: %#", (now, sentence) => {
    assert.include(between(things(thing), now), sentence)
  })

  it("what is unsafe comes first", () => {
    const found = between(things(thing), {
      ...things({ ...thing, name: integer, more: text }),
      "/new": listing(object(thing))
    })
    assert.deepStrictEqual(
      found.map((line) => line.split(" ")[0]),
      ["unsafe", "new", "safe"]
    )
  })
})

describe("between a document and what came", () => {
  const list = listAt(of(things({ ...thing, "a/b": text })), "/things")
  const seen = (filled: Readonly<Record<string, number>>, extra: Readonly<Record<string, ReadonlyArray<string>>>) => ({
    rows: 10,
    filled: new Map(Object.entries(filled)),
    extra: new Map(Object.entries(extra).map(([name, types]) => [name, { rows: 4, types }]))
  })

  it("an endpoint that answers otherwise than its schema is told, field by field", () => {
    const came = seen(
      { id: 10, name: 0, amount: 6 },
      { amount: ["varchar"], colour: ["varchar", "object"], "a/b": ["varchar"] }
    )
    assert.deepStrictEqual(
      compareSeen(list, came).map(({ verdict, what }) => [verdict, what]),
      [
        ["unsafe", "amount came as varchar in 4 of 10 rows, which doesn't fit DECIMAL(28,4)"],
        ["new", "colour came as varchar or object in 4 of 10 rows, and isn't in the document"],
        ["safe", "a/b came as varchar in 4 of 10 rows, and has no column yet"],
        ["gone", "name never came, in 10 rows"]
      ]
    )
  })

  it("nothing is told of an empty table", () => {
    assert.deepStrictEqual(compareSeen(list, { rows: 0, filled: new Map([["name", 0]]), extra: new Map() }), [])
  })
})
