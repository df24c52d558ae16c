/**
 * Entries with more than two lines, random and hostile, in each form in which they leave: every line is there, exactly, and
 * they add up to zero.
 */
import { assert, describe, it } from "@effect/vitest"
import { plain } from "../../config/Chart.ts"
import * as QuickBooksEntry from "../../connectors/quickbooks/QuickBooksEntry.ts"
import * as TrytonMove from "../../connectors/tryton/TrytonMove.ts"
import * as XeroJournal from "../../connectors/xero/XeroJournal.ts"
import * as Json from "../../src/Domain/Json.ts"
import type { OutboxMessage } from "../../src/Ledger/Outbox/Due.ts"
import * as SinkEntry from "../../src/Ledger/Outbox/SinkEntry.ts"
import { type Voucher, type VoucherLine, voucherOf } from "../../src/Ledger/Voucher.ts"
import * as Journals from "../Ledger/Files/Journals.ts"
import { forSeeds } from "../Seeded.ts"
import { accrued, entryNumber, linesText, shifted, takenBack, withheld } from "./Entries.ts"
import { entryIn } from "./quickbooks/Rules.ts"

interface Moved {
  readonly account: string
  readonly units: bigint
}

const twentyFourDigits = "123456789012345678901234.5600"

const fixed: ReadonlyArray<OutboxMessage> = [
  {},
  { amount: "-7.5000" },
  accrued,
  takenBack,
  withheld,
  shifted,
  {
    lines: linesText(
      ["1400", twentyFourDigits],
      ["__proto__", "1.0000"],
      ['a "b", \\ c', "-1.0000"],
      ["9", `-${twentyFourDigits}`]
    )
  }
].map((given, index) => entryNumber(index + 1, given))

/** Whole cents, which all systems hold. */
const random = (count: number): ReadonlyArray<OutboxMessage> => {
  const all: Array<OutboxMessage> = []
  forSeeds(count, (seed) => {
    const rows = Journals.rows(seed, { count: 40, currencies: ["EUR", "USD", "JPY"] })
    all.push(...rows.map((row, index) => entryNumber(index + 1, row)))
  })
  return all
}

const identified = ({ lines }: Voucher) =>
  lines.map((line) => ({ line, ids: { account: line.account, counterparty: null, tracking: [] } }))

/** A number of its own for each account, as Tryton has them. */
const numbered = ({ lines }: Voucher) =>
  lines.map((line: VoucherLine, index) => ({ line, ids: { account: index, party: null } }))

interface XeroBody {
  readonly ManualJournals: ReadonlyArray<{
    readonly JournalLines: ReadonlyArray<{ readonly AccountCode: string; readonly LineAmount: unknown }>
  }>
}

/** What each of them says of the entry. */
const forms: Readonly<Record<string, (message: OutboxMessage) => ReadonlyArray<Moved>>> = {
  "the sink's document": ({ entry, status }) => {
    const { lines } = JSON.parse(String(Buffer.from(SinkEntry.encode(SinkEntry.of(entry, status))))) as Pick<
      SinkEntry.SinkEntry,
      "lines"
    >
    return lines.map(({ account, credit, debit }) => ({
      account,
      units: Journals.unitsOf(debit) - Journals.unitsOf(credit)
    }))
  },
  "a voucher": (message) => voucherOf(message, plain).lines,
  "a journal for Xero": (message) => {
    const body = Json.parse(XeroJournal.bodyOf([voucherOf(message, plain)])) as XeroBody
    return (body.ManualJournals[0]?.JournalLines ?? []).map(({ AccountCode, LineAmount }) => ({
      account: AccountCode,
      units: Journals.unitsOf(Json.numberText(LineAmount) ?? "")
    }))
  },
  "an entry for QuickBooks": (message) => {
    const voucher = voucherOf(message, plain)
    const entry = entryIn(QuickBooksEntry.bodyOf(voucher, identified(voucher), undefined))
    return (entry?.Line ?? []).map(({ Amount, JournalEntryLineDetail: { AccountRef, PostingType } }) => ({
      account: AccountRef.value,
      units: Journals.unitsOf(Amount) * (PostingType === "Debit" ? 1n : -1n)
    }))
  },
  "a move for Tryton": (message) => {
    const voucher = voucherOf(message, plain)
    const [[, lines]] = TrytonMove.linesOf(numbered(voucher), 4)
    return lines.map(({ account, credit, debit }) => ({
      account: voucher.lines[account]?.account ?? "",
      units: Journals.unitsOf(debit.decimal) - Journals.unitsOf(credit.decimal)
    }))
  }
}

const sorted = (lines: ReadonlyArray<Moved>): ReadonlyArray<string> =>
  lines.map(({ account, units }) => `${account} ${units}`).toSorted()

describe.each(Object.entries(forms))("in %s", (_, form) => {
  it("an entry has all its lines, exactly, and they add up to zero", () => {
    const all = [...fixed, ...random(12)]
    for (const message of all) {
      const lines = form(message)
      const what = JSON.stringify(message.entry)
      assert.isAtLeast(lines.length, 2, what)
      assert.strictEqual(
        lines.reduce((sum, { units }) => sum + units, 0n),
        0n,
        what
      )
      assert.isTrue(
        lines.every(({ units }) => units !== 0n),
        what
      )
      assert.deepStrictEqual(sorted(lines), sorted(Journals.linesOf(message.entry)), what)
    }
    assert.isAbove(all.filter(({ entry }) => entry.lines !== null).length, 100)
  })
})
