/**
 * A list whose pages are found one after the other: each way of paging to its end, the lists below the rows of a
 * parent, and addresses that are never requested: on another host, or a path that a value would escape from.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Ask, below, serial } from "../../connectors/construction/ConstructionSerial.ts"
import { readList } from "../../connectors/construction/ConstructionPages.ts"
import { shapeOf } from "../../connectors/construction/ConstructionShapes.ts"
import type { List } from "../../src/Discovery/Review.ts"
import { type Parent, type SerialPage, SourceError } from "../../src/Walk/Source.ts"
import { column, listOf } from "./ReviewedLists.ts"

const base = new URL("http://service.example/v1")

type Answer = { readonly body: unknown; readonly headers?: Record<string, string> } | "absent"
type Answering = (path: string, query: Readonly<Record<string, string>>) => Answer

const url = (path: string, query: Readonly<Record<string, string>>): string => {
  const text = new URLSearchParams(query).toString()
  return text === "" ? path : `${path}?${text}`
}

const walking = (list: List, answering: Answering) => {
  const asked: Array<string> = []
  const shape = shapeOf(list)
  const ask: Ask = (_lane, { path, query }, read) =>
    Effect.suspend(() => {
      asked.push(url(path, query))
      const answer = answering(path, query)
      if (answer === "absent")
        return Effect.fail(new SourceError({ reason: "Refused", isAbsent: true, message: "404" }))
      const { body, headers = {} } = answer
      const given = { text: JSON.stringify(body), headers, startedMs: 1e12, endedMs: 1e12, serviceMs: undefined }
      return Effect.flatMap(readList(given, shape), read).pipe(
        Effect.mapError(({ message }) => new SourceError({ reason: "Refused", message }))
      )
    })
  const hashOf = (text: string) => `hash of ${text}`
  const reading = { list, shape, ask, base, pageSize: 100, hashOf }
  const linksOf = (follow: (from: string | undefined) => Effect.Effect<SerialPage, SourceError>) =>
    Effect.gen(function* () {
      const links: Array<SerialPage> = []
      for (let from: string | undefined; ;) {
        const link = yield* follow(from)
        links.push(link)
        from = link.next
        if (from === undefined || links.length > 20) return links
      }
    })
  const all = linksOf((from) => serial(reading).follow(from, "backfill"))
  const children = below(reading, list.parent ?? { table: "none", parameters: {} })
  const allBelow = (parent: Parent) => linksOf((from) => children.followBelow(parent, from, "backfill"))
  return { all, allBelow, asked, children }
}

const ids = (links: ReadonlyArray<SerialPage>) => links.flatMap(({ changes }) => changes.map(({ id }) => id))

const records = (...numbers: ReadonlyArray<number>) => numbers.map((id) => ({ id, name: `n${id}` }))

describe("a list whose pages follow each other", () => {
  it.effect("by a cursor ends where the answer has none, or says that there is no more", () =>
    Effect.gen(function* () {
      const paging = { style: "cursor", cursor: "cursor", next: "/meta/next", size: "limit", largest: 2 } as const
      const pages: Record<string, Answer> = {
        "": { body: { data: records(1, 2), meta: { next: "a/b=" } } },
        "a/b=": { body: { data: records(3), meta: { next: null } } }
      }
      const { all, asked } = walking(listOf({ paging }), (_path, { cursor = "" }) => pages[cursor] ?? "absent")
      assert.deepStrictEqual(ids(yield* all), ["1", "2", "3"])
      assert.deepStrictEqual(asked, ["/things?limit=2", "/things?limit=2&cursor=a%2Fb%3D"])
      const ending = listOf({ paging: { ...paging, more: "/meta/more" } })
      // Where an answer doesn't say it, the cursor does.
      const silent = walking(ending, (_path, { cursor = "" }) => pages[cursor] ?? "absent")
      assert.deepStrictEqual(ids(yield* silent.all), ["1", "2", "3"])
      const over = walking(ending, () => ({ body: { data: records(1), meta: { next: "again", more: false } } }))
      assert.strictEqual((yield* over.all).length, 1)
    })
  )

  it.effect("by the last record asks for what comes after it, until none comes", () =>
    Effect.gen(function* () {
      const columns = [column("id", "BIGINT", { from: "/number" }), column("name")]
      const list = listOf({ columns, paging: { style: "after", after: "after", column: "id" } })
      const { all, asked } = walking(list, (_path, { after = "0" }) => ({
        body: { data: [{ number: Number(after) + 1 }].filter(({ number }) => number < 3) }
      }))
      assert.deepStrictEqual(ids(yield* all), ["1", "2"])
      assert.deepStrictEqual(asked, ["/things", "/things?after=1", "/things?after=2"])
    })
  )

  it.effect("by links follows them below the base address, and none elsewhere", () =>
    Effect.gen(function* () {
      const list = listOf({ answer: { rows: "" }, paging: { style: "link", next: "header Link" } })
      const link =
        '<http://service.example/v1/things?page=2>; rel="next", <http://service.example/v1/things>; rel="first"'
      const { all, asked } = walking(list, (path) =>
        path === "/things" ? { body: records(1), headers: { link } } : { body: records(2), headers: { link: "" } }
      )
      assert.deepStrictEqual(ids(yield* all), ["1", "2"])
      assert.deepStrictEqual(asked, ["/things", "/things?page=2"])
      const elsewhere = [
        "http://evil.example/v1/things",
        "http://service.example/v2/things",
        "//evil.example/v1/x",
        "/admin"
      ]
      for (const next of elsewhere) {
        const inBody = listOf({ paging: { style: "link", next: "/next" } })
        const led = walking(inBody, () => ({ body: { data: [], next } }))
        assert.match((yield* Effect.flip(led.all)).message, /names a next page at another address/, next)
      }
    })
  )

  it.effect("by numbers without a total ends at a page shorter than the first, whatever was asked for", () =>
    Effect.gen(function* () {
      const page = listOf({ paging: { style: "page", page: "p", first: 0, size: "size" } })
      // The service gives two, though a hundred were asked for.
      const some: Record<string, ReadonlyArray<number>> = { 0: [1, 2], 1: [3, 4], 2: [5] }
      const { all, asked } = walking(page, (_path, { p = "" }) => ({ body: { data: records(...(some[p] ?? [])) } }))
      assert.deepStrictEqual(ids(yield* all), ["1", "2", "3", "4", "5"])
      assert.deepStrictEqual(asked, ["/things?size=100&p=0", "/things?size=2&p=1", "/things?size=2&p=2"])
      const offset = listOf({ paging: { style: "offset", offset: "skip" } })
      const rest = walking(offset, (_path, { skip = "" }) => ({
        body: { data: records(...(skip === "0" ? [1, 2] : [])) }
      }))
      assert.deepStrictEqual(ids(yield* rest.all), ["1", "2"])
      assert.deepStrictEqual(rest.asked, ["/things?skip=0", "/things?skip=2"])
    })
  )
})

describe("a list below each row of a parent", () => {
  const list = listOf({
    read: "GET /projects/{project_id}/things",
    kind: "child list",
    key: ["project_id", "id"],
    parent: { table: "projects", parameters: { project_id: "id" } },
    answer: { rows: "/data", total: "/total" },
    paging: { style: "page", page: "page", first: 1 },
    columns: [column("project_id", "BIGINT", { parameter: "project_id" }), column("id", "BIGINT"), column("name")]
  })
  const row = (id: string): Parent => ({ key: id, values: { id } })

  it.effect("is read to its total, and names records by both", () =>
    Effect.gen(function* () {
      const { allBelow, asked, children } = walking(list, (path, { page }) => ({
        body: { total: 2, data: records(path.includes("/1/") && page === "2" ? 8 : 7) }
      }))
      const links = yield* allBelow(row("1"))
      assert.deepStrictEqual(ids(links), ["1/7", "1/8"])
      assert.deepStrictEqual(
        links.map(({ total }) => total),
        [2, 0]
      )
      assert.deepStrictEqual(links[0]?.changes[0]?.values, { project_id: "1", id: "7", name: "n7" })
      assert.deepStrictEqual(ids(yield* allBelow(row("x/.."))), ["x%2F../7", "x%2F../7"])
      assert.deepStrictEqual(asked[2], "/projects/x%2F../things?page=1")
      assert.deepInclude(children, { parent: { table: "projects", columns: ["id"] }, isCounted: true })
    })
  )

  it.effect("isn't there where it is absent, or where a value is missing or would lead out of the path", () =>
    Effect.gen(function* () {
      const { allBelow, asked } = walking(list, () => "absent")
      for (const parent of [row("1"), row(".."), { key: "3", values: { id: null } }]) {
        assert.deepInclude(yield* Effect.flip(allBelow(parent)), { reason: "Refused", isAbsent: true }, parent.key)
      }
      assert.deepStrictEqual(asked, ["/projects/1/things?page=1"])
    })
  )
})

describe("a field that a record doesn't have", () => {
  it.effect("is null, so that what it was before doesn't stay; where events fill the table, it is left alone", () =>
    Effect.gen(function* () {
      const answering: Answering = () => ({ body: { data: [{ id: 1 }] } })
      const [link] = yield* walking(listOf(), answering).all
      assert.deepStrictEqual(link?.changes[0]?.values, { name: null })
      const columns = [column("id"), column("submitter")]
      const [shared] = yield* walking(listOf({ table: "ipcs", columns }), answering).all
      assert.deepStrictEqual(shared?.changes[0]?.values, {})
    })
  )
})

describe("fields that aren't kept", () => {
  it.effect("are neither in a column nor among the others, nor in what can't be copied", () =>
    Effect.gen(function* () {
      const columns = [
        column("id", "BIGINT"),
        column("token", "VARCHAR", { use: "drop", from: "/auth/token" }),
        column("email", "VARCHAR", { use: "hash" }),
        column("phone", "VARCHAR", { use: "hash", from: "/contact/phone" }),
        column("contact", "JSON")
      ]
      const contact = { phone: "+43 1", name: "me" }
      const secret = { auth: { token: "sesame", by: "me" }, email: "a@b.example", contact }
      const { all } = walking(listOf({ columns }), () => ({ body: { data: [{ id: 1, ...secret }, secret] } }))
      const [link] = yield* all
      assert.deepStrictEqual(link?.changes[0]?.values, {
        email: 'hash of "a@b.example"',
        phone: 'hash of "+43 1"',
        contact: '{"name":"me"}'
      })
      assert.deepStrictEqual({ ...link?.changes[0]?.extra }, { auth: '{"by":"me"}' })
      assert.notMatch(JSON.stringify(link?.bad), /sesame|a@b|43 1/)
      assert.strictEqual(link?.bad.length, 1)
      const named = listOf({ columns: [column("id", "BIGINT", { use: "hash" }), column("name")] })
      assert.strictEqual(shapeOf(named).resource.key, "VARCHAR")
      const [of] = yield* walking(named, () => ({ body: { data: [{ id: 77, name: "n" }] } })).all
      assert.deepInclude(of?.changes[0], { id: "hash of 77", values: { name: "n" } })
      assert.notInclude(JSON.stringify({ ...of?.changes[0]?.extra }), "77")
    })
  )
})
