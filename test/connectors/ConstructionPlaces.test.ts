/** Where fields are found: nested envelopes, dotted names, and the fields that are left over. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { changesOf } from "../../connectors/construction/ConstructionChanges.ts"
import { readPage } from "../../connectors/construction/ConstructionPages.ts"
import { projectsShape } from "../../connectors/construction/ConstructionShapes.ts"
import { at, placesIn } from "../../connectors/construction/ConstructionPlaces.ts"
import { applied, assertQuarantined, at as time, plain, read } from "./ConstructionReader/Bodies.ts"

describe("a dotted path", () => {
  it("leads through objects only, and a name that holds a dot comes first", () => {
    assert.strictEqual(at({ a: { b: 1 } }, "a.b"), 1)
    assert.strictEqual(at({ "a.b": 2, a: { b: 1 } }, "a.b"), 2)
    for (const body of [{}, { a: 1 }, { a: null }, { a: ["b"] }, [], "a", null]) {
      assert.isUndefined(at(body, "a.b"))
    }
    assert.isUndefined(at({ a: {} }, "a.constructor"))
  })

  it("names each object on its way once, outermost first", () => {
    const body = { data: { object: { x: 1 } }, payload: 3 }
    assert.deepStrictEqual(
      placesIn(body, ["data.object", "data", "payload", "none.at.all"]).map(({ path }) => path),
      ["", "data", "data.object"]
    )
  })
})

describe("an event in another envelope", () => {
  const object = { ipc_id: "7", payment_reference: "P", note: 1 }
  const body = JSON.stringify({ event: { kind: "change", object }, event_timestamp: time, event_type: "ipc.paid" })

  it("is read once its place is configured, and the rest is kept", () => {
    assertQuarantined(read(body), "type-not-provable")
    const change = applied(read(body, null, { ...plain, contentsAt: ["event.object"] }), "ipc.paid")
    assert.strictEqual(change.id, "7")
    assert.strictEqual(change.values["payment_reference"], "P")
    assert.deepEqual({ ...change.extra }, { kind: '"change"', note: "1" })
  })

  it("may name its key by a path, which leaves the same name elsewhere alone", () => {
    const ncr = JSON.stringify({
      id: "delivery-1",
      event_timestamp: time,
      ncr: { id: 5, severity: "major", by: { id: 9 } }
    })
    const options = { ...plain, contentsAt: ["ncr"], aliases: { ncr_id: ["ncr.id"] } }
    const change = applied(read(ncr, null, options), "ncr.created")
    assert.strictEqual(change.id, "5")
    assert.deepEqual({ ...change.extra }, { id: '"delivery-1"', by: '{"id":9}' })
  })
})

describe("a list page in another shape", () => {
  const answer = (body: unknown) => ({ text: JSON.stringify(body), startedMs: 0, endedMs: 0, serviceMs: undefined })
  const page = { total: 1, number: 1, size: 10 }
  const list = {
    data: ["items", "data"],
    total: ["page.total", "pagination.total"],
    page: ["page.number", "pagination.page"],
    per_page: ["page.size", "pagination.per_page"]
  }

  it.effect("is read with its paths and names, and so is the documented one", () =>
    Effect.gen(function* () {
      const aliases = { id: ["number"], name: ["title", "attributes.title"], status: ["state"] }
      const shape = projectsShape(aliases, list)
      const record = { number: 4, attributes: { title: "A" }, state: null, status: "open", city: "X" }
      const other = yield* readPage(answer({ items: [record], page }), shape)
      assert.deepInclude(other, { total: 1, page: 1, perPage: 10 })
      const { bad, changes } = changesOf(other, shape)
      assert.deepStrictEqual(bad, [])
      assert.strictEqual(changes[0]?.id, "4")
      assert.deepStrictEqual(changes[0]?.values, { name: "A", status: "open" })
      assert.deepEqual({ ...changes[0]?.extra }, { attributes: '{"title":"A"}', city: '"X"', state: "null" })
      const known = { data: [{ id: 1, name: "B" }], pagination: { total: 1, page: 1, per_page: 10 } }
      const documentedPage = changesOf(yield* readPage(answer(known), shape), shape)
      assert.deepStrictEqual(documentedPage.changes[0]?.values, { name: "B" })
    })
  )

  it.effect("keeps what doesn't fit its column, and only that", () =>
    Effect.gen(function* () {
      const records = [{ id: 1, name: { en: "A" }, status: "open" }, { name: "without an id" }, 7]
      const raw = yield* readPage(answer({ data: records, pagination: { total: 3, page: 1, per_page: 10 } }))
      const { bad, changes } = changesOf(raw)
      assert.strictEqual(changes.length, 1)
      assert.deepStrictEqual(changes[0]?.values, { name: null, status: "open" })
      assert.deepEqual({ ...changes[0]?.misfits }, { name: '{"en":"A"}' })
      assert.deepStrictEqual(
        bad.map(({ record }) => record),
        ['{"name":"without an id"}', "7"]
      )
    })
  )

  it.effect("is refused without its paths", () =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(readPage(answer({ items: [], page })))
      assert.match(message, /without `data` and `pagination` \(SITELEDGER_ENVELOPE/)
    })
  )
})
