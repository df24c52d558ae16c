/** The review file: what a person may write in it, what is refused and how, and how it is brought up to date. */
import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { List, Review } from "../../src/Discovery/Review.ts"
import { decode } from "../../src/Discovery/Review/Decode.ts"
import { revise } from "../../src/Discovery/Review/Revise.ts"
import { write } from "../../src/Discovery/Review/Write.ts"
import { inPath, integer, listing, object, of, text } from "./Documents.ts"

const project = object({ id: integer, name: text, cost: { type: "number" } })
const ipc = object({ id: text, project_id: integer })

const paths = {
  "/projects": listing(project),
  "/projects/{project_id}/ipcs": listing(ipc, inPath("project_id")),
  "/things": listing(object({ id: text, secret: text }))
}

const review = of(paths).review

type Changes<A> = { -readonly [Name in keyof A]?: unknown }

/** The review with one list changed as a person would. */
const withList = (read: string, changes: Changes<List>): Review => ({
  ...review,
  lists: review.lists.map((list) => (list.read === read ? ({ ...list, ...changes } as List) : list))
})

const refusalsOf = (value: unknown): ReadonlyArray<string> =>
  Result.getOrThrow(Result.flip(decode(typeof value === "string" ? value : JSON.stringify(value))))

const written = (value: Review): Review => Result.getOrThrow(decode(write(value)))

const things = "GET /things"
const ipcs = "GET /projects/{project_id}/ipcs"

