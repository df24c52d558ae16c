/** Documents that are broken, endless or written to harm: each is refused or reported in words, and the rest goes on. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { open } from "../../src/Discovery/Document.ts"
import { rounds } from "../Long.ts"
import {
  answering,
  array,
  discovered,
  documentOf,
  inPath,
  integer,
  listAt,
  listing,
  object,
  of,
  page,
  query,
  text,
  whyNot
} from "./Documents.ts"

const thing = object({ id: integer, name: text })
const good = { "/projects": listing(thing) }

const isStillFound = (found: ReturnType<typeof of>) => assert.isTrue(listAt(found, "/projects").on)

describe("a document that isn't OpenAPI 3", () => {
  it.each([
    [7, "isn't OpenAPI: it is no JSON object."],
    [[], "isn't OpenAPI: it is no JSON object."],
    [{}, 'isn\'t OpenAPI: it has no text "openapi" like "3.1.0".'],
    [{ swagger: "2.0", paths: {} }, 'is Swagger "2.0". siteledger reads OpenAPI 3.1 and 3.0: convert it first.'],
    [{ openapi: "4.0.0", paths: {} }, 'is OpenAPI "4.0.0". siteledger reads OpenAPI 3.1 and 3.0.'],
    [{ openapi: 3.1, paths: {} }, 'isn\'t OpenAPI: it has no text "openapi" like "3.1.0".'],
    [{ openapi: "3.1.0" }, 'has no "paths", so there is nothing to discover.']
  ])("%j is refused in a sentence", (value, sentence) => {
    assert.strictEqual(Result.getOrThrow(Result.flip(open(value))), sentence)
  })

  it("3.0 is read as far as both agree, and that is said", () => {
    const found = discovered(documentOf(good, { openapi: "3.0.3" }))
    assert.deepStrictEqual(found.notes, ["It is OpenAPI 3.0.3, not 3.1: read as far as both agree."])
    isStillFound(found)
  })
})

describe("$ref", () => {
  const at = (schema: unknown, more: Readonly<Record<string, unknown>> = {}) =>
    of({ ...good, "/things": { get: answering(schema) } }, more)

  it.each([
    ["#/components/schemas/None", /\$ref "#\/components\/schemas\/None" leads nowhere/],
    ["#/__proto__/constructor", /leads nowhere/],
    ["https://elsewhere.example/schema.json#/Thing", /leaves the document, and is not followed/],
    ["file:///etc/passwd", /leaves the document, and is not followed/],
    ["../other.yaml#/a", /leaves the document, and is not followed/]
  ])("to %s is reported for its list, and the others go on", ($ref, reason) => {
    const found = at({ $ref })
    assert.match(whyNot(found, "GET /things"), reason)
    isStillFound(found)
  })

  it("in a circle is reported", () => {
    const schemas = { A: { $ref: "#/components/schemas/B" }, B: { $ref: "#/components/schemas/A" } }
    assert.match(
      whyNot(at({ $ref: "#/components/schemas/A" }, { components: { schemas } }), "GET /things"),
      /goes in a circle/
    )
  })

  it("to a schema made of itself is reported", () => {
    const schemas = { A: { allOf: [{ $ref: "#/components/schemas/A" }] } }
    assert.match(
      whyNot(at({ $ref: "#/components/schemas/A" }, { components: { schemas } }), "GET /things"),
      /made of itself/
    )
  })

  it("of a tree, which is no circle, is a column of JSON", () => {
    const schemas = {
      Node: object({
        id: integer,
        children: array({ $ref: "#/components/schemas/Node" }),
        up: { $ref: "#/components/schemas/Node" }
      })
    }
    const found = at(page({ $ref: "#/components/schemas/Node" }), { components: { schemas } })
    assert.deepStrictEqual(
      listAt(found, "/things").columns.map(({ name, type }) => [name, type]),
      [
        ["id", "BIGINT"],
        ["children", "JSON"],
        ["up", "JSON"]
      ]
    )
  })

  it("of a path or a parameter is reported, too", () => {
    const found = of({
      ...good,
      "/lost": { $ref: "#/nowhere" },
      "/things": { get: { ...answering(page(thing)), parameters: [{ $ref: "other.json" }] } }
    })
    assert.match(whyNot(found, "GET /lost"), /leads nowhere/)
    assert.match(whyNot(found, "GET /things"), /A parameter can't be read: \$ref "other\.json" leaves the document/)
    isStillFound(found)
  })
})

describe("work without end", () => {
  it("schemas that double at each step are read in little time", () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => {
        const next = { $ref: `#/components/schemas/S${n + 1}` }
        return [`S${n}`, { allOf: [next, next], oneOf: [next, next] }]
      })
    )
    const started = performance.now()
    const found = of(
      { ...good, "/things": { get: answering(page({ $ref: "#/components/schemas/S0" })) } },
      { components: { schemas: { ...schemas, S40: thing } } }
    )
    assert.isBelow(performance.now() - started, 5000)
    assert.strictEqual(listAt(found, "/things").table, "things")
    isStillFound(found)
  })

  it("schemas that go ever deeper are given up", () => {
    let schema: unknown = thing
    for (let depth = 0; depth < 5000; depth++) schema = { allOf: [schema] }
    const found = of({ ...good, "/things": { get: answering(page(schema)) } })
    assert.match(whyNot(found, "GET /things"), /It answers one object/)
    isStillFound(found)
  })

  it("a schema of very many fields has the first of them as columns", () => {
    const wide = object(Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`f${n}`, text])))
    const found = of({ ...good, "/things": { get: answering(page({ allOf: [thing, wide] })) } })
    assert.strictEqual(listAt(found, "/things").columns.length, 500)
    assert.include(listAt(found, "/things").reasons, "It has 1000 fields: those after 500 stay in _extra.")
  })

  it("50 MB of schemas that grow into each other are read in bounded time and memory", () => {
    const count = 60_000
    const schemas = Object.fromEntries(
      Array.from({ length: count }, (_, n) => {
        const next = { $ref: `#/components/schemas/S${(n * 7919 + 1) % count}` }
        const own = object({ [`f${n}`]: text, [`g${n}`]: text })
        return [`S${n}`, { description: "x".repeat(700), allOf: [next, own] }]
      })
    )
    const lists = Array.from({ length: rounds(300, 19_000) }, (_, n) => {
      const item = { $ref: `#/components/schemas/S${n}` }
      return [`/things${n}`, { get: answering(page(item)) }] as const
    })
    const document = documentOf({ ...good, ...Object.fromEntries(lists) }, { components: { schemas } })
    const json = JSON.stringify(document)
    assert.isAbove(json.length, 50_000_000)
    const parsed: unknown = JSON.parse(json)
    const [started, before] = [performance.now(), process.memoryUsage().rss]
    const found = discovered(parsed)
    assert.isBelow(performance.now() - started, rounds(60_000, 300_000))
    assert.isBelow(process.memoryUsage().rss - before, rounds(3e8, 1.5e9))
    isStillFound(found)
  })

  it("of more operations than any service has, the first are looked at, and that is said", () => {
    const action = { post: { responses: {} } }
    const paths = Object.fromEntries(Array.from({ length: 20_001 }, (_, n) => [`/things/${n}`, action]))
    const found = of({ ...good, ...paths })
    assert.strictEqual(found.operations.length, 20_000)
    assert.deepStrictEqual(found.notes, ["It has more than 20000 operations: the rest wasn't looked at."])
    isStillFound(found)
  })
})

describe("records that can't be told apart", () => {
  it.each([
    [
      "without ids",
      object({ month: text, hours: integer }),
      "No field tells its records apart (it has month, hours): name the columns that do under key."
    ],
    [
      "with ids that are objects",
      object({ id: object({ value: text }) }),
      "Its id is of type object, which can't be a key."
    ],
    ["with ids of no one type", object({ id: {} }), "Its id is of no one type, which can't be a key."]
  ])("%s are reported, and keep their entry for a person", (_what, item, sentence) => {
    const found = of({ ...good, "/things": listing(item), "/things/{id}/parts": listing(thing, inPath("id")) })
    assert.strictEqual(whyNot(found, "GET /things"), sentence)
    assert.deepStrictEqual(listAt(found, "/things").key, [])
    assert.isFalse(listAt(found, "/things").on)
    assert.notStrictEqual(whyNot(found, "GET /things/{id}/parts"), "")
    isStillFound(found)
  })
})

describe("children", () => {
  it("of a list that can't be synced can't either, nor can theirs", () => {
    const found = of({
      ...good,
      "/things": { get: answering(object({ data: array(thing), has_more: { type: "boolean" } })) },
      "/things/{thing_id}/parts": listing(thing, inPath("thing_id")),
      "/things/{thing_id}/parts/{part_id}/bolts": listing(thing, inPath("thing_id", "part_id"))
    })
    assert.strictEqual(whyNot(found, "GET /things/{thing_id}/parts"), "Its parent, GET /things, can't be synced.")
    assert.strictEqual(
      whyNot(found, "GET /things/{thing_id}/parts/{part_id}/bolts"),
      "Its parent, GET /things/{thing_id}/parts, can't be synced."
    )
    isStillFound(found)
  })

  it("whose parents need each other can't be synced", () => {
    const needing = (name: string) => listing(thing, [query(name, integer, { required: true })])
    const found = of({ ...good, "/eggs": needing("hen_id"), "/hens": needing("egg_id") })
    assert.match(whyNot(found, "GET /eggs"), /Its parents need each other's values|can't be synced/)
    assert.match(whyNot(found, "GET /hens"), /Its parents need each other's values|can't be synced/)
    isStillFound(found)
  })
})
