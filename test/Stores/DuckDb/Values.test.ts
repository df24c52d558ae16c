import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { assert, describe, it } from "@effect/vitest"
import type { ColumnType } from "../../../src/Domain/Resource.ts"
import * as Calendar from "../../../src/Stores/DuckDb/Calendar.ts"
import * as Values from "../../../src/Stores/DuckDb/Values.ts"

const withConnection = async (use: (connection: DuckDBConnection) => Promise<void>): Promise<void> => {
  const instance = await DuckDBInstance.create(":memory:")
  const connection = await instance.connect()
  await connection.run("SET TimeZone = 'UTC'")
  await use(connection).finally(() => instance.closeSync())
}

/** Rows as DuckDB prints them. */
const printed = async (connection: DuckDBConnection): Promise<ReadonlyArray<ReadonlyArray<unknown>>> =>
  (await connection.runAndReadAll("SELECT COLUMNS(*)::VARCHAR FROM staged ORDER BY rowid")).getRows()

const append = async (
  connection: DuckDBConnection,
  types: ReadonlyArray<ColumnType>,
  columns: ReadonlyArray<ReadonlyArray<string | null>>
): Promise<void> => {
  await connection.run(`CREATE OR REPLACE TABLE staged (${types.map((type, index) => `c${index} ${type}`).join(", ")})`)
  const appender = await connection.createAppender("staged")
  try {
    const named = types.map((type, index) => ({ name: `c${index}`, type }))
    const rows = (columns[0] ?? []).map((_, row) =>
      Object.fromEntries(columns.map((column, index) => [`c${index}`, column[row] ?? null]))
    )
    Values.appendRows(appender, named, rows)
  } finally {
    appender.closeSync()
  }
}

describe("appendRows", () => {
  it("stores canonical text of every type to the last digit and microsecond", () =>
    withConnection(async (connection) => {
      const columns: ReadonlyArray<
        readonly [type: ColumnType, texts: ReadonlyArray<string | null>, printed?: ReadonlyArray<string | null>]
      > = [
        ["BIGINT", ["9223372036854775807", "-9223372036854775808", null]],
        ["VARCHAR", ["a\u0000é😀", "", null]],
        ["JSON", ['{"a": 1.00}', "[]", null]],
        ["DECIMAL(28,4)", ["999999999999999999999999.9999", "-0.0001", null]],
        [
          "DECIMAL(28,4)",
          ["-123456789012345678901234.5678", "12.34", null],
          ["-123456789012345678901234.5678", "12.3400", null]
        ],
        ["DECIMAL(10,2)", ["7.5000", "-0", null], ["7.50", "0.00", null]],
        ["DATE", ["2024-02-29", "1969-12-31", null]],
        [
          "TIMESTAMPTZ",
          ["2026-11-20T23:59:59.999999Z", "1969-12-31T23:59:59.5Z", null],
          ["2026-11-20 23:59:59.999999+00", "1969-12-31 23:59:59.5+00", null]
        ],
        [
          "TIMESTAMPTZ",
          ["9999-12-31T23:59:59.999999Z", "1684-07-28T00:12:25.259007Z", null],
          ["9999-12-31 23:59:59.999999+00", "1684-07-28 00:12:25.259007+00", null]
        ]
      ]
      const types = columns.map(([type]) => type)
      await append(
        connection,
        types,
        columns.map(([, texts]) => texts)
      )
      const expected: ReadonlyArray<ReadonlyArray<unknown>> = columns.map(([, texts, shown = texts]) => shown)
      const rows = await printed(connection)
      const stored: ReadonlyArray<ReadonlyArray<unknown>> = types.map((_, column) => rows.map((row) => row[column]))
      assert.deepStrictEqual(stored, expected)
    }))

  it("spreads any number of rows over chunks, in order", () =>
    withConnection(async (connection) => {
      for (const rows of [0, 1, 2048, 2049, 10_000]) {
        const ids = Array.from({ length: rows }, (_, index) => String(index))
        await append(connection, ["BIGINT", "VARCHAR"], [ids, ids.map((id) => (Number(id) % 3 === 0 ? null : id))])
        assert.deepStrictEqual(
          (await printed(connection)).map(([id]) => id),
          ids
        )
      }
    }))

  it("refuses text that it would have to round, cut or guess; a rollback then leaves nothing", () =>
    withConnection(async (connection) => {
      const refused: ReadonlyArray<readonly [type: ColumnType, text: string]> = [
        ["BIGINT", "9223372036854775808"],
        ["BIGINT", ""],
        ["BIGINT", " 1"],
        ["BIGINT", "0x10"],
        ["BIGINT", "1.0"],
        ["DECIMAL(28,4)", "0.00001"],
        ["DECIMAL(28,4)", "1000000000000000000000000"],
        ["DECIMAL(28,4)", "1e3"],
        ["DECIMAL(28,4)", "."],
        ["DATE", "2026-02-29"],
        ["DATE", "1900-02-29"],
        ["DATE", "2026-2-9"],
        ["TIMESTAMPTZ", "2026-02-28T24:00:00.000000Z"],
        ["TIMESTAMPTZ", "2026-02-28T23:59:59.1234567Z"],
        ["TIMESTAMPTZ", "2026-02-28T23:59:59.123456"],
        ["TIMESTAMPTZ", "2026-02-28 23:59:59.123456Z"]
      ]
      for (const [type, text] of refused) {
        const many = [...Array.from({ length: 3000 }, () => null), text]
        await connection.run("CREATE OR REPLACE TABLE staged (c0 VARCHAR)")
        await connection.run("BEGIN")
        const failure = await append(connection, [type], [many]).catch((error: unknown) => error)
        assert.instanceOf(failure, RangeError, `${type} ${text}`)
        await connection.run("ROLLBACK")
        assert.deepStrictEqual(await printed(connection), [])
      }
    }))
})

describe("days and microseconds", () => {
  it("become text that is read back as the same number, here and in DuckDB, over the whole range", () =>
    withConnection(async (connection) => {
      const seed = Math.floor(Math.random() * 1_000_000)
      const generated = await connection.runAndReadAll(`
        SELECT least(greatest((hash(range + ${seed}) >> 1)::BIGINT * if(range % 2 = 0, 1, -1) // (1 << (range % 24)),
          -9223372022400000000), 9223372036854775806) FROM range(2000)`)
      const micros = generated.getRows().map(([number]) => number as bigint)
      for (const number of [...micros, 0n, -1n, -9223372022400000000n, 9223372036854775806n]) {
        assert.strictEqual(Calendar.readMicros(Calendar.timestampText(number, "Z")), number, `seed ${seed}`)
      }
      const texts = micros.map((number) => `('${Calendar.timestampText(number, "")}'::TIMESTAMP)`)
      const read = await connection.runAndReadAll(`SELECT epoch_us(t) FROM (VALUES ${texts}) AS times(t)`)
      assert.deepStrictEqual(
        read.getRows().map(([number]) => number),
        micros,
        `seed ${seed}`
      )
      for (const day of [0, -1, 2_932_897, -719_529, 2_147_483_646, -2_147_483_646]) {
        assert.strictEqual(Calendar.readDays(Calendar.dateText(day)), day)
      }
    }))
})
