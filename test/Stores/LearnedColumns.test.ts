/**
 * A warehouse gets columns while it is written, read and copied: earlier rows get values there with their next change,
 * the copy for analysts and snapshots show them, and a rebuilt warehouse has the same table.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Change } from "../../src/Domain/Change.ts"
import type { Resource } from "../../src/Domain/Resource.ts"
import * as Version from "../../src/Domain/Version.ts"
import * as LearnedColumns from "../../src/Stores/LearnedColumns.ts"
import { rebuild } from "../../src/Stores/Projection.ts"
import { Store } from "../../src/Stores/Store.ts"
import type { Warehouse } from "../../src/Stores/Warehouse.ts"
import { evolvingEngines as engines } from "./EvolvingEngines.ts"

const orders: Resource = {
  name: "orders",
  says: "Orders.",
  key: "BIGINT",
  columns: { title: { type: "VARCHAR", says: "Anything.", since: 1 } },
  stages: [],
  fields: new Map([["title", "title"]]),
  isWhole: true,
  learns: true
}

const other: Resource = { ...orders, name: "others" }

const column = (
  name: string,
  type: LearnedColumns.LearnedColumn["type"],
  beside: string | null = null
): LearnedColumns.LearnedColumn => ({
  resource: "orders",
  name,
  field: beside ?? name,
  type,
  beside,
  learned_at: "2026-11-20T02:00:00.000000Z"
})

const columns = [
  column("open", "BOOLEAN"),
  column("amount", "BIGINT"),
  column("amount_text", "VARCHAR", "amount"),
  column("price", "DECIMAL(28,4)"),
  column("day", "DATE"),
  column("at", "TIMESTAMPTZ"),
  column("parts", "JSON")
]

const seen = (id: string, second: number, extra: Change["extra"], entity = "orders"): Change => ({
  entity,
  id,
  version: Version.make(second * 1_000_000, 0, "ab".repeat(32)),
  source: "page",
  seenAt: "2026-11-20T02:00:00.000000Z",
  values: { title: `title ${id}` },
  misfits: {},
  extra
})

const extra = {
  open: "true",
  amount: "7",
  price: "12.50",
  day: '"2026-11-20"',
  at: '"2026-11-20T03:00:00.5+01:00"',
  parts: "[1.50]",
  rest: '"x"'
}

const shown = {
  open: "true",
  amount: "7",
  amount_text: null,
  price: "12.5000",
  day: "2026-11-20",
  at: "2026-11-20 02:00:00.5+00",
  parts: "[1.50]",
  _extra: '{"rest":"x"}'
}

const learn = (warehouse: Warehouse["Service"], some: ReadonlyArray<LearnedColumns.LearnedColumn>) =>
  Effect.flatMap(Store, (store) =>
    store.atomically(
      Effect.andThen(
        store.transaction((tx) => LearnedColumns.add(tx, some)),
        warehouse.evolve
      )
    )
  )

const namesOf = (warehouse: Warehouse["Service"]) =>
  Effect.map(warehouse.table("orders"), (table) => table.columns.map(({ name, type }) => `${name} ${type}`).toSorted())

const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => String(from + at))

describe.each(engines)("a warehouse in $name", ({ isSkipped, within }) => {
  it.live.skipIf(isSkipped)("gets columns while it is open, and has the same when it is opened or made again", () =>
    within((place) =>
      Effect.gen(function* () {
        const before = yield* place.open([orders, other], (warehouse) =>
          Effect.gen(function* () {
            yield* warehouse.write({ changes: [seen("1", 1, extra), seen("2", 1, extra)], events: [] })
            yield* learn(warehouse, columns)
            yield* learn(warehouse, columns)
            yield* warehouse.write({
              changes: [seen("2", 2, { ...extra, amount: '"1.50"' }), seen("3", 2, extra), seen("9", 2, {}, "others")],
              events: []
            })
            return yield* namesOf(warehouse)
          })
        )
        assert.include(before, "price DECIMAL(28,4)")
        const [untouched, spilled, fresh] = yield* place.rows("orders")
        // Until its next change.
        assert.deepInclude(untouched, { id: "1", amount: null })
        assert.include(String(untouched?.["_extra"]), '"amount":7')
        assert.deepInclude(spilled, { ...shown, id: "2", amount: null, amount_text: "1.50" })
        assert.deepInclude(fresh, { ...shown, id: "3" })
        yield* place.open([orders, other], (warehouse) =>
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* namesOf(warehouse), before)
            yield* warehouse.write({ changes: [seen("1", 3, extra), seen("3", 3, {})], events: [] })
          })
        )
        const [promoted, , vanished] = yield* place.rows("orders")
        assert.deepInclude(promoted, { ...shown, id: "1" })
        const nothing = Object.fromEntries(Object.keys(shown).map((name) => [name, null]))
        assert.deepInclude(vanished, { ...nothing, id: "3", title: "title 3" })
        yield* place.open([orders, other], () => Effect.flatMap(Store, rebuild))
        yield* place.open([orders, other], (warehouse) =>
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* namesOf(warehouse), before)
            yield* warehouse.write({ changes: [seen("1", 4, extra)], events: [] })
          })
        )
        const again = yield* place.rows("orders")
        assert.strictEqual(again.length, 1)
        assert.deepInclude(again[0], { ...shown, id: "1" })
      })
    )
  )

  it.live.skipIf(isSkipped)("loses nothing of what is written, read and copied meanwhile", () =>
    within((place) =>
      Effect.gen(function* () {
        const count = 40
        const writing = (warehouse: Warehouse["Service"], second: number) =>
          Effect.forEach(
            numbers(0, count),
            (id) => warehouse.write({ changes: [seen(id, second, { ...extra, amount: id })], events: [] }),
            { discard: true }
          )
        yield* place.open([orders], (warehouse) =>
          Effect.gen(function* () {
            yield* writing(warehouse, 1)
            const taking = Effect.scoped(
              Effect.flatMap(warehouse.snapshot, ({ tables }) =>
                Effect.as(Effect.yieldNow, tables.find(({ name }) => name === "orders")?.columns.length)
              )
            )
            const asking = warehouse.query((db) => db.selectFrom("construction.projects").selectAll().execute())
            yield* Effect.all(
              [
                writing(warehouse, 2),
                Effect.forEach(columns, (each) => learn(warehouse, [each]), { discard: true }),
                Effect.forEach(numbers(0, 5), () => taking, { discard: true }),
                Effect.forEach(numbers(0, 50), () => asking, { discard: true })
              ],
              { concurrency: 4, discard: true }
            )
            yield* writing(warehouse, 3)
            const after = yield* taking
            assert.strictEqual(after, (yield* namesOf(warehouse)).length)
          })
        )
        const rows = yield* place.rows("orders")
        assert.strictEqual(rows.length, count)
        for (const row of rows) assert.deepInclude(row, { ...shown, amount: row["id"] })
      })
    )
  )

  it.live.skipIf(isSkipped)("takes a column of the review file for the field instead, and refuses another type", () =>
    within((place) =>
      Effect.gen(function* () {
        const reviewed = (type: "BIGINT" | "VARCHAR"): Resource => ({
          ...orders,
          columns: { ...orders.columns, amount: { type, says: "Anything.", since: 1 } },
          fields: new Map([...(orders.fields ?? []), ["amount", "amount"]])
        })
        yield* place.open([orders], (warehouse) =>
          Effect.andThen(warehouse.write({ changes: [seen("1", 1, extra)], events: [] }), learn(warehouse, columns))
        )
        const [same, different] = yield* Effect.forEach(["BIGINT", "VARCHAR"] as const, (type) =>
          place.open([reviewed(type)], (warehouse) => warehouse.table("orders"))
        )
        assert.isUndefined(same?.refusal)
        assert.isUndefined(same?.resource.learned?.get("amount"))
        assert.match(String(different?.refusal), /amount of orders is BIGINT in the warehouse, and VARCHAR/)
      })
    )
  )
})
