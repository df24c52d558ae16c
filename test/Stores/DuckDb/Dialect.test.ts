import { assert, describe, it } from "@effect/vitest"
import { Kysely, sql } from "kysely"
import { DuckDbDialect } from "../../../src/Stores/DuckDb/Dialect.ts"
import { rejection, type Tables, withDuckDb } from "./DialectWorld.ts"

/** The value of an SQL expression. */
const valueOf = async (db: Kysely<Tables>, expression: string, ...parameters: ReadonlyArray<unknown>) => {
  const query = { ...sql.raw(`SELECT ${expression} AS value`).compile(db), parameters }
  const { rows } = await db.executeQuery<{ value: unknown }>(query)
  return rows[0]?.value
}

describe("values read", () => {
  const canonical: ReadonlyArray<readonly [expression: string, value: unknown]> = [
    ["true", true],
    ["NULL::BIGINT", null],
    ["2147483647::INTEGER", 2147483647],
    ["4294967295::UINTEGER", 4294967295],
    ["9223372036854775807::BIGINT", "9223372036854775807"],
    ["18446744073709551615::UBIGINT", "18446744073709551615"],
    ["170141183460469231731687303715884105727::HUGEINT", "170141183460469231731687303715884105727"],
    ["count(*)", "1"],
    ["0.1::DOUBLE", 0.1],
    ["12.34::DECIMAL(28,4)", "12.3400"],
    ["-0.0001::DECIMAL(28,4)", "-0.0001"],
    ["123456789012345678901234.5678::DECIMAL(28,4)", "123456789012345678901234.5678"],
    ["12::DECIMAL(4,0)", "12"],
    ["DATE '2026-02-28'", "2026-02-28"],
    ["DATE '0044-03-15 (BC)'", "-0043-03-15"],
    ["DATE '12026-02-28'", "12026-02-28"],
    ["DATE 'infinity'", "infinity"],
    ["TIME '02:03:04.5'", "02:03:04.500000"],
    ["TIMESTAMP '2026-02-28 02:03:04.123456'", "2026-02-28T02:03:04.123456"],
    ["TIMESTAMP_S '2026-02-28 02:03:04'", "2026-02-28T02:03:04.000000"],
    ["TIMESTAMP_MS '2026-02-28 02:03:04.123'", "2026-02-28T02:03:04.123000"],
    ["TIMESTAMP_NS '1969-12-31 23:59:59.123456789'", "1969-12-31T23:59:59.123456789"],
    ["TIMESTAMPTZ '2026-02-28 02:03:04.123456+02'", "2026-02-28T00:03:04.123456Z"],
    ["TIMESTAMPTZ '1969-12-31 23:59:59.999999+00'", "1969-12-31T23:59:59.999999Z"],
    ["TIMESTAMPTZ '290309-12-22 (BC) 00:00:00+00'", "-290308-12-22T00:00:00.000000Z"],
    ["TIMESTAMPTZ '294247-01-10 04:00:54.775806+00'", "294247-01-10T04:00:54.775806Z"],
    ["TIMESTAMPTZ '-infinity'", "-infinity"],
    ["UUID '8e0c1a4e-0b1f-4b0e-9a55-2f6d1c1b7a11'", "8e0c1a4e-0b1f-4b0e-9a55-2f6d1c1b7a11"],
    ["'{\"a\": 1.0}'::JSON", '{"a": 1.0}'],
    ["'a' || chr(0) || 'é😀'", "a\u0000é😀"],
    ["'open'::ENUM ('open', 'closed')", "open"],
    ["'\\x00\\xFF'::BLOB", Uint8Array.of(0, 255)],
    ["[1::BIGINT, NULL]", ["1", null]],
    ["{'a': 1.5::DECIMAL(4,2), 'b': [DATE '2026-01-01']}", { a: "1.50", b: ["2026-01-01"] }],
    ["MAP {'k': TIMESTAMPTZ '2026-01-01 00:00:00+00'}", { k: "2026-01-01T00:00:00.000000Z" }],
    ["MAP {7::BIGINT: {'x': NULL::DATE}}", { "7": { x: null } }],
    ["union_value(text := 'a')", "a"]
  ]

  it("are canonical text, null, booleans, small numbers or bytes, depending only on their type", () =>
    withDuckDb(async (db) => {
      for (const [expression, value] of canonical) {
        assert.deepStrictEqual(await valueOf(db, expression), value, expression)
      }
    }))

  it("are in UTC, also inside the engine, in any time zone of the process", () =>
    withDuckDb(async (db, instance) => {
      const connection = await instance.connect()
      await connection.run("SET GLOBAL TimeZone = 'Asia/Kathmandu'")
      connection.disconnectSync()
      const other = new Kysely<Tables>({ dialect: new DuckDbDialect({ instance }) })
      assert.strictEqual(await valueOf(other, "'2026-02-28 20:00:00+00'::TIMESTAMPTZ::DATE"), "2026-02-28")
      assert.strictEqual(await valueOf(other, "'2026-02-28 20:00:00+00'::TIMESTAMPTZ"), "2026-02-28T20:00:00.000000Z")
      await other.destroy()
      assert.strictEqual(await valueOf(db, "1"), 1)
    }))
})

