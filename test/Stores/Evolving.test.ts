/**
 * A warehouse gets the tables and columns of the lists that a person switched on, at a start and beside its rows.
 * Columns that no list fills any more stay, are null from then on, and are filled again if their list comes back.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Change } from "../../src/Domain/Change.ts"
import type { Resource } from "../../src/Domain/Resource.ts"
import { byName } from "../../src/Domain/Resource.ts"
import * as Version from "../../src/Domain/Version.ts"
import { rebuild } from "../../src/Stores/Projection.ts"
import { Store } from "../../src/Stores/Store.ts"
import { evolvingEngines as engines } from "./EvolvingEngines.ts"

const column = (type: Resource["columns"][string]["type"]) => ({ type, says: "Anything.", since: 1 })

/** A name that SQL reserves, a key of two columns, and each type. */
const orders: Resource = {
  name: "order",
  says: "Orders.",
  key: "VARCHAR",
  keyColumn: "_key",
  columns: {
    project_id: column("BIGINT"),
    id: column("BIGINT"),
    title: column("VARCHAR"),
    amount: column("DECIMAL(28,4)"),
    share: column("DOUBLE"),
    is_open: column("BOOLEAN"),
    at: column("TIMESTAMPTZ"),
    day: column("DATE"),
    parts: column("JSON")
  },
  stages: []
}

const seenAt = "2026-11-20T02:00:00.000000Z"

const seen = (entity: string, id: string, second: number, values: Change["values"]): Change => ({
  entity,
  id,
  version: Version.make(second * 1_000_000, 0, "ab".repeat(32)),
  source: "page",
  seenAt,
  values,
  misfits: {},
  extra: {}
})

const full = {
  project_id: "7",
  id: "12",
  title: "one",
  amount: "1.5000",
  share: "0.1",
  is_open: "true",
  at: seenAt,
  day: "2026-11-20",
  parts: "[1]"
}

const values = { ...full, title: "two", is_open: "false", share: "1e+21" }

const without = (resource: Resource, name: string): Resource => {
  const { [name]: _gone, ...columns } = resource.columns
  return { ...resource, columns }
}

const shown = { ...values, at: "2026-11-20 02:00:00+00" }

