/**
 * A CSV file for uploading journal entries into SAP: the lines of each entry, each with the columns of the document's
 * header. Pure.
 *
 * No cell needs quotes, because many uploads simply split lines at semicolons. `Reference` is the entry's place in the
 * journal. It is unique to the entry and the same on all its lines, so it shows which lines form one document. Values
 * that don't fit a field are refused, except for explanatory texts, which are cut.
 */
import { Result } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import { explaining, oneLine, telling } from "./Fields.ts"
import { decimalsFor, decimalsOf, figure } from "./Figures.ts"
import { type Format, nothing, utf8 } from "./Format.ts"
import type { JournalEntry, Line } from "./JournalEntry.ts"

const headings = [
  "CompanyCode",
  "DocumentType",
  "DocumentDate",
  "PostingDate",
  "Currency",
  "Reference",
  "HeaderText",
  "Item",
  "GLAccount",
  "DebitCredit",
  "Amount",
  "TaxCode",
  "CostCenter",
  "Assignment",
  "ItemText"
]

/** XBLNR, BKTXT, ZUONR and SGTXT. */
const lengths = { reference: 16, headerText: 25, assignment: 18, itemText: 50 }

/** A general-ledger document. */
const documentType = "SA"

/** Soll (debit) and Haben (credit). */
const sideOf = (units: bigint): string => (units < 0n ? "H" : "S")

export const sap: Format = () => ({
  begin: () => utf8(record(headings)),
  add: (entries) => Result.map(Result.all(entries.map(rows)), (texts) => utf8(texts.join(""))),
  end: () => nothing,
  notes: () => []
})

const record = (cells: ReadonlyArray<string>): string => `${cells.map(plain).join(";")}\r\n`

/** Without characters that end a cell or begin a quoted one. */
const plain = (text: string): string => text.replaceAll(";", ",").replaceAll('"', "'")

const rows = (entry: JournalEntry): Result.Result<string, string> => {
  const wrong = wrongIn(entry) ?? entry.lines.map(wrongInLine).find((found) => found !== undefined)
  return wrong === undefined
    ? Result.succeed(entry.lines.map((line, index) => record(cellsOf(entry, line, index + 1))).join(""))
    : Result.fail(`Entry ${entry.sequence} doesn't fit SAP: ${wrong}.`)
}

const referenceOf = ({ epoch, sequence }: JournalEntry): string => `${epoch}-${sequence}`

const cellsOf = (entry: JournalEntry, line: Line, item: number): ReadonlyArray<string> => {
  const { company, currency, date, narration, reference } = entry
  const units = Amount.toUnits(line.amount)
  const day = date.replaceAll("-", "")
  return [
    company ?? "",
    documentType,
    day,
    day,
    currency ?? "",
    referenceOf(entry),
    explaining(narration, lengths.headerText),
    String(item),
    line.account,
    sideOf(units),
    figure(units < 0n ? -units : units, currency),
    line.taxCode ?? "",
    line.costCode ?? "",
    telling(reference, lengths.assignment, plain(oneLine(reference))),
    explaining(narration, lengths.itemText)
  ]
}

/** In words, like the next one. */
const wrongIn = (entry: JournalEntry): string | undefined => {
  const { company, currency, lines } = entry
  if (!/^[A-Za-z0-9]{1,4}$/.test(company ?? "")) {
    return "its company is no company code (up to 4 letters and digits). Name it as company in SITELEDGER_LEDGER_FILE"
  }
  if (currency === null) return "it has no currency"
  if (lines.some(({ amount }) => decimalsFor(Amount.toUnits(amount), currency) > decimalsOf(currency))) {
    return "its amount has more decimals than its currency"
  }
  return referenceOf(entry).length > lengths.reference ? "its number is too long for a reference" : undefined
}

const wrongInLine = ({ account, costCode, taxCode }: Line): string | undefined => {
  if (!/^[A-Za-z0-9]{1,10}$/.test(account)) {
    return `the account ${account} is no G/L account (up to 10 letters and digits). Name it under accounts in SITELEDGER_LEDGER_FILE`
  }
  if (costCode !== null && !/^[A-Za-z0-9]{1,10}$/.test(costCode)) {
    return `the cost code ${costCode} is no cost center (up to 10 letters and digits)`
  }
  return taxCode === null || /^[A-Za-z0-9]{1,2}$/.test(taxCode)
    ? undefined
    : `the tax code ${taxCode} has more than 2 letters and digits`
}