describe("parameters", () => {
  it("are read back unchanged, with their type", () =>
    withDuckDb(async (db) => {
      const bound: ReadonlyArray<readonly [parameter: unknown, type: string, value: unknown]> = [
        ["text\u0000é", "VARCHAR", "text\u0000é"],
        [7, "INTEGER", 7],
        [2 ** 40, "BIGINT", "1099511627776"],
        [1e300, "DOUBLE", 1e300],
        [0.5, "DOUBLE", 0.5],
        [9223372036854775807n, "BIGINT", "9223372036854775807"],
        [9223372036854775808n, "HUGEINT", "9223372036854775808"],
        [false, "BOOLEAN", false],
        [null, '"NULL"', null],
        [undefined, '"NULL"', null],
        [new Date("2026-02-28T02:03:04.567Z"), "TIMESTAMP WITH TIME ZONE", "2026-02-28T02:03:04.567000Z"],
        [Buffer.from([0, 255]), "BLOB", Uint8Array.of(0, 255)],
        [new Uint8Array(3000).fill(7), "BLOB", new Uint8Array(3000).fill(7)]
      ]
      for (const [parameter, type, value] of bound) {
        assert.deepStrictEqual(await valueOf(db, "$1", parameter), value)
        assert.strictEqual(await valueOf(db, "typeof($1)", parameter), type)
      }
    }))

  it("of canonical text are compared as the column's type, not as text", () =>
    withDuckDb(async (db) => {
      await db.insertInto("payments").values({ id: "10", amount: "12.34", count: null }).execute()
      const found = db.selectFrom("payments").select("id").where("id", ">", "9").where("amount", "=", "12.34")
      assert.deepStrictEqual(await found.execute(), [{ id: "10" }])
    }))

  it("without an exact form in DuckDB are refused", () =>
    withDuckDb(async (db) => {
      assert.instanceOf(await rejection(valueOf(db, "$1", { a: 1 })), TypeError)
      assert.instanceOf(await rejection(valueOf(db, "$1", new Date(NaN))), RangeError)
    }))
})

describe("results", () => {
  it("count the written rows, also if a column is called count and if rows are returned", () =>
    withDuckDb(async (db) => {
      const values = [1, 2, 3].map((count) => ({ id: String(count), amount: "1", count }))
      const inserted = await db.insertInto("payments").values(values).executeTakeFirstOrThrow()
      assert.strictEqual(inserted.numInsertedOrUpdatedRows, 3n)
      const updated = await db
        .updateTable("payments")
        .set({ amount: "2" })
        .where("count", "<", 3)
        .executeTakeFirstOrThrow()
      assert.strictEqual(updated.numUpdatedRows, 2n)
      assert.deepStrictEqual(await db.selectFrom("payments").select("count").where("id", "=", "3").execute(), [
        { count: 3 }
      ])
      const total = db.selectFrom("payments").select((eb) => eb.fn.countAll<string>().as("count"))
      assert.deepStrictEqual(await total.execute(), [{ count: "3" }])
      const returning = db.deleteFrom("payments").where("count", ">", 1).returning("count").compile()
      const deleted = await db.executeQuery(returning)
      assert.deepStrictEqual(deleted, { numAffectedRows: 2n, rows: [{ count: 2 }, { count: 3 }] })
    }))

  it("of an upsert with DO NOTHING are exactly the inserted rows", () =>
    withDuckDb(async (db) => {
      const insert = (...ids: ReadonlyArray<string>) =>
        db
          .insertInto("payments")
          .values(ids.map((id) => ({ id, amount: null, count: null })))
          .onConflict((conflict) => conflict.column("id").doNothing())
          .returning("id")
          .execute()
      await insert("1", "2")
      assert.deepStrictEqual(await insert("2", "3"), [{ id: "3" }])
    }))
})
