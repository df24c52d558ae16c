import { assert, describe, it } from "@effect/vitest"
import * as Json from "../../src/Domain/Json.ts"
import * as Resource from "../../src/Domain/Resource.ts"

/** Reads JSON source text for a column, as a body would hold it. */
const reads = (type: Resource.ColumnType, expected: Readonly<Record<string, string | null | undefined>>) => {
  for (const [text, canonical] of Object.entries(expected)) {
    assert.strictEqual(Resource.readValue(type, Json.parse(text)), canonical, `${type} ${text}`)
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
    for (const type of types) assert.isNull(Resource.readValue(type, null))
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
    assert.strictEqual(Resource.readValue("VARCHAR", "a\ud800"), "a\ufffd")
    assert.strictEqual(Resource.readValue("JSON", ["\ud800"]), '["\ufffd"]')
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
    for (const [text, key] of Object.entries(read)) assert.strictEqual(Resource.readKey(ipcs, Json.parse(text)), key)
    assert.strictEqual(Resource.readKey(ipcs, "\ud800"), "\ufffd")
  })

  it("is refused as a fraction, with an exponent, as empty text and as anything else", () => {
    for (const text of ["1.5", "1.0", "1e3", '""', "true", "null", "[]", "{}", '{"id":1}']) {
      assert.isUndefined(Resource.readKey(ipcs, Json.parse(text)), text)
    }
    assert.isUndefined(Resource.readKey(ipcs, undefined))
  })

  it("is a 64-bit integer if the table says so", () => {
    assert.strictEqual(Resource.readKey(projects, Json.parse('"42"')), "42")
    assert.strictEqual(Resource.readKey(projects, 42), "42")
    for (const text of ['"P-1"', '""', "1.5", "9223372036854775808", "null"]) {
      assert.isUndefined(Resource.readKey(projects, Json.parse(text)), text)
    }
  })
})

describe("tables", () => {
  it("are those of the contract, column by column", () => {
    const columns = (name: Resource.EntityName) =>
      Resource.tableColumns(Resource.byName(name))
        .map((column) => column.name)
        .filter((column) => !(column in Resource.commonColumns))
        .join(" ")
    assert.deepStrictEqual(Object.fromEntries(Resource.entityNames.map((name) => [name, columns(name)])), {
      projects: "id name status",
      ipcs:
        "id status project_id draft_amount submitter submitted_amount certified_amount certificate_url payment_reference" +
        " created_at submitted_at certified_at paid_at paid_amount",
      vos:
        "id status project_id description total_cost_impact final_amount time_impact boq_revision" +
        " created_at priced_at agreed_at absorbed_at",
      ncrs: "id status project_id severity closure_date created_at closed_at",
      hse_incidents: "id status classification reported_at",
      permits: "id status permit_type validity hours_until_expiry issued_at expiring_at",
      transmittals: "id status recipients document_count sent_at"
    })
  })

  it("have each column once, and all common columns", () => {
    for (const name of Resource.entityNames) {
      const names = Resource.tableColumns(Resource.byName(name)).map((column) => column.name)
      assert.strictEqual(new Set(names).size, names.length, name)
      assert.includeMembers(names, Object.keys(Resource.commonColumns))
    }
  })

  it("hold every amount as DECIMAL(28,4)", () => {
    for (const name of Resource.entityNames) {
      for (const { name: column, type } of Resource.tableColumns(Resource.byName(name))) {
        assert.strictEqual(Resource.isMoney(type), /amount|cost/.test(column), `${name}.${column}`)
      }
    }
  })

  it("have at most nine stages, which a version writes as one digit", () => {
    for (const name of Resource.entityNames) assert.isAtMost(Resource.byName(name).stages.length, 9)
  })
})