describe("a review file", () => {
  it("reads as it was written, a column a line", () => {
    const text = write(review)
    assert.deepStrictEqual(Result.getOrThrow(decode(text)), JSON.parse(text) as Review)
    assert.include(text, '        { "name": "cost", "type": "DECIMAL(28,4)", "use": "keep", "money": "suggested" }\n')
    assert.strictEqual(write(written(review)), text)
  })

  it("may switch on a list and its children, rename, hash, drop, sign off, and say how many records there are", () => {
    const edited = withList(ipcs, { on: true, table: "certificates", records: 250 })
    assert.isTrue(written(edited).lists[1]?.on)
    const columns = [
      { name: "nr", type: "VARCHAR", use: "keep", from: "/id" },
      { name: "secret", type: "VARCHAR", use: "hash" },
      { name: "cost", type: "DECIMAL(28,4)", use: "keep", money: "signed-off", from: "/price/amount" }
    ]
    assert.isDefined(written(withList(things, { columns, key: ["nr"] })))
  })

  it.each([
    ["{", ["isn't JSON."]],
    ["[]", ["isn't a review file: it is no JSON object."]],
    [{ ...review, schema: "siteledger/resources/2" }, [`has schema, which isn't "siteledger/resources/1".`]],
    [{ ...review, more: 1 }, ["has more, which isn't known to this version."]],
    [
      { ...review, plan: { requestsPerMinute: 0, pageSize: 1 } },
      ["has plan.requestsPerMinute, which isn't a whole number of at least 1."]
    ],
    [withList(things, { on: "yes" }), ["has lists.2 (GET /things).on, which isn't true or false."]],
    [
      withList(things, { newFields: "maybe" }),
      ["has lists.2 (GET /things).newFields, which isn't one of evolve, freeze, discard."]
    ],
    [withList(things, { key: "id" }), ["has lists.2 (GET /things).key, which isn't a list of columns' names."]],
    [
      withList(things, { paging: { style: "pages" } }),
      [
        "has lists.2 (GET /things).paging, which isn't a way of paging: style with the names of its parameters, as docs/discovery.md lists them."
      ]
    ],
    [
      withList(things, { columns: [{ name: "id", type: "TEXT", use: "keep" }] }),
      [
        "has lists.2 (GET /things).columns.id.type, which isn't one of BIGINT, DOUBLE, DECIMAL(28,4), DECIMAL(10,2), BOOLEAN, VARCHAR, TIMESTAMPTZ, DATE, JSON."
      ]
    ],
    [withList(things, { columns: [{ name: "id", type: "VARCHAR" }] }), ["lacks lists.2 (GET /things).columns.id.use."]]
  ])("that is wrong is refused, naming the place: %#", (value, sentences) => {
    assert.deepStrictEqual(refusalsOf(value), sentences)
  })

  const column = (more: object) => [{ name: "id", type: "VARCHAR", use: "keep" }, more]
  const name = "isn't a name of small letters, digits and _, that begins with a letter, at most 63 of them"

  it.each([
    [{ table: 'x"; drop table y' }, "whose table isn't a name of small letters, digits and _, at most 63 of them"],
    [
      { table: "vos", newFields: "evolve" },
      'whose table vos keeps its columns; newFields is "freeze" or "discard" there'
    ],
    [{ table: "../x" }, "whose table isn't a name of small letters, digits and _, at most 63 of them"],
    [{ read: "GET /../x" }, 'which isn\'t "GET" and a plain path like "GET /projects"'],
    [{ read: "GET //evil.example/x" }, 'which isn\'t "GET" and a plain path like "GET /projects"'],
    [{ read: "POST /things" }, 'which isn\'t "GET" and a plain path like "GET /projects"'],
    [{ answer: { rows: "data.items" } }, 'whose places aren\'t all like "/data", "header Link" or ""'],
    [{ headers: { Authorization: "Bearer x" } }, 'whose header "Authorization" can\'t be sent'],
    [{ headers: { "X-A": "a\r\nb" } }, 'whose header "X-A" can\'t be sent'],
    [{ refresh: { every: "often" } }, 'whose refresh has "often", which isn\'t a duration like 1 hour or 30 minutes'],
    [{ columns: column({ name: "Id", type: "VARCHAR", use: "keep" }) }, `whose column "Id" ${name}`],
    [{ columns: column({ name: "__proto__", type: "VARCHAR", use: "keep" }) }, `whose column "__proto__" ${name}`],
    [{ columns: column({ name: "constructor", type: "VARCHAR", use: "keep" }) }, `whose column "constructor" ${name}`],
    [{ columns: column({ name: "id", type: "VARCHAR", use: "keep" }) }, "whose column id is there twice"],
    [
      { columns: column({ name: "a", type: "VARCHAR", use: "keep", from: "a" }) },
      'whose column "a" has a from that isn\'t a place like "/name"'
    ],
    [
      { columns: column({ name: "a", type: "VARCHAR", use: "keep", from: "/a", parameter: "a" }) },
      'whose column "a" has both from and parameter; keep one'
    ],
    [
      { columns: column({ name: "a", type: "DOUBLE", use: "keep", money: "signed-off" }) },
      'whose column "a" is money, which is DECIMAL(28,4)'
    ],
    [{ key: ["number"] }, 'whose key "number" isn\'t one of its columns'],
    [{ columns: [{ name: "id", type: "VARCHAR", use: "drop" }] }, "whose key id is dropped, or is JSON"],
    [{ on: true, key: [] }, "which is on without a key"],
    [{ on: true, query: { company: null } }, "which is on without a value for company"],
    [{ on: true, read: "GET /things/{x}" }, "which is on while nothing fills {x}"],
    [{ on: true, parent: { table: "none", parameters: {} } }, "which is on, but its parent none isn't one of the lists"]
  ])("that couldn't be walked, or would leave its quoting, is refused: %j", (changes, sentence) => {
    const { read = things } = changes as { read?: string }
    assert.deepStrictEqual(refusalsOf(withList(things, changes)), [`has ${read}, ${sentence}.`])
  })

  it("has no list on whose parent is off, or keeps no value for it, and no table twice", () => {
    const off = { ...review, lists: review.lists.map((list) => ({ ...list, on: list.read === ipcs })) }
    assert.deepStrictEqual(refusalsOf(off), [`has ${ipcs}, which is on while its parent projects is off.`])
    const hashed = withList(ipcs, { on: true, parent: { table: "projects", parameters: { project_id: "none" } } })
    assert.deepStrictEqual(refusalsOf(hashed), [`has ${ipcs}, which is on, but projects keeps no column "none".`])
    assert.deepStrictEqual(refusalsOf(withList(things, { table: "projects" })), [
      "has two lists with the table projects; each needs its own."
    ])
    assert.deepStrictEqual(
      refusalsOf({ ...review, lists: [...review.lists, { ...review.lists[0], table: "other" }] }),
      ["has GET /projects twice."]
    )
  })
})

