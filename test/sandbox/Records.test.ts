/**
 * The lists and single records over real HTTP, compared with the deliveries' own bodies: every list, walked page by
 * page, is the latest state by the events, with no record repeated or left out.
 */
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Events from "../../sandbox/Events.ts"
import * as Records from "../../sandbox/Records.ts"
import * as Truth from "../../sandbox/Truth.ts"
import * as Versions from "../../sandbox/Versions.ts"
import * as Json from "../../src/Domain/Json.ts"
import {
  entities,
  errorOf,
  idOf,
  paths,
  readPage,
  readRow,
  type Row,
  started,
  rowsFromBodies,
  walk
} from "./Reading.ts"

describe("A list of records", () => {
  for (const ipcs of [1, 7]) {
    it.effect(`is the latest state by the events, page by page, with ${ipcs} IPC lives at once`, () =>
      Effect.gen(function* () {
        const { get, sandbox } = yield* started({ ipcs, seed: 5 })
        // Within a block, at the end of one, and beyond.
        for (const more of [0, 1, 10, sandbox.events.blockLength - 11, 2, 900]) {
          yield* sandbox.emit(more)
          for (const entity of entities) {
            const { rows, total } = yield* walk(get, paths[entity], 7)
            assert.deepStrictEqual(rows, rowsFromBodies(sandbox, entity), `${entity} after ${sandbox.truth().steps}`)
            assert.strictEqual(total, rows.length)
          }
        }
      }).pipe(Effect.provide(NodeHttpClient.layerUndici))
    )
  }

  it.effect("has the length and the statuses of the truth", () =>
    Effect.gen(function* () {
      const { get, sandbox } = yield* started()
      yield* sandbox.emit(2000)
      const truths = [...sandbox.truth().entities]
      for (const entity of entities) {
        const { rows } = yield* walk(get, paths[entity], 1000)
        const known = truths.filter((truth) => truth.entity === entity)
        assert.deepStrictEqual(
          rows.map((row) => [idOf(row), row["status"]]),
          known.map(({ id, status }) => [id, status])
        )
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("shows a walk every record once while events go on, and the next walk agrees", () =>
    Effect.gen(function* () {
      const { get, sandbox } = yield* started({ ipcs: 3 })
      yield* sandbox.emit(500)
      for (const entity of entities) {
        const moving = yield* walk(get, paths[entity], 5, sandbox.emit(3))
        const ids = moving.rows.map(idOf)
        assert.strictEqual(new Set(ids).size, ids.length, "no record twice")
        const still = yield* walk(get, paths[entity], 50)
        assert.deepStrictEqual(still.rows.map(idOf).slice(0, ids.length), ids, "none left out, none moved")
        assert.deepStrictEqual(still.rows, rowsFromBodies(sandbox, entity))
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("conforms to the definition that its description is made from", () =>
    Effect.gen(function* () {
      const { assumed, sandbox } = yield* started({ ipcs: 12 })
      yield* sandbox.emit(700)
      const query = { per_page: 100 }
      const lists = yield* Effect.all([
        assumed.ipcs.list({ query }),
        assumed.vos.list({ query }),
        assumed.ncrs.list({ query }),
        assumed.hse_incidents.list({ query }),
        assumed.permits.list({ query }),
        assumed.transmittals.list({ query })
      ])
      for (const { data } of lists) assert.isNotEmpty(data)
      const [{ data: ipcs }] = lists
      const paid = ipcs.find(({ status }) => status === "paid")
      assert.deepStrictEqual(yield* assumed.ipcs.get({ params: { id: paid?.ipc_id ?? "" } }), paid)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("keeps to the largest and the default page size, and is empty past its end", () =>
    Effect.gen(function* () {
      const { get, sandbox } = yield* started({ ipcs: 100, pageSize: 20, pageSizeMax: 60 })
      yield* sandbox.emit(sandbox.events.blockLength)
      const sizes = (query: string) =>
        Effect.map(readPage(get, `/ipcs${query}`), ({ pagination, rows }) => [
          rows.length,
          ...Object.values(pagination)
        ])
      assert.deepStrictEqual(yield* sizes(""), [20, 100, 1, 20])
      assert.deepStrictEqual(yield* sizes("?page=2&per_page=1000"), [40, 100, 2, 60])
      assert.deepStrictEqual(yield* sizes("?page=3&per_page=60"), [0, 100, 3, 60])
      assert.deepStrictEqual(yield* sizes("?page=9007199254740991"), [0, 100, 9007199254740991, 20])
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("is refused with 400 if a paging parameter isn't one whole number from 1", () =>
    Effect.gen(function* () {
      const { get } = yield* started()
      const wrong = ["page=two", "page=1.5", "per_page=1e400", "per_page=NaN", "page=0", "page=-1", "per_page=0"]
      for (const query of [...wrong, "per_page=-3", "page=", "page=1&page=2", "per_page=5&page=1&per_page=5"]) {
        for (const path of ["/projects", ...Object.values(paths)]) {
          assert.strictEqual(yield* Effect.flatMap(get(`${path}?${query}`), errorOf), "400 invalid_request", query)
        }
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("A single record", () => {
  it.effect("is what the list shows, for every id in it", () =>
    Effect.gen(function* () {
      const { get, sandbox } = yield* started({ ipcs: 3, projects: 30, stepsPerNewProject: 100 })
      yield* sandbox.emit(300)
      for (const path of ["/projects", ...Object.values(paths)]) {
        const { rows } = yield* walk(get, path, 1000)
        assert.isNotEmpty(rows)
        for (const row of rows) {
          assert.deepStrictEqual(yield* Effect.flatMap(get(`${path}/${idOf(row)}`), readRow), row)
        }
      }
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("is answered 404 if it doesn't exist, or not yet", () =>
    Effect.gen(function* () {
      const { get, sandbox } = yield* started({ ipcs: 5, projects: 30 })
      const unknown = (path: string) =>
        Effect.map(Effect.flatMap(get(path), errorOf), (error) => assert.strictEqual(error, "404 not_found", path))
      yield* unknown("/ipcs/IPC-2026-000001")
      yield* sandbox.emit(sandbox.events.blockLength)
      assert.strictEqual((yield* get("/ipcs/IPC-2026-000005")).status, 200)
      for (const id of ["IPC-2026-000006", "IPC-2026-5", "IPC-2025-000005", "VO-2026-000001", "IPC", "0", "%20"]) {
        yield* unknown(`/ipcs/${id}`)
      }
      yield* unknown(`/transmittals/TR-2026-${String(sandbox.events.blockLength).padStart(6, "0")}`)
      assert.strictEqual((yield* get("/projects/1030")).status, 200)
      for (const id of ["1000", "1031", "01030", "1e3", "1030.0", "-1", "x"]) yield* unknown(`/projects/${id}`)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("Amounts", () => {
  it.effect("of 24 digits are answered as the events wrote them", () =>
    Effect.gen(function* () {
      const { get, sandbox } = yield* started({ ipcs: 200, largeAmounts: true })
      yield* sandbox.emit(sandbox.events.blockLength)
      const { rows } = yield* walk(get, "/ipcs", 1000)
      const amounts = (rows: ReadonlyArray<Row>) => rows.map((row) => Json.numberText(row["draft_amount"]) ?? "")
      assert.deepStrictEqual(amounts(rows), amounts(rowsFromBodies(sandbox, "ipcs")))
      const large = amounts(rows).findIndex((amount) => amount.replace(".", "").length === 24)
      const [row, amount] = [rows[large], amounts(rows)[large]]
      assert.isDefined(row)
      assert.notStrictEqual(String(Number(amount)), amount, "no double holds it")
      const text = yield* Effect.flatMap(get(`/ipcs/${idOf(row)}`), (response) => response.text)
      assert.include(text, `"draft_amount":${amount},`)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )
})

describe("Any size", () => {
  it.effect("a page at the end of a million projects, and one of them, are correct", () =>
    Effect.gen(function* () {
      const { get, sandbox } = yield* started({ projects: 1_000_000 })
      const { pagination, rows } = yield* readPage(get, "/projects?page=1000&per_page=1000")
      assert.strictEqual(pagination.total, 1_000_000)
      const expected = Array.from({ length: 1000 }, (_, offset) => sandbox.truth().project(999_000 + offset))
      assert.deepStrictEqual(rows.map(Json.stringify), expected.map(Json.stringify))
      const last = yield* Effect.flatMap(get("/projects/1001000"), readRow)
      assert.strictEqual(Json.stringify(last), Json.stringify(expected[999]))
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.effect("the last page after 50,000 events recomputes only the last blocks", () =>
    Effect.gen(function* () {
      const events = Events.make({
        identity: "test",
        seed: 3,
        startAtMillis: 0,
        microsPerStep: 1000,
        ipcs: 40,
        projects: 50
      })
      let made = 0
      const counted: Events.Events = {
        ...events,
        block: (number) => {
          made++
          return events.block(number)
        }
      }
      const records = Records.make(counted)
      const steps = 50_000
      const ipcs = [...Truth.entities(events, steps)].filter(({ entity }) => entity === "ipcs")
      const { data, total } = yield* records.page(Versions.v1, "ipcs", steps, ipcs.length - 100, 100)
      assert.strictEqual(total, ipcs.length)
      const listed = [...data.matchAll(/"ipc_id":"([^"]+)"/g)].map(([, id]) => id)
      assert.deepStrictEqual(
        listed,
        ipcs.slice(-100).map(({ id }) => id)
      )
      assert.isAtMost(made, 6)
    })
  )
})
