/**
 * A CSV file for the import of audit trail transactions into Sage 50 Accounts (UK): journal debits and journal credits
 * for each entry. Pure.
 *
 * The columns, their order and their lengths are those of Sage's page "Transaction data fields you can import", with a
 * heading. The text is Windows-1252, because the program runs on Windows. It accepts journals in the base currency
 * only, so a file has entries of one currency. Values that don't fit are refused, except for explanatory texts, which
 * are cut.
 */
import { Result } from "effect"
import { csv } from "../../Query/Writer.ts"
import * as Amount from "../../Domain/Amount.ts"
import { explaining, telling } from "./Fields.ts"
import { figure } from "./Figures.ts"
import { type Format, nothing } from "./Format.ts"
import type { JournalEntry, Line } from "./JournalEntry.ts"
import { windows1252 } from "./Windows1252.ts"

const headings = [
  "Type",
  "Account Reference",
  "Nominal A/C Ref",
  "Department Code",
  "Date",
  "Reference",
  "Details",
  "Net Amount",
  "Tax Code",
  "Tax Amount",
  "Exchange Rate",
  "Extra Reference"
]

const lengths = { reference: 30, details: 60 }

/** Outside the scope of VAT. */
const noTax = "T9"

/** The field holds eight digits before the point and two after it. */
const mostUnits = 10n ** 8n * 10n ** BigInt(Amount.Money.scale) - 1n
const decimals = 2
const penny = 10n ** BigInt(Amount.Money.scale - decimals)

const writer = csv()

export const sage: Format = () => {
  let base: string | null | undefined
  let replaced = 0

  const encoded = (text: string): Uint8Array => {
    const { bytes, unknown } = windows1252(text)
    replaced += unknown
    return bytes
  }

  const rows = (entry: JournalEntry): Result.Result<string, string> => {
    const { currency, lines, sequence } = entry
    base = base === undefined ? currency : base
    if (currency !== base) {
      return Result.fail(
        `Entry ${sequence} is in ${currency ?? "no currency"}, the ones before it in ${base ?? "none"}: Sage 50 imports journals in its base currency only.`
      )
    }
    const wrong = lines.map(wrongIn).find((found) => found !== undefined)
    return wrong === undefined
      ? Result.succeed(lines.map((line) => writer.row(cellsOf(entry, line))).join(""))
      : Result.fail(`Entry ${sequence} doesn't fit Sage 50: ${wrong}.`)
  }

  return {
    begin: () => encoded(writer.row(headings)),
    add: (entries) => Result.map(Result.all(entries.map(rows)), (texts) => encoded(texts.join(""))),
    end: () => nothing,
    notes: () =>
      replaced === 0 ? [] : [`${replaced} characters aren't in Windows-1252, which Sage 50 reads, and are a ?.`]
  }
}

const cellsOf = ({ date, epoch, narration, reference, sequence }: JournalEntry, line: Line) => {
  const units = Amount.toUnits(line.amount)
  return [
    units < 0n ? "JC" : "JD",
    // The customer or supplier, which a journal doesn't have.
    null,
    line.account,
    line.costCode ?? "0",
    date.split("-").toReversed().join("/"),
    telling(reference, lengths.reference),
    explaining(narration, lengths.details),
    figure(units < 0n ? -units : units, null).slice(0, decimals - Amount.Money.scale),
    line.taxCode ?? noTax,
    "0.00",
    "1",
    `${epoch}-${sequence}`
  ]
}

/** In words. */
const wrongIn = ({ account, amount, costCode, taxCode }: Line): string | undefined => {
  const units = Amount.toUnits(amount)
  if (!/^[A-Za-z0-9]{1,8}$/.test(account)) {
    return `the account ${account} is no nominal code (up to 8 letters and digits). Name it under accounts in SITELEDGER_LEDGER_FILE`
  }
  if (units > mostUnits || -units > mostUnits) return "its amount has more than 8 digits before the point"
  if (units % penny !== 0n) return "its amount has more than 2 decimals"
  if (costCode !== null && !/^\d{1,3}$/.test(costCode)) {
    return `the cost code ${costCode} is no department (a number up to 999)`
  }
  return taxCode === null || /^T\d{1,2}$/.test(taxCode) ? undefined : `the tax code ${taxCode} is none of T0 to T99`
}