describe.each(engines)("a warehouse in $name", ({ isSkipped, within }) => {
  it.live.skipIf(isSkipped)("makes a list's table, writes and merges its rows, and knows it without the list", () =>
    within((place) =>
      Effect.gen(function* () {
        yield* place.open([orders], (warehouse) =>
          Effect.gen(function* () {
            yield* warehouse.write({ changes: [seen("order", "7/12", 1, full)], events: [] })
            yield* warehouse.write({ changes: [seen("order", "7/12", 2, values)], events: [] })
            for (let again = 3; again < 9; again++)
              yield* warehouse.write({
                changes: [seen("order", "7/12", again, values), seen("order", "8/12", again, values)],
                events: []
              })
            // Older than what is there.
            yield* warehouse.write({ changes: [seen("order", "7/12", 1, full)], events: [] })
          })
        )
        const [row] = yield* place.rows("order")
        assert.deepInclude(row, { _key: "7/12", ...shown })
        yield* place.open([], (warehouse) =>
          Effect.gen(function* () {
            const { key } = yield* warehouse.table("order")
            assert.strictEqual(key, "_key")
            yield* warehouse.write({ changes: [seen("projects", "1", 1, { name: "A" })], events: [] })
          })
        )
        assert.deepInclude((yield* place.rows("order"))[0], shown)
      })
    )
  )

  it.live.skipIf(isSkipped)("adds columns to tables with rows, its own included, and keeps those that are gone", () =>
    within((place) =>
      Effect.gen(function* () {
        const projects = byName("projects")
        const wide = { ...projects, columns: { ...projects.columns, city: column("VARCHAR") } }
        yield* place.open([without(orders, "share")], (warehouse) =>
          warehouse.write({
            changes: [
              seen("order", "7/12", 1, { id: "12", title: "one" }),
              seen("order", "7/13", 1, { id: "13", title: "other" }),
              seen("projects", "1", 1, { name: "A" })
            ],
            events: []
          })
        )
        yield* place.open([without(orders, "title"), wide], (warehouse) =>
          warehouse.write({
            changes: [
              seen("order", "7/12", 2, { id: "12", share: "0.5" }),
              seen("order", "7/14", 2, { id: "14", share: "2.5" }),
              seen("projects", "1", 2, { name: "B", city: "Graz" })
            ],
            events: []
          })
        )
        const found = yield* place.rows("order")
        const cells = found.map(({ _key, id, share, title }) => [_key, id, share, title])
        assert.deepStrictEqual(cells, [
          ["7/12", "12", "0.5", "one"],
          ["7/13", "13", null, "other"],
          ["7/14", "14", "2.5", null]
        ])
        assert.deepInclude((yield* place.rows("projects"))[0], { id: "1", name: "B", city: "Graz" })
      })
    )
  )

  it.live.skipIf(isSkipped)(
    "fills a new column from the other fields of a row, as soon as something is said of it",
    () =>
      within((place) =>
        Effect.gen(function* () {
          const before = { ...seen("order", "7/12", 1, { id: "12" }), extra: { share: "0.25", note: '"x"' } }
          yield* place.open([without(orders, "share")], (warehouse) =>
            warehouse.write({ changes: [before], events: [] })
          )
          const known = { ...orders, fields: new Map([["share", "share"]]) }
          yield* place.open([known], (warehouse) =>
            warehouse.write({ changes: [seen("order", "7/12", 2, { title: "one" })], events: [] })
          )
          const [row] = yield* place.rows("order")
          assert.deepInclude(row, { share: "0.25", title: "one", _extra: '{"note":"x"}' })
        })
      )
  )

  it.live.skipIf(isSkipped)("begins again without the rows of lists, as without all others, when it is rebuilt", () =>
    within((place) =>
      Effect.gen(function* () {
        const changes = [seen("order", "7/12", 1, full), seen("projects", "1", 1, { name: "A" })]
        yield* place.open([orders], (warehouse) => warehouse.write({ changes, events: [] }))
        yield* place.open([orders], () => Effect.flatMap(Store, rebuild))
        yield* place.open([orders], (warehouse) => Effect.asVoid(warehouse.table("order")))
        for (const table of ["order", "projects"]) assert.deepStrictEqual(yield* place.rows(table), [])
      })
    )
  )

  it.live.skipIf(isSkipped)("says which column has another type than the list wants", () =>
    within((place) =>
      Effect.gen(function* () {
        yield* place.open([orders], (warehouse) => Effect.asVoid(warehouse.table("order")))
        const other = { ...orders, columns: { ...orders.columns, title: column("BIGINT") } }
        const refusal = yield* place.open([other], (warehouse) =>
          Effect.map(warehouse.table("order"), (table) => table.refusal)
        )
        assert.match(String(refusal), /^The column title of order is VARCHAR in the warehouse, and BIGINT/)
      })
    )
  )

  it.live.skipIf(isSkipped)("says that the list wants another key, and leaves the table as it is", () =>
    within((place) =>
      Effect.gen(function* () {
        const byKey = without(orders, "id")
        const { keyColumn: _none, ...byId } = byKey
        const part = { name: "part", type: "VARCHAR" as const, says: "Anything.", from: "/part" }
        const nested = [{ name: "order_parts", says: "Parts.", column: "parts", columns: [part], dropped: [] }]
        yield* place.open([{ ...byId, nested }], (warehouse) =>
          warehouse.write({ changes: [seen("order", "12", 1, { title: "one" })], events: [] })
        )
        for (const _again of [1, 2]) {
          const table = yield* place.open([{ ...byKey, nested }], (warehouse) => warehouse.table("order"))
          assert.match(
            String(table.refusal),
            /^The rows of order are told apart by id in the warehouse, and by _key in the review file/
          )
          assert.strictEqual(table.key, "id")
        }
        const [row] = yield* place.rows("order")
        assert.deepInclude(row, { id: "12", title: "one" })
        assert.notProperty(row, "_key")
        assert.deepStrictEqual(yield* place.rows("order_parts"), [])
      })
    )
  )
})
