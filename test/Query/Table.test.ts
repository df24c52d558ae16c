import { assert, describe, it } from "@effect/vitest"
import type { Column, Row } from "../../src/Query/Frames.ts"
import { table, type TableOptions } from "../../src/Query/Table.ts"
import * as Text from "../../src/Query/Text.ts"

const text = (name: string): Column => ({ name, isNumber: false })
const number = (name: string): Column => ({ name, isNumber: true })

const shown = (
  columns: ReadonlyArray<Column>,
  rows: ReadonlyArray<Row>,
  options: Partial<TableOptions> = {}
): { readonly lines: ReadonlyArray<string>; readonly notes: ReadonlyArray<string> } => {
  const writer = table({ width: undefined, color: false, ...options })
  const parts = [writer.columns({ columns, isPlan: false }), ...rows.map((row) => writer.row(row))]
  return { lines: [...parts, writer.end("complete")].join("").split("\n").slice(0, -1), notes: writer.notes() }
}

describe("a table", () => {
  it("puts numbers to the right, text to the left, and shows NULL as ∅", () => {
    const { lines } = shown(
      [number("id"), text("name"), number("amount")],
      [
        [7, "a", "1.0000"],
        [10, null, null],
        [null, "", "-12345.5000"]
      ]
    )
    assert.deepStrictEqual(lines, [
      "id  name       amount",
      "--  ----  -----------",
      " 7  a          1.0000",
      "10  ∅               ∅",
      " ∅        -12345.5000"
    ])
  })

  it("shows the columns of an answer without rows", () => {
    assert.deepStrictEqual(shown([text("a"), text("bc")], []).lines, ["a  bc", "-  --"])
  })

  it("escapes control characters and changes of the writing direction", () => {
    const nasty = "a\u001b[31mred\u0007\nb\tc\u0000\u009b2J\u202eevil\u2028"
    const { lines } = shown([text("x\u001b]0;y\u0007")], [[nasty]])
    assert.strictEqual(lines[0], "x\\x1b]0;y\\x07")
    assert.strictEqual(lines[2], "a\\x1b[31mred\\x07\\nb\\tc\\x00\\x9b2J\\u202eevil\\u2028")
  })

  it("counts the columns that characters take", () => {
    const { lines } = shown(
      [text("word"), text("next")],
      [
        ["日本", "|"],
        ["e\u0301te\u0301", "|"],
        ["👷🏽‍♀️", "|"],
        ["مشروع", "|"]
      ]
    )
    assert.deepStrictEqual(["日本", "e\u0301te\u0301", "👷🏽‍♀️", "مشروع", "\u200b"].map(Text.width), [4, 3, 2, 5, 0])
    const positions = lines.slice(2).map((line) => Text.width(line.slice(0, line.indexOf("|"))))
    assert.deepStrictEqual(positions, [7, 7, 7, 7])
  })

  it("cuts the widest text to the terminal, and no number", () => {
    const { lines, notes } = shown(
      [number("amount"), text("short"), text("long")],
      [["123456789012345678901234.5678", "abc", "x".repeat(200)]],
      { width: 60 }
    )
    assert.isTrue(lines.every((line) => Text.width(line) <= 60))
    assert.match(lines[2] ?? "", /^123456789012345678901234\.5678 {2}abc {4}x+…$/)
    assert.deepStrictEqual(notes, [])
  })

  it("leaves out columns from the right if they don't fit even when cut, and names them", () => {
    const columns = Array.from({ length: 12 }, (_, index) => text(`column_${index}`))
    const { lines, notes } = shown(columns, [columns.map(() => "some longer text")], { width: 40 })
    assert.isTrue(lines.every((line) => Text.width(line) <= 40))
    assert.include(lines[0], "column_3")
    assert.match(notes.join(), /too narrow: column_4, .*column_11 \(--csv and --json/)
  })

  it("cuts nothing when it isn't on a terminal, and copes with wider rows that come late", () => {
    const long = "x".repeat(500)
    const rows = [...Array.from({ length: 1500 }, (): Row => ["a", 1]), [long, 2]]
    const { lines } = shown([text("t"), number("n")], rows)
    assert.strictEqual(lines.length, 1503)
    assert.strictEqual(lines.at(-1), `${long}  2`)
  })

  it("dims NULL where there is colour, and nothing else", () => {
    const { lines } = shown([text("a"), text("b")], [[null, "c"]], { color: true, width: 80 })
    assert.strictEqual(lines[2], "\u001b[2m∅\u001b[22m  c")
  })

  it("shows EXPLAIN's drawing as it is", () => {
    const writer = table({ width: 20, color: false })
    writer.columns({ columns: [text("explain_key"), text("explain_value")], isPlan: true })
    assert.strictEqual(writer.row(["physical_plan", "┌───┐\n│ \u001b │\n└───┘"]), "┌───┐\n│ \\x1b │\n└───┘\n")
  })
})
