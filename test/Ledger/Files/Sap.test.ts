/** A CSV file for SAP: cells that a plain split finds, fields that fit, exact amounts, and what is refused. */
import { assert, describe, it } from "@effect/vitest"
import { laidOut } from "../../../src/Ledger/Files/PostingDays.ts"
import { sap } from "../../../src/Ledger/Files/Sap.ts"
import { forSeeds, seeded } from "../../Seeded.ts"
import * as Journals from "./Journals.ts"

const names = { bank: "0000113100", receivable: "140000", retention: "140900", revenue: "800000", VAT: "175000" }
const chart = Journals.chart(names)
const made = { count: 60, currencies: ["EUR", "USD", "JPY", "KWD"], accounts: Object.keys(names) }

const fileOf = (all: ReadonlyArray<Journals.Row>, of = chart) =>
  Journals.fileOf(
    sap,
    all.map((row) => laidOut(row, of))
  )

const linesOf = (bytes: Buffer): ReadonlyArray<Readonly<Record<string, string>>> => {
  const [heading = [], ...lines] = bytes
    .toString()
    .split("\r\n")
    .slice(0, -1)
    .map((line) => line.split(";"))
  return lines.map((cells) => {
    assert.lengthOf(cells, heading.length)
    return Object.fromEntries(heading.map((name, index) => [name, cells[index] ?? ""]))
  })
}

const lengths: Readonly<Record<string, number>> = {
  CompanyCode: 4,
  DocumentType: 2,
  DocumentDate: 8,
  PostingDate: 8,
  Currency: 5,
  Reference: 16,
  HeaderText: 25,
  Item: 3,
  GLAccount: 10,
  DebitCredit: 1,
  Amount: 23,
  TaxCode: 2,
  CostCenter: 10,
  Assignment: 18,
  ItemText: 50
}

describe("a CSV file for SAP", () => {
  it("has the lines of each document, that fit its fields and add up exactly", () => {
    forSeeds(12, (random) => {
      const all = Journals.inOrder(Journals.rows(random, made))
      const lines = linesOf(fileOf(all).bytes)
      const expected = Journals.eachLine(all)
      assert.lengthOf(lines, expected.length)
      const sums = new Map<string, bigint>()
      for (const [index, cells] of lines.entries()) {
        const { account: named, index: place, row, units: moved } = expected[index] ?? assert.fail()
        const { currency, effective_at, epoch, sequence } = row
        assert.sameMembers(Object.keys(cells), Object.keys(lengths))
        for (const [name, cell] of Object.entries(cells)) {
          assert.isAtMost(cell.length, lengths[name] ?? 0, cell)
          assert.notMatch(cell, /^[=+\-@\t\r]|["\n]/)
        }
        const { Amount: amount = "", DebitCredit: side, GLAccount: account = "" } = cells
        assert.deepInclude(cells, {
          CompanyCode: "1000",
          PostingDate: effective_at.slice(0, 10).replaceAll("-", ""),
          Currency: currency ?? "",
          Reference: `${epoch ?? 1}-${sequence}`,
          Item: String(1 + place),
          GLAccount: Journals.codeIn(chart)(named),
          DebitCredit: moved > 0n ? "S" : "H"
        })
        const name = Journals.key(account, currency)
        const units = Journals.unitsOf(amount) * (side === "S" ? 1n : -1n)
        assert.strictEqual(units, moved)
        sums.set(name, (sums.get(name) ?? 0n) + units)
      }
      const expectedSums = Journals.sumsOf(all, Journals.codeIn(chart))
      assert.deepStrictEqual(new Map([...sums].toSorted()), new Map([...expectedSums].toSorted()))
    })
  })

  it("tells references apart that are too long or lose a character", () => {
    const [row] = Journals.rows(seeded(1), { ...made, count: 1 })
    const references = ["a;b", "a,b", `${"x".repeat(30)}1`, `${"x".repeat(30)}2`, "PAY-1"]
    const all = references.map((payment_reference) => ({ ...(row ?? assert.fail()), payment_reference }))
    const assignments = linesOf(fileOf(all).bytes).map(({ Assignment }) => Assignment)
    assert.strictEqual(new Set(assignments).size, references.length)
    assert.strictEqual(assignments.at(-1), "PAY-1")
  })

  it("refuses what SAP couldn't post", () => {
    const [row] = Journals.rows(seeded(1), { ...made, count: 1 })
    const given: Journals.Row = {
      ...(row ?? assert.fail()),
      sequence: 42,
      amount: "1.0000",
      currency: "EUR",
      lines: null
    }
    const refusal = (change: Partial<Journals.Row>, of = chart): string => {
      try {
        fileOf([{ ...given, ...change }], of)
        return ""
      } catch (cause) {
        return String(cause)
      }
    }
    assert.strictEqual(refusal({}), "")
    assert.match(refusal({ currency: null }), /Entry 42 doesn't fit SAP: it has no currency/)
    assert.match(refusal({ amount: "1.0050" }), /its amount has more decimals than its currency/)
    const fine = '{"bank":"1.0000","receivable":"-0.9950","VAT":"-0.0050"}'
    assert.match(refusal({ lines: fine }), /its amount has more decimals than its currency/)
    assert.match(refusal({ debit_account: "receivables" }), /the account receivables is no G\/L account/)
    assert.match(refusal({}, { ...chart, company: null }), /its company is no company code/)
    assert.match(refusal({}, { ...chart, company: "North Ltd" }), /its company is no company code/)
    assert.match(refusal({ sequence: 10 ** 15 }), /its number is too long/)
  })
})
