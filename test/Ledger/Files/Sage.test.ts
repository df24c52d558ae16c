/** A CSV file for Sage 50: its columns with their lengths, exact amounts, and what is refused. */
import { assert, describe, it } from "@effect/vitest"
import { laidOut } from "../../../src/Ledger/Files/PostingDays.ts"
import { sage } from "../../../src/Ledger/Files/Sage.ts"
import { forSeeds, seeded } from "../../Seeded.ts"
import * as Journals from "./Journals.ts"

const names = { bank: "1200", receivable: "1100", retention: "1101", revenue: "4000", VAT: "2200" }
const chart = Journals.chart(names)
const made = { count: 60, currencies: ["GBP"], accounts: Object.keys(names), mostUnits: 10n ** 12n }

const fileOf = (all: ReadonlyArray<Journals.Row>, of = chart) =>
  Journals.fileOf(
    sage,
    all.map((row) => laidOut(row, of))
  )

/** Of Windows-1252, but for characters from 128 to 159. */
const linesOf = (bytes: Buffer): ReadonlyArray<ReadonlyArray<string>> =>
  bytes
    .toString("latin1")
    .split("\r\n")
    .slice(0, -1)
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? ""
      )
    )

const lengths = [2, 8, 8, 3, 10, 30, 60, 11, 3, 11, 11, 30]
const formula = /^[=+\-@\t\r]/

describe("a CSV file for Sage 50", () => {
  it("has debits and credits for each entry, that fit its columns and add up exactly", () => {
    forSeeds(12, (random) => {
      const all = Journals.inOrder(Journals.rows(random, made))
      const [heading, ...lines] = linesOf(fileOf(all).bytes)
      assert.deepStrictEqual(heading?.slice(0, 3), ["Type", "Account Reference", "Nominal A/C Ref"])
      const expected = Journals.eachLine(all)
      assert.lengthOf(lines, expected.length)
      const sums = new Map<string, bigint>()
      for (const [index, cells] of lines.entries()) {
        const { account: named, row, units: moved } = expected[index] ?? assert.fail()
        const { effective_at, epoch, sequence } = row
        const [type, , account = "", , date, , , amount = "", , , , place] = cells
        assert.strictEqual(type, moved > 0n ? "JD" : "JC")
        assert.strictEqual(account, Journals.codeIn(chart)(named))
        assert.strictEqual(date, effective_at.slice(0, 10).split("-").toReversed().join("/"))
        assert.strictEqual(place, `${epoch ?? 1}-${sequence}`)
        assert.match(amount, /^\d{1,8}\.\d\d$/)
        assert.lengthOf(cells, lengths.length)
        for (const [column, cell] of cells.entries()) {
          assert.isAtMost(cell.length, lengths[column] ?? 0, cell)
          assert.notMatch(cell, formula)
        }
        const units = Journals.unitsOf(amount) * (type === "JD" ? 1n : -1n)
        assert.strictEqual(units, moved)
        const name = Journals.key(account, "GBP")
        sums.set(name, (sums.get(name) ?? 0n) + units)
      }
      const expectedSums = Journals.sumsOf(all, Journals.codeIn(chart))
      assert.deepStrictEqual(new Map([...sums].toSorted()), new Map([...expectedSums].toSorted()))
    })
  })

  it("tells long references apart, and says which characters it lacks", () => {
    const [row] = Journals.rows(seeded(1), { ...made, count: 1 })
    const paidAs = (payment_reference: string): Journals.Row => ({ ...(row ?? assert.fail()), payment_reference })
    const { bytes, notes } = fileOf([paidAs(`${"x".repeat(40)}1`), paidAs(`${"x".repeat(40)}2`), paidAs("€ ü 日")])
    const references = linesOf(bytes).map((cells) => cells[5])
    assert.notStrictEqual(references[1], references[3])
    assert.match(references[1] ?? "", /^x{21}~[0-9a-f]{8}$/)
    assert.strictEqual(references[5], "\u0080 ü ?")
    assert.match(notes.join("\n"), /^\d+ characters aren't in Windows-1252/)
  })

  it("refuses what Sage 50 would take for something else", () => {
    const [row] = Journals.rows(seeded(1), { ...made, count: 1 })
    const given: Journals.Row = {
      ...(row ?? assert.fail()),
      sequence: 42,
      amount: "1.0000",
      debit_account: "bank",
      lines: null
    }
    const refusal = (change: Partial<Journals.Row>, of = chart): string => {
      try {
        fileOf([given, { ...given, ...change }], of)
        return ""
      } catch (cause) {
        return String(cause)
      }
    }
    assert.strictEqual(refusal({}), "")
    assert.match(refusal({ currency: "EUR" }), /Entry 42 is in EUR, the ones before it in GBP: Sage 50 imports/)
    assert.match(
      refusal({ amount: "100000000.0000" }),
      /Entry 42 doesn't fit Sage 50: its amount has more than 8 digits/
    )
    assert.match(refusal({ amount: "-0.0010" }), /its amount has more than 2 decimals/)
    const fine = '{"bank":"1.0000","receivable":"-0.9950","VAT":"-0.0050"}'
    assert.match(refusal({ lines: fine }), /its amount has more than 2 decimals/)
    assert.match(refusal({ debit_account: "receivables" }), /the account receivables is no nominal code/)
    const rule = { account: null, projects: [], taxCode: null, costCode: null, counterparty: null, tracking: {} }
    assert.match(
      refusal({}, { ...chart, lines: [{ ...rule, taxCode: "NONE" }] }),
      /the tax code NONE is none of T0 to T99/
    )
    assert.match(
      refusal({}, { ...chart, lines: [{ ...rule, costCode: "North" }] }),
      /the cost code North is no department/
    )
  })
})