describe("brought up to date", () => {
  it("it stays what it is, if neither it nor the document has changed", () => {
    const { changes, review: after } = revise(written(review), of(paths).review)
    assert.deepStrictEqual(changes, [])
    assert.strictEqual(write(after), write(review))
  })

  it("keeps what a person wrote, and adds what is new", () => {
    const edited = written(
      withList(things, {
        on: true,
        table: "stuff",
        records: 50,
        refresh: { every: "2 hours" },
        query: { company: "7" },
        columns: [
          { name: "nr", type: "VARCHAR", use: "keep", from: "/id" },
          { name: "secret", type: "VARCHAR", use: "hash" }
        ],
        key: ["nr"]
      })
    )
    const more = {
      ...paths,
      "/things": listing(object({ id: text, secret: text, colour: text })),
      "/things/{thing_id}/stuff": listing(object({ id: text }), inPath("thing_id"))
    }
    const { changes, review: after } = revise(edited, of(more).review)
    const kept = after.lists.find(({ read }) => read === things)
    assert.deepStrictEqual(kept?.columns, [
      { name: "nr", type: "VARCHAR", use: "keep", from: "/id" },
      { name: "secret", type: "VARCHAR", use: "hash" },
      { name: "colour", type: "VARCHAR", use: "keep" }
    ])
    assert.deepInclude(kept, { on: true, table: "stuff", records: 50, key: ["nr"], query: { company: "7" } })
    assert.deepStrictEqual(kept?.refresh, { every: "2 hours" })
    assert.strictEqual(kept?.walk.records, 50)
    const fresh = after.lists.find(({ read }) => read.endsWith("/stuff"))
    assert.deepInclude(fresh, { on: false, table: "stuff_2" })
    assert.deepStrictEqual(fresh?.parent, { table: "stuff", parameters: { thing_id: "nr" } })
    assert.deepStrictEqual(changes, [
      "differs: GET /things has another key in the document; the file's stays.",
      "new: GET /things has colour VARCHAR.",
      "new: GET /things/{thing_id}/stuff, off, as stuff_2."
    ])
    assert.isTrue(Result.isSuccess(decode(write(after))))
  })

  it("marks what is gone, and lifts the mark when it comes back", () => {
    const fewer = { "/projects": listing(object({ id: integer, name: text })), "/things": paths["/things"] }
    const edited = written(withList(ipcs, { on: true }))
    const { changes, review: after } = revise(edited, of(fewer).review)
    assert.deepStrictEqual(changes, ["gone: GET /projects has no cost any more.", `gone: ${ipcs}, which is on (ipcs).`])
    assert.isTrue(after.lists.find(({ read }) => read === ipcs)?.gone)
    assert.isTrue(after.lists[0]?.columns.find(({ name }) => name === "cost")?.gone)
    assert.isTrue(Result.isSuccess(decode(write(after))))
    assert.deepStrictEqual(revise(after, of(fewer).review).changes, changes.slice(1))
    const back = revise(after, of(paths).review).review
    assert.strictEqual(write(back), write(edited))
  })

  it("says where the document has another type, and keeps the file's", () => {
    const other = { ...paths, "/things": listing(object({ id: text, secret: integer })) }
    const { changes, review: after } = revise(written(review), of(other).review)
    assert.deepStrictEqual(changes, [
      "differs: GET /things has secret as VARCHAR in the file, BIGINT in the document; the file's stays."
    ])
    assert.strictEqual(after.lists[2]?.columns[1]?.type, "VARCHAR")
  })

  it("finds a list again whose parameters have other names", () => {
    const renamed = {
      ...paths,
      "/projects/{project_id}/ipcs": undefined,
      "/projects/{project}/ipcs": listing(ipc, inPath("project"))
    }
    const { review: after } = revise(
      written(withList(ipcs, { on: true })),
      of(JSON.parse(JSON.stringify(renamed)) as typeof paths).review
    )
    assert.strictEqual(after.lists.length, 3)
    assert.isTrue(after.lists[1]?.on)
    assert.isUndefined(after.lists[1]?.gone)
  })
})
