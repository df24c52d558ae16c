/** A table's columns, and the facts about a file, as Delta Lake writes them. */
import { assert, describe, it } from "@effect/vitest"
import { schemaOf, statsOf } from "../../../src/Lake/Delta/Schema.ts"

const fields = (...types: ReadonlyArray<string>) => {
  const columns = types.map((type, n) => ({ name: `c${n}`, type }))
  const { fields: found } = JSON.parse(schemaOf("ipcs", columns)) as {
    readonly fields: ReadonlyArray<{ readonly name: string; readonly type: string }>
  }
  return found.map(({ name, type }) => `${name} ${type}`)
}

describe("the schema of a Delta table", () => {
  it("has the types that our tables have", () => {
    assert.deepStrictEqual(
      fields("BIGINT", "VARCHAR", "DECIMAL(28,4)", "TIMESTAMP WITH TIME ZONE", "DATE", "BOOLEAN"),
      ["c0 long", "c1 string", "c2 decimal(28,4)", "c3 timestamp", "c4 date", "c5 boolean"]
    )
  })

  it("leaves out a column of somebody's own with a type that not every reader knows, and keeps the others", () => {
    assert.deepStrictEqual(fields("HUGEINT", "VARCHAR", "TIMESTAMP", "INTEGER[]", "STRUCT(a INTEGER)", "DOUBLE"), [
      "c1 string",
      "c5 double"
    ])
  })
})

describe("the statistics of a file", () => {
  const at = (min: string, max: string) => {
    const file = { path: "p", bytes: 1, rows: 3, sha256: "", ranges: { at: { min, max } } }
    const { maxValues, minValues } = JSON.parse(statsOf([{ name: "at", type: "TIMESTAMP WITH TIME ZONE" }], file)) as {
      readonly minValues: Record<string, string>
      readonly maxValues: Record<string, string>
    }
    return [minValues["at"], maxValues["at"]]
  }

  it("count the rows without a value in each column of the table, if that is known", () => {
    const columns = ["a", "b", "c"].map((name) => ({ name, type: name === "c" ? "HUGEINT" : "VARCHAR" }))
    const file = { path: "p", bytes: 1, rows: 3, sha256: "" }
    assert.deepStrictEqual(JSON.parse(statsOf(columns, { ...file, nulls: { b: 2 } })), {
      numRecords: 3,
      minValues: {},
      maxValues: {},
      nullCount: { a: 0, b: 2 }
    })
    assert.notProperty(JSON.parse(statsOf(columns, file)), "nullCount")
  })

  it("have times in milliseconds between which all are", () => {
    assert.deepStrictEqual(at("2026-11-19T10:00:00.123456Z", "2026-11-19T10:00:00.123456Z"), [
      "2026-11-19T10:00:00.123Z",
      "2026-11-19T10:00:00.124Z"
    ])
    assert.deepStrictEqual(at("2026-11-19T10:00:00.999999Z", "2026-12-31T23:59:59.999001Z"), [
      "2026-11-19T10:00:00.999Z",
      "2027-01-01T00:00:00.000Z"
    ])
    assert.deepStrictEqual(at("1970-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999000Z"), [
      "1970-01-01T00:00:00.000Z",
      "9999-12-31T23:59:59.999Z"
    ])
  })
})
