/**
 * Lists inside records as tables of their own, on both engines: always the items of the newest version, with exact
 * values, in the warehouse, in the copy for analysts and in Parquet.
 */
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Literal from "../../src/Domain/Literal.ts"
import { seeded } from "../Seeded.ts"
import { evolvingEngines as engines, type Place } from "./EvolvingEngines.ts"
import { gone, orders, page, write } from "./NestedOrders.ts"
import { queryWithoutFile } from "./Reading.ts"
import { folder } from "./WarehouseEngines.ts"

const parquet = (place: Place, table: string) =>
  Effect.gen(function* () {
    const path = join(yield* folder, "rows.parquet")
    yield* place.open([], (warehouse) =>
      Effect.scoped(Effect.flatMap(warehouse.snapshot, ({ writeTable }) => writeTable(table, path)))
    )
    return yield* Effect.promise(() =>
      queryWithoutFile(`select cast(columns(*) as varchar) from read_parquet(${Literal.text(path)}) order by 1, 2`)
    )
  })

const full = JSON.stringify([
  {
    id: "A",
    price: { amount: "12345678901234567890.1234", currency: "EUR" },
    "Q ty": 3,
    at: "2026-11-20T03:00:00.123456+01:00",
    day: "2026-11-20",
    share: 0.1,
    is_open: true,
    select: { deep: [1] },
    token: "s3cret",
    note: "x"
  }
]).replace('"12345678901234567890.1234"', "12345678901234567890.1234")

describe.each(engines)("a list inside records in $name", ({ isSkipped, within }) => {
  it.live.skipIf(isSkipped)(
    "is a table with exact values of their types, also as rows of the copy and of Parquet",
    () =>
      within((place) =>
        Effect.gen(function* () {
          yield* write(place, [orders], page("7", 1, full))
          const expected = {
            _parent: "7",
            _position: "0",
            id: "A",
            amount: "12345678901234567890.1234",
            quantity: "3",
            at: "2026-11-20 02:00:00.123456+00",
            day: "2026-11-20",
            share: "0.1",
            is_open: "true",
            select: '{"deep":[1]}',
            _extra: '{"price":{"amount":12345678901234567890.1234,"currency":"EUR"},"note":"x"}',
            _changed_at: "2026-11-20 02:00:00+00",
            _deleted_at: null
          }
          assert.deepStrictEqual(yield* place.rows("order_lines"), [expected])
          assert.deepStrictEqual(yield* parquet(place, "order_lines"), [expected])
          const kind = "select table_type as kind from information_schema.tables where table_name = 'order_lines'"
          assert.deepStrictEqual(yield* place.ask(kind), [{ kind: "BASE TABLE" }])
          const comment =
            "select comment from duckdb_columns() where table_name = 'order_lines' and column_name = 'amount'"
          assert.deepStrictEqual(yield* place.ask(comment, [orders]), [{ comment: "Anything." }])
        })
      )
  )

  const shown = (place: Place) =>
    Effect.map(
      place.ask(
        `select _parent, _position, id, _extra, _deleted_at is not null as is_gone from construction.order_lines order by 1, 2`
      ),
      (rows) =>
        rows.map(({ _extra, _parent, _position, id, is_gone }) => [_parent, _position, id, _extra, is_gone].join("|"))
    )

  it.live.skipIf(isSkipped)("has the items of the newest version alone, whatever the order of pages", () =>
    within((place) =>
      Effect.gen(function* () {
        const seed = Number(process.env["SEED"] ?? Math.floor(Math.random() * 1e6))
        const random = seeded(seed)
        const says = [
          page("1", 1, '[{"id":"a"},{"id":"b"},{"id":"c"}]'),
          page("1", 2, '[{"id":"d"}]'),
          page("1", 3, '[{"id":"b"},{"id":"e"}]'),
          page("2", 1, '[{"id":"f"}]'),
          page("2", 2, "[]"),
          page("3", 1, '[{"id":"g"}]'),
          page("3", 2, null),
          page("4", 1, '[{"id":"h"}]'),
          gone("4", 5),
          page("5", 2, '[{"id":"i"}]')
        ]
        for (let round = 0; round < 4; round++) {
          const order = random.shuffle(says)
          const cut = random.below(order.length)
          yield* place.open([orders], (warehouse) =>
            Effect.gen(function* () {
              for (const part of [order.slice(0, cut), order.slice(cut), random.shuffle(says)])
                yield* warehouse.write({ changes: part, events: [] })
            })
          )
          const expected = ["1|0|b||false", "1|1|e||false", "4|0|h||true", "5|0|i||false"]
          assert.deepStrictEqual(yield* shown(place), expected, `seed ${seed}, round ${round}`)
        }
      })
    )
  )

  it.live.skipIf(isSkipped)("keeps whatever else is in it, and never fails to be read", () =>
    within((place) =>
      Effect.gen(function* () {
        const odd = [
          '[1, null, "x", [2], {}]',
          '{"id":"no list"}',
          '"text"',
          String.raw`[{"id":"nul \u0000","__proto__":1,"quantity'\"":2,"Q ty":"many","at":"yesterday","price":5,"day":"2026-13-45","is_open":"yes"}]`,
          '[{"id":{"a":1},"Q ty":99999999999999999999,"price":{"amount":1e400},"share":"NaN","at":"1970-01-01T00:00:00Z"}]',
          `[${Array.from({ length: 10_000 }, (_, place) => `{"id":${place}}`).join(",")}]`
        ]
        yield* write(place, [orders], ...odd.map((text, at) => page(String(at), 1, text)))
        const rows = yield* shown(place)
        assert.deepStrictEqual(rows.slice(0, 7), [
          "0|0||1|false",
          "0|1|||false",
          '0|2||"x"|false',
          "0|3||[2]|false",
          "0|4|||false",
          String.raw`3|0||{"__proto__":1,"quantity'\"":2,"price":5,"id":"nul \u0000","quantity":"many","at":"yesterday","day":"2026-13-45","is_open":"yes"}|false`,
          '4|0||{"price":{"amount":1e400},"id":{"a":1},"amount":1e400,"quantity":99999999999999999999,"share":"NaN"}|false'
        ])
        assert.lengthOf(rows, 10_007)
        assert.strictEqual(rows.at(-1), "5|9999|9999||false")
        assert.lengthOf(yield* parquet(place, "order_lines"), 10_007)
      })
    )
  )
})
