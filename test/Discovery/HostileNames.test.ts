/** Addresses that lead elsewhere, and names that would break out of their quotes: discovery lets none through. */
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { isName } from "../../src/Domain/Names.ts"
import { decode } from "../../src/Discovery/Review/Decode.ts"
import { write } from "../../src/Discovery/Review/Write.ts"
import { quoted } from "../../src/Stores/Ddl.ts"
import { forSeeds, type Random } from "../Seeded.ts"
import { discovered, documentOf, integer, listAt, listing, object, of, query, text, whyNot } from "./Documents.ts"

const thing = object({ id: integer, name: text })
const good = { "/projects": listing(thing) }

const isStillFound = (found: ReturnType<typeof of>) => assert.isTrue(listAt(found, "/projects").on)

describe("addresses", () => {
  it.each([
    "/../admin",
    "/things/../../oauth",
    "/things?all=1",
    "/things#x",
    "//evil.example/things",
    "/things\\..\\x",
    "/things/%2e%2e/x",
    "/th ings",
    "things",
    "/things/\u0000",
    "/{a b}/x",
    "/https://evil.example"
  ])("%j is never asked for", (path) => {
    const found = of({ ...good, [path]: listing(thing) })
    assert.deepStrictEqual(
      found.review.lists.map(({ read }) => read),
      ["GET /projects"]
    )
    assert.strictEqual(whyNot(found, `GET ${path}`), "Its path holds more than plain names and parameters.")
    isStillFound(found)
  })

  it("of another server get no token", () => {
    const found = of({ ...good, "/things": { servers: [{ url: "https://evil.example" }], ...listing(thing) } })
    assert.strictEqual(whyNot(found, "GET /things"), "It is served at another address, where no token is sent.")
  })

  it("of the servers aren't in the review: requests go to the configured base address", () => {
    const found = discovered(documentOf(good, { servers: [{ url: "https://evil.example/v1" }] }), { base: "/v1" })
    assert.notInclude(write(found.review), "evil")
    isStillFound(found)
  })

  it("in headers and cookies that are the walker's own aren't sent", () => {
    const headers = ["Authorization", "Cookie", "Host"].map((name) => ({
      name,
      in: "header",
      required: true,
      schema: { const: "x" }
    }))
    const found = of({ ...good, "/things": listing(thing, headers) })
    assert.isUndefined(listAt(found, "/things").headers)
  })
})

const words = [
  "id",
  "name",
  "Name",
  "NAME",
  "__proto__",
  "constructor",
  "toString",
  "hasOwnProperty",
  "_extra",
  "select",
  "projects"
]
const nasty = [
  '"; drop table x; --',
  "'; --",
  "`",
  "\\",
  "../../etc/passwd",
  "${x}",
  "a\u0000b",
  "\u202e",
  "x\n",
  "é",
  "ß",
  "表",
  "😀",
  " ",
  ".",
  "-",
  "1",
  "$ref",
  "a".repeat(300),
  "\ud800"
]

const hostileName = (random: Random): string => {
  if (random.chance(0.3)) return random.pick(words)
  return Array.from({ length: 1 + random.below(3) }, () => random.pick(random.chance(0.5) ? nasty : words)).join(
    random.pick(["", "_", "."])
  )
}

const hostileDocument = (random: Random) => {
  const names = Array.from({ length: 30 }, () => hostileName(random))
  const fields = Object.fromEntries([
    ["id", integer],
    ...names.map((name) => [name, random.pick([text, integer, thing])] as const)
  ])
  const parameters = names.slice(0, 3).map((name) => query(name, text, { required: random.chance(0.3) }))
  const segments = words.map((word) => `/${word}${random.below(3)}`)
  const paths = Object.fromEntries(segments.map((path) => [path, listing(object(fields), parameters)]))
  const children = Object.fromEntries(
    segments.map((path) => [`${path}/{${random.pick(words)}}/${random.pick(words)}`, listing(object(fields))])
  )
  return JSON.parse(JSON.stringify(documentOf({ ...good, ...paths, ...children }))) as unknown
}

describe("hostile names", () => {
  it("become names that no SQL, path or object mistakes, each of its own, and pass the review", () => {
    forSeeds(200, (random) => {
      const { lists } = discovered(hostileDocument(random)).review
      const tables = lists.map(({ table }) => table)
      assert.deepStrictEqual(
        tables.filter((table) => !isName(table)),
        []
      )
      assert.strictEqual(new Set(tables).size, tables.length)
      for (const { columns } of lists) {
        const names = columns.map(({ name }) => name)
        assert.deepStrictEqual(
          names.filter((name) => !isName(name) || name in {}),
          []
        )
        assert.strictEqual(new Set(names).size, names.length)
      }
      const review = { ...discovered(hostileDocument(random)).review }
      const text = write(review)
      assert.deepStrictEqual(Result.getOrThrow(decode(text)), JSON.parse(text) as typeof review)
    })
  })

  it("keep the fields that they come from, those that differ by case too", () => {
    const item = JSON.parse(
      '{"type":"object","properties":{"id":{"type":"integer"},"Name":{},"name":{},"__proto__":{},"a/b~c":{},"_extra":{}}}'
    ) as unknown
    const { columns } = listAt(of({ "/things": listing(item) }), "/things")
    assert.deepStrictEqual(
      columns.map(({ from, name }) => [name, from]),
      [
        ["id", undefined],
        ["name", "/Name"],
        ["name_2", "/name"],
        ["proto", "/__proto__"],
        ["a_b_c", "/a~1b~0c"],
        ["extra", "/_extra"]
      ]
    )
  })

  it("never leave their quoting in a database", async () => {
    const instance = await DuckDBInstance.create(":memory:")
    const connection = await instance.connect()
    await connection.run("create schema construction")
    const made: Array<string> = []
    forSeeds(20, (random) => {
      for (const { columns, table } of discovered(hostileDocument(random)).review.lists) {
        const typed = columns.map(({ name, type }) => `${quoted(name)} ${type}`)
        made.push(`create or replace table construction.${quoted(table)} (${typed.join(", ")})`)
      }
    })
    for (const sql of made) await connection.run(sql)
    // The quoting holds by itself, for names that a person might write.
    for (const name of nasty.filter((each) => !each.includes("\u0000") && each.isWellFormed())) {
      const reader = await connection.runAndReadAll(`select 1 as ${quoted(name)}`)
      assert.deepStrictEqual(reader.columnNames(), [name])
    }
    connection.closeSync()
    instance.closeSync()
  })
})
