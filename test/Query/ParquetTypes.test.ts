/**
 * The contents of a query's Parquet file come back unchanged. A value that Parquet can't hold is refused with the
 * column's name, even inside another value.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DuckDBInstance } from "@duckdb/node-api"
import { assert, describe, it } from "@effect/vitest"
import { answerFile } from "../../src/Query/Frames.ts"
import { keep } from "../../src/Query/Parquet.ts"

/** The type and the text of `value` as it comes back from Parquet, and its text before. */
const throughParquet = async (value: string) => {
  const folder = mkdtempSync(join(tmpdir(), "siteledger-parquet-"))
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  const firstRow = async (sql: string) => (await connection.runAndReadAll(sql)).getRowsJson()[0] ?? []
  try {
    await connection.run("set TimeZone = 'Asia/Tokyo'")
    const result = await connection.stream(`select ${value} as it from range(2)`)
    const { add, finish } = await keep(folder, result)
    for (
      let chunk = await result.fetchChunk();
      chunk !== null && chunk.rowCount > 0;
      chunk = await result.fetchChunk()
    ) {
      add(chunk)
    }
    assert.strictEqual(await finish(), 2)
    const file = `read_parquet('${join(folder, answerFile)}')`
    const [type] = await firstRow(`select typeof(it) from ${file}`)
    const [isSame] = await firstRow(`select bool_and(it is not distinct from (${value})::${String(type)}) from ${file}`)
    return { type, isSame }
  } finally {
    connection.disconnectSync()
    instance.closeSync()
    rmSync(folder, { recursive: true })
  }
}

const kept = [
  ["(-128)::tinyint", "TINYINT"],
  ["255::utinyint", "UTINYINT"],
  ["18446744073709551615::ubigint", "UBIGINT"],
  ["(-99999999999999999999999999999999999999)::hugeint", "DECIMAL(38,0)"],
  ["99999999999999999999999999999999999999::uhugeint", "DECIMAL(38,0)"],
  ["999.9::decimal(4,1)", "DECIMAL(4,1)"],
  ["0.0000000001::decimal(38,10)", "DECIMAL(38,10)"],
  ["'nan'::double", "DOUBLE"],
  ["'-inf'::float", "FLOAT"],
  ["time '23:59:59.999999'", "TIME"],
  ["timestamp_ns '2026-01-01 00:00:00.123456789'", "TIMESTAMP_NS"],
  ["timestamp_ms '9999-12-31 23:59:59.999'", "TIMESTAMP"],
  ["timestamptz '2026-01-01 00:00:00.000001+09'", "TIMESTAMP WITH TIME ZONE"],
  ["date '5000-03-15 (BC)'", "DATE"],
  ["[1, null]::hugeint[]", "DECIMAL(38,0)[]"],
  ["[[timestamp_s '2026-01-01'], null]::timestamp_s[1][2]", "TIMESTAMP[][]"],
  [`{'it''s "a"': ['b'::enum('a', 'b')]}`, `STRUCT("it's ""a""" VARCHAR[])`],
  ["map(['k'], [{'a': '{\"b\":1.10}'::json, 'at': date '2026-01-01'}])", 'MAP(VARCHAR, STRUCT(a JSON, "at" DATE))'],
  ["[null, {'a': null::date}]", "STRUCT(a DATE)[]"],
  ["null::map(date, timestamp[])", "MAP(DATE, TIMESTAMP[])"],
  ["null", "INTEGER"]
] as const

const unsuitable = [
  ["interval '1 month 3.000004 seconds'", /the column it \(INTERVAL\)/],
  ["[interval '3.000004 seconds']", /the column it \(INTERVAL\[\]\)/],
  ["map([1], [{'a': interval '1 day'}])", /the column it \(MAP\(INTEGER, STRUCT\("a" INTERVAL\)\)\)/],
  ["timetz '12:34:56+02'", /the column it \(TIME WITH TIME ZONE\)/],
  ["time_ns '12:34:56.123456789'", /the column it \(TIME_NS\)/],
  ["'10101'::bit", /the column it \(BIT\)/],
  ["'1'::bignum", /the column it \(BIGNUM\)/],
  ["union_value(a := 1)", /the column it \(UNION\("a" INTEGER\)\)/],
  ["1::variant", /the column it \(VARIANT\)/],
  ["row(1, 2)", /the column it \(STRUCT\("" INTEGER, "" INTEGER\)\)/],
  ["date 'infinity'", /infinity of the column it \(DATE\)/],
  ["case when range = 1 then timestamp '-infinity' end", /-infinity of the column it \(TIMESTAMP\)/],
  ["timestamptz 'infinity'", /infinity of the column it \(TIMESTAMP WITH TIME ZONE\)/],
  ["timestamp_s 'infinity'", /infinity of the column it \(TIMESTAMP_S\)/],
  ["[[null, [date 'infinity']]]", /\[\[NULL, \[infinity\]\]\] of the column it \(DATE\[\]\[\]\[\]\)/],
  ["{'a': [{'b': timestamp_ns 'infinity'}]}", /infinity\}\]\} of the column it \(STRUCT/],
  ["map([date 'infinity'], [1])", /\{infinity=1\} of the column it \(MAP\(DATE, INTEGER\)\)/],
  ["time '24:00:00'", /24:00:00 of the column it \(TIME\)/],
  ["100000000000000000000000000000000000000::hugeint", /10{38} of the column it \(HUGEINT\)/],
  ["[340282366920938463463374607431768211455::uhugeint]", /of the column it \(UHUGEINT\[\]\)/]
] as const

describe("a Parquet file of a query", () => {
  for (const [value, type] of kept) {
    it(`holds ${value} as ${type}`, async () => {
      assert.deepStrictEqual(await throughParquet(value), { type, isSame: true })
    })
  }

  for (const [value, message] of unsuitable) {
    it(`is refused for ${value}`, async () => {
      const refused = await throughParquet(value).then(
        (found) => assert.fail(`It came back as ${JSON.stringify(found)}`),
        (error: Error) => error.message
      )
      assert.match(refused, message)
      assert.match(refused, /^Parquet can't hold .* exactly: cast the column, to VARCHAR for example\.$/)
    })
  }
})
