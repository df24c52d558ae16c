/** What the page makes of the answer of a statement: a file for spreadsheets, and bars. */
import { assert, describe, it } from "@effect/vitest"
import { barsOf, csvOf } from "../../dashboard/Found.ts"

const columns = [
  { name: "name", isNumber: false },
  { name: "a,b", isNumber: true }
]

describe("an answer", () => {
  it("is a CSV file in which NULL, an empty text, quotes and decimals stay what they are", () => {
    const rows = [
      [null, "1234.5000"],
      ["", -1],
      ['say "yes",\nplease', null],
      [{ a: 1 }, "12345678901234567890.1234"]
    ]
    const lines = [
      'name,"a,b"',
      ",1234.5000",
      '"",-1',
      '"say ""yes"",\nplease",',
      '"{""a"":1}",12345678901234567890.1234'
    ]
    assert.strictEqual(csvOf({ columns, rows }), lines.map((line) => `${line}\r\n`).join(""))
  })

  it("is no formula to a spreadsheet, but a negative number is one", () => {
    const rows = ["=1+1", "+1", "-1", "@a", "\tb", "a=b"].map((text) => [text, "-2"])
    assert.deepStrictEqual(csvOf({ columns, rows }).split("\r\n").slice(1, -1), [
      "'=1+1,-2",
      "'+1,-2",
      "'-1,-2",
      "'@a,-2",
      "'\tb,-2",
      "a=b,-2"
    ])
  })

  it("of a label and a number is bars, as the worker wrote the number; no other is", () => {
    const rows = [
      ["2026-10", "12.5000"],
      [null, null]
    ]
    assert.deepStrictEqual(barsOf({ columns, rows }), [
      { label: "2026-10", written: "12.5000", value: 12.5 },
      { label: "NULL", written: "NULL", value: 0 }
    ])
    assert.isUndefined(barsOf({ columns, rows: [] }))
    assert.isUndefined(barsOf({ columns: columns.toReversed(), rows }))
    assert.isUndefined(barsOf({ columns: [...columns, columns[1]!], rows }))
    assert.isUndefined(barsOf({ columns, rows: [["a", "Infinity"]] }))
  })
})
