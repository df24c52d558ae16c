/**
 * How a voucher becomes a journal entry: exact decimals, texts that fit, and what QuickBooks can't hold.
 */
import { assert, describe, it } from "@effect/vitest"
import {
  bodyOf,
  docNumberOf,
  isSame,
  readStored,
  requestIdOf,
  whyHeld
} from "../../../connectors/quickbooks/QuickBooksEntry.ts"
import * as Json from "../../../src/Domain/Json.ts"
import { type Voucher, voucherOf } from "../../../src/Ledger/Voucher.ts"
import { entryIn } from "./Rules.ts"
import { chart, entryId, message, number } from "./World.ts"

const books = { company: "Albion", currency: "EUR" }
const accounts = ["35", "91"] as const

const voucher = (given: Parameters<typeof message>[0] = {}): Voucher => voucherOf(message(given), chart)
const body = (given: Parameters<typeof message>[0] = {}) => {
  const made = voucher(given)
  const lines = made.lines.map((line, index) => ({
    line,
    ids: { account: accounts[index] ?? "", counterparty: null, tracking: [] }
  }))
  return bodyOf(made, lines, undefined)
}

describe("an amount", () => {
  it.each([
    ["0.0100", "0.01"],
    ["999999999999.9900", "999999999999.99"],
    ["1234.5000", "1234.50"],
    ["123456789012345678901234.5600", "123456789012345678901234.56"],
    ["-1234.5000", "1234.50"]
  ])("of %s is written as %s, digit by digit", (amount, written) => {
    const text = body({ amount })
    assert.deepStrictEqual(text.match(/"Amount":[\d.]+/g), [`"Amount":${written}`, `"Amount":${written}`])
    assert.deepStrictEqual(
      entryIn(text)?.Line.map((line) => line.Amount),
      [written, written]
    )
  })

  it.each([
    ["1250000.0", true],
    ["1250000", true],
    ["1250000.00", true],
    ["1.25E6", true],
    ["1250000.01", false],
    ["1250000.000000000000000001", false]
  ])("that QuickBooks prints as %s is the same: %s", (printed, same) => {
    const text = `{"Id":"1",${body().slice(1)}`.replaceAll('"Amount":1250000.00', `"Amount":${printed}`)
    const stored = readStored(Json.parse(text))
    assert.strictEqual(stored._tag === "Some" && isSame(stored.value, voucher(), accounts), same)
  })
})

describe("a stored journal entry", () => {
  const changed = (from: string, to: string): boolean => {
    const stored = readStored(Json.parse(`{"Id":"1",${body().slice(1)}`.replace(from, to)))
    return stored._tag === "Some" && isSame(stored.value, voucher(), accounts)
  }

  it.each([
    ["with another note is the same", "PAY-2026-0042 (", "corrected (", true],
    ["on another day is the same", "2026-11-19", "2026-11-30", true],
    ["on another account is another", '"35"', '"36"', false],
    ["with a side changed is another", '"Debit"', '"Credit"', false]
  ] as const)("%s", (_, from, to, same) => assert.strictEqual(changed(from, to), same))
})

describe("a text", () => {
  it("is cut to what QuickBooks holds, and the note keeps the id", () => {
    const entry = entryIn(body({ payment_reference: "é".repeat(5000) }))
    assert.isDefined(entry)
    assert.isAtMost(entry.PrivateNote.length, 4000)
    assert.isTrue(entry.PrivateNote.endsWith(`… (siteledger ${entryId})`))
    assert.strictEqual(entry.Line[0]?.Description?.length, 4000)
  })

  it("is the number by which the entry is found, of at most 21 characters", () => {
    assert.strictEqual(docNumberOf(entryId), number)
    assert.isAtMost(number.length, 21)
  })

  it("is another request id after a refusal, of at most 50 characters", () => {
    assert.deepStrictEqual([requestIdOf(entryId, 0), requestIdOf(entryId, 3)], [entryId, `${entryId}-3`])
    assert.isAtMost(requestIdOf(entryId, 999).length, 50)
  })
})

describe("an entry is held", () => {
  const why = (given: Parameters<typeof message>[0], of: Partial<typeof chart> = {}) =>
    whyHeld(voucherOf(message(given), { ...chart, ...of }), books) ?? ""
  const line = { account: null, projects: [], taxCode: null, costCode: null, counterparty: null, tracking: {} }

  it("unless QuickBooks can take it", () => assert.strictEqual(why({}), ""))

  it.each([
    ["in another currency", why({ currency: "GBP" }), /GBP.*EUR/],
    ["without a currency", why({ currency: null }), /no currency.*EUR/],
    ["of another company", why({}, { companies: { 7: "Caledon" } }), /Caledon.*Albion/],
    ["of no company", why({}, { company: null }), /whose books.*Albion/],
    ["with a fraction of a cent", why({ amount: "-0.0150" }), /0\.0150 has a fraction of a cent/],
    ["with a tax code", why({}, { lines: [{ ...line, taxCode: "20% S" }] }), /tax code 20% S/],
    ["with a strange category", why({}, { lines: [{ ...line, tracking: { Region: "N" } }] }), /category Region/]
  ])("%s", (_, sentence, expected) => assert.match(sentence, expected))

  it("if it has a company where the settings name none", () => {
    assert.match(whyHeld(voucher(), { ...books, company: null }) ?? "", /Albion.*SITELEDGER_QUICKBOOKS_COMPANY/)
  })
})
