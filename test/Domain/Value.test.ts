import { assert, describe, it } from "@effect/vitest"
import * as Json from "../../src/Domain/Json.ts"
import * as Resource from "../../src/Domain/Resource.ts"
import * as Value from "../../src/Domain/Value.ts"

/** Reads JSON source text for a column, as a body would hold it. */
const reads = (type: Resource.ColumnType, expected: Readonly<Record<string, string | null | undefined>>) => {
  for (const [text, canonical] of Object.entries(expected)) {
    assert.strictEqual(Value.readValue(type, Json.parse(text)), canonical, `${type} ${text}`)
  }
}

const nested = '{"a":[1.0,{"b":null}]}'

describe("readValue", () => {
  it("gives null for null in every column", () => {
    const types: ReadonlyArray<Resource.ColumnType> = [
      ...new Set(
        Resource.entityNames.flatMap((name) => Resource.tableColumns(Resource.byName(name)).map(({ type }) => type))
      )
    ]
    assert.strictEqual(types.length, 7)
    for (const type of types) assert.isNull(Value.readValue(type, null))
  })

  it("gives text for strings, and the JSON text of numbers and booleans", () => {
    reads("VARCHAR", {
      '"x"': "x",
      '""': "",
      '" 5 "': " 5 ",
      "7": "7",
      "7.00": "7.00",
      "12345678901234567890": "12345678901234567890",
      true: "true",
      '"\\ud800"': "\ufffd",
      "[]": undefined,
      [nested]: undefined
    })
  })

  it("gives text without lone surrogates", () => {
    assert.strictEqual(Value.readValue("VARCHAR", "a\ud800"), "a\ufffd")
    assert.strictEqual(Value.readValue("JSON", ["\ud800"]), '["\ufffd"]')
  })

  it("gives 64-bit integers, from numbers and from text", () => {
    reads("BIGINT", {
      "42": "42",
      '"42"': "42",
      '"007"': "7",
      "-0": "0",
      "9223372036854775807": "9223372036854775807",
      "-9223372036854775808": "-9223372036854775808",
      "9223372036854775808": undefined,
      "-9223372036854775809": undefined,
      "1.0": undefined,
      "1e3": undefined,
      '"P-1"': undefined,
      '""': undefined,
      '" 5"': undefined,
      true: undefined,
      [nested]: undefined
    })
  })

  it("gives amounts with the scale of their column", () => {
    reads("DECIMAL(28,4)", {
      "12.5": "12.5000",
      '"1e3"': "1000.0000",
      "1.00001": undefined,
      '"abc"': undefined,
      true: undefined
    })
    reads("DECIMAL(10,2)", {
      "71.5": "71.50",
      "99999999.99": "99999999.99",
      "100000000": undefined,
      "0.001": undefined
    })
  })

  it("gives days and times", () => {
    reads("DATE", {
      '"2026-11-20"': "2026-11-20",
      '"2026-11-20T10:00:00Z"': "2026-11-20",
      '"2026-02-30"': undefined,
      "5": undefined
    })
    reads("TIMESTAMPTZ", {
      '"2026-11-20T03:00:00+01:00"': "2026-11-20T02:00:00.000000Z",
      "1763600000": "2025-11-20T00:53:20.000000Z",
      '"soon"': undefined,
      [nested]: undefined
    })
  })

  it("gives true and false as they are, and nothing for what only means them", () => {
    reads("BOOLEAN", {
      true: "true",
      false: "false",
      '"true"': undefined,
      "1": undefined,
      '""': undefined,
      "[]": undefined
    })
  })

  it("gives finite numbers as JavaScript writes them", () => {
    reads("DOUBLE", {
      "1": "1",
      "1.50": "1.5",
      "0.1": "0.1",
      "-0": "0",
      "1e21": "1e+21",
      "12345678901234567890": "12345678901234567000",
      "1e400": undefined,
      '"1.5"': undefined,
      '""': undefined,
      true: undefined
    })
  })

  it("gives JSON as it was written", () => {
    for (const text of [nested, "[]", '"x"', "1.50", "true"]) reads("JSON", { [text]: text })
  })
})

describe("readKey", () => {
  const { ipcs, projects } = Resource.resources

  it("is a string or an integer, to the last digit", () => {
    const read = {
      '"IPC-7"': "IPC-7",
      "7": "7",
      '"007"': "007",
      "123456789012345678901234": "123456789012345678901234"
    }
    for (const [text, key] of Object.entries(read)) assert.strictEqual(Value.readKey(ipcs, Json.parse(text)), key)
    assert.strictEqual(Value.readKey(ipcs, "\ud800"), "\ufffd")
  })

  it("is refused as a fraction, with an exponent, as empty text and as anything else", () => {
    for (const text of ["1.5", "1.0", "1e3", '""', "true", "null", "[]", "{}", '{"id":1}']) {
      assert.isUndefined(Value.readKey(ipcs, Json.parse(text)), text)
    }
    assert.isUndefined(Value.readKey(ipcs, undefined))
  })

  it("is a 64-bit integer if the table says so", () => {
    assert.strictEqual(Value.readKey(projects, Json.parse('"42"')), "42")
    assert.strictEqual(Value.readKey(projects, 42), "42")
    for (const text of ['"P-1"', '""', "1.5", "9223372036854775808", "null"]) {
      assert.isUndefined(Value.readKey(projects, Json.parse(text)), text)
    }
  })
})
