/** A workbook as a spreadsheet reads it: exact amounts, dates, texts to the last character, no formula, more than one sheet. */
import { assert, describe, it } from "@effect/vitest"
import { BigDecimal, Effect } from "effect"
import { laidOut } from "../../../src/Ledger/Files/PostingDays.ts"
import { xlsx } from "../../../src/Ledger/Files/Xlsx.ts"
import { seeded } from "../../Seeded.ts"
import * as Journals from "./Journals.ts"
import { type Cell, readWorkbook } from "./WorkbookReader.ts"

const chart = Journals.chart({ "0012": "0012-34", "1400": "14-00" })
const laid = (all: ReadonlyArray<Journals.Row>) => all.map((row) => laidOut(row, chart))

/** A spreadsheet makes a double of the digits, and keeps 15 of them. */
const unitsOf = ({ type, value }: Cell): bigint => {
  if (type === "number") {
    const kept = BigDecimal.fromStringUnsafe(Number(value).toPrecision(15))
    assert.isTrue(BigDecimal.equals(kept, BigDecimal.fromStringUnsafe(value)), value)
    assert.isAtMost(value.replace(".", "").replace(/^0+|0+$/g, "").length, 15)
  }
  return Journals.unitsOf(value)
}

const daysSince = (day: string): string => String(Math.round((Date.parse(day) - Date.UTC(1899, 11, 30)) / 86_400_000))

/** A cell holds no more. */
const stored = (text: string): string => (text.length > 32_767 ? `${text.slice(0, 32_766)}…` : text)

describe("a workbook", () => {
  it.effect("holds all entries in order, with the exact amounts and any texts", () =>
    Effect.gen(function* () {
      for (let seed = 1; seed <= 12; seed++) {
        const all = Journals.inOrder(Journals.rows(seeded(seed), { count: 50 }))
        const { bytes, notes } = Journals.fileOf(xlsx, laid(all))
        const sheets = yield* readWorkbook(bytes)
        assert.deepStrictEqual(
          sheets.map(({ name }) => name),
          ["Journal"]
        )
        const rows = sheets.flatMap((sheet) => sheet.rows)
        const expected = Journals.eachLine(all)
        assert.lengthOf(rows, expected.length)
        const sums = new Map<string, bigint>()
        let texts = 0
        for (const [index, cells] of rows.entries()) {
          const { account, row, units } = expected[index] ?? assert.fail()
          assert.deepStrictEqual(cells["date"], {
            type: "number",
            value: daysSince(row.effective_at.slice(0, 10)),
            format: "yyyy\\-mm\\-dd"
          })
          assert.deepStrictEqual(cells["entry_id"], { type: "text", value: row.entry_id, format: "@" })
          assert.strictEqual(cells["payment_reference"]?.value ?? "", stored(row.payment_reference))
          assert.strictEqual(cells["certificate_url"]?.value ?? "", stored(row.certificate_url ?? ""))
          assert.strictEqual(cells["ipc_id"]?.value, row.ipc_id)
          assert.strictEqual(cells["account"]?.value, Journals.codeIn(chart)(account))
          assert.strictEqual(cells[units > 0n ? "credit" : "debit"], undefined)
          const amount = cells[units > 0n ? "debit" : "credit"] ?? assert.fail()
          assert.strictEqual(unitsOf(amount) * (units > 0n ? 1n : -1n), units)
          const name = Journals.key(Journals.codeIn(chart)(account), row.currency)
          sums.set(name, (sums.get(name) ?? 0n) + units)
          if (amount.type === "text") texts++
          else assert.match(amount.format, /^#,##0(\.0+)?$/)
        }
        assert.deepStrictEqual(
          new Map([...sums].toSorted()),
          new Map([...Journals.sumsOf(all, Journals.codeIn(chart))].toSorted())
        )
        const isTold = notes.some((note) => note.startsWith(`${texts} amounts have more digits`))
        assert.strictEqual(isTold, texts > 0)
      }
    })
  )

  it.effect("goes on in further sheets, which tear no entry apart, and keeps the heading in view", () =>
    Effect.gen(function* () {
      const all = Journals.inOrder(Journals.rows(seeded(3), { count: 25 }))
      const most = 11
      /** As many entries as fit, on each sheet. */
      const expected: Array<Array<number>> = [[]]
      for (const row of all) {
        const own = Journals.linesOf(row).map(() => row.sequence)
        if ((expected.at(-1)?.length ?? 0) + own.length > most) expected.push([])
        expected.at(-1)?.push(...own)
      }
      const sheets = yield* readWorkbook(Journals.fileOf(() => xlsx(most), laid(all)).bytes)
      assert.deepStrictEqual(
        sheets.map(({ rows }) => rows.map((cells) => Number(cells["sequence"]?.value))),
        expected
      )
      assert.deepStrictEqual(
        sheets.map(({ name }) => name),
        expected.map((_, index) => (index === 0 ? "Journal" : `Journal ${index + 1}`))
      )
      assert.isTrue(expected.some(({ length }) => length < most))
      for (const { events } of sheets) {
        const pane = events.find((event) => event._tag === "StartElement" && event.name === "pane")
        assert.deepInclude(pane, {
          attributes: { ySplit: "1", topLeftCell: "A2", activePane: "bottomLeft", state: "frozen" }
        })
      }
    })
  )

  it.effect("of books without entries has the heading only", () =>
    Effect.gen(function* () {
      const [sheet] = yield* readWorkbook(Journals.fileOf(xlsx, []).bytes)
      assert.deepStrictEqual(sheet?.rows, [])
    })
  )

  it.effect("says in its formats how many decimals an amount has, and writes what has too many digits as text", () =>
    Effect.gen(function* () {
      const [row] = Journals.rows(seeded(1), { count: 1 })
      const rows = [
        ["1.0000", "JPY"],
        ["1.5000", "EUR"],
        ["1.2340", "KWD"],
        ["1.0000", null],
        ["9999999999999.9900", "EUR"],
        ["10000000000000.0100", "EUR"],
        ["1000000000000000.0000", "EUR"]
      ].map(
        ([amount, currency], index) =>
          ({ ...(row ?? assert.fail()), sequence: index + 1, amount, currency, lines: null }) as Journals.Row
      )
      const { bytes, notes } = Journals.fileOf(xlsx, laid(rows))
      const [sheet] = yield* readWorkbook(bytes)
      assert.deepStrictEqual(
        sheet?.rows
          .filter((_, index) => index % 2 === 0)
          .map(({ debit }) => [debit?.type, debit?.value, debit?.format]),
        [
          ["number", "1", "#,##0"],
          ["number", "1.50", "#,##0.00"],
          ["number", "1.234", "#,##0.000"],
          ["number", "1.0000", "#,##0.0000"],
          ["number", "9999999999999.99", "#,##0.00"],
          ["text", "10000000000000.01", "@"],
          ["number", "1000000000000000.00", "#,##0.00"]
        ]
      )
      assert.match(notes.join("\n"), /^2 amounts have more digits/)
    })
  )
})
