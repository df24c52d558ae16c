/**
 * A list inside records becomes a table of its own although there are records already, and changes with the review
 * file; an impossible change is refused with its list, and the other lists continue.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { Nested, Resource } from "../../src/Domain/Resource.ts"
import { evolvingEngines as engines } from "./EvolvingEngines.ts"
import { item, lines, orders, page, plain, write, writing } from "./NestedOrders.ts"

describe.each(engines)("a list inside records in $name", ({ isSkipped, within }) => {
  it.live.skipIf(isSkipped)("becomes a table later, gets more columns, keeps those that are gone, and may go", () =>
    within((place) =>
      Effect.gen(function* () {
        const text = '[{"id":"a","day":"2026-11-20","unit":"m"}]'
        yield* write(place, [plain], page("1", 1, text), page("2", 1, text))
        const first = { ...orders, nested: [{ ...lines, columns: [item("id", "VARCHAR"), item("day", "DATE")] }] }
        yield* write(place, [first], page("1", 2, text))
        const cells = "select _parent, id, day from construction.order_lines"
        assert.deepStrictEqual(yield* place.ask(cells), [{ _parent: "1", id: "a", day: "2026-11-20" }])
        const second = { ...orders, nested: [{ ...lines, columns: [item("id", "VARCHAR"), item("unit", "VARCHAR")] }] }
        yield* write(place, [second], page("1", 3, text), page("2", 3, text))
        const [row] = yield* place.rows("order_lines")
        assert.deepInclude(row, { id: "a", unit: "m", day: null, _extra: '{"day":"2026-11-20"}' })
        yield* write(place, [plain], page("3", 4, text))
        assert.lengthOf(yield* place.rows("order_lines"), 2)
      })
    )
  )

  it.live.skipIf(isSkipped)("is refused with its list where it can't be, and other lists go on", () =>
    within((place) =>
      Effect.gen(function* () {
        yield* write(place, [orders], page("1", 1, "[]"))
        const named = (name: string, of: ReadonlyArray<Nested>): Resource => ({ ...orders, name, nested: of })
        const other = { ...lines, columns: [item("day", "VARCHAR")] }
        const refusals = yield* place.open(
          [
            { ...orders, nested: [other] },
            named("second", [{ ...lines, name: "both" }]),
            named("third", [{ ...lines, name: "both" }]),
            named("fourth", [{ ...lines, name: "ipc_ageing" }]),
            named("fifth", [{ ...lines, name: "vos" }])
          ],
          (warehouse) =>
            Effect.gen(function* () {
              yield* writing(page("9", 1, '[{"id":"z"}]', "second"))(warehouse)
              const tables = yield* Effect.forEach(["orders", "second", "third", "fourth", "fifth"], warehouse.table)
              return tables.map(({ refusal }) => refusal)
            })
        )
        const isThere = (name: string) =>
          `The warehouse has another table or view ${name}: give the nested table another name in the review file.`
        assert.deepStrictEqual(refusals, [
          "The column day of order_lines is DATE in the warehouse, and VARCHAR in the review file: " +
            "give the column another name there, or its type back.",
          undefined,
          isThere("both"),
          isThere("ipc_ageing"),
          isThere("vos")
        ])
        assert.deepStrictEqual(
          (yield* place.rows("both")).map(({ id }) => id),
          ["z"]
        )
      })
    )
  )

  it.live.skipIf(isSkipped)("isn't shown with the records of another list, which is refused under its name", () =>
    within((place) =>
      Effect.gen(function* () {
        yield* write(place, [orders], page("1", 1, '[{"id":"old"}]'))
        const purchases = { ...orders, name: "purchases" }
        const refusals = yield* place.open([purchases], (warehouse) =>
          Effect.forEach(["orders", "purchases"], (name) => Effect.map(warehouse.table(name), ({ refusal }) => refusal))
        )
        const isThere =
          "The warehouse has another table or view order_lines: give the nested table another name in the review file."
        assert.deepStrictEqual(refusals, [undefined, isThere])
        yield* write(place, [orders], page("1", 2, '[{"id":"new"}]'))
        assert.deepStrictEqual(yield* place.ask("select id from construction.order_lines"), [{ id: "new" }])
      })
    )
  )
})
