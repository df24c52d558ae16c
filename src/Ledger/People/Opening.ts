/**
 * Opening certificates from a CSV file, checked row by row. One message names all bad lines; a file with one bad line
 * is refused.
 */
import { Effect } from "effect"
import * as Amount from "../../Domain/Amount.ts"
import * as Limits from "../../Domain/Limits.ts"
import type { Opening } from "../People.ts"
import * as Text from "../../Query/Text.ts"
import { LedgerError } from "./Decide.ts"
import * as TextRows from "./TextRows.ts"

const columns = ["ipc", "amount", "certificate"]
const mostComplaints = 20
/** The most characters to quote from the file. */
const mostColumns = 40

export const readOpenings = Effect.fn("Ledger.readOpenings")(function* (path: string) {
  const lines = yield* TextRows.read(path, columns)
  const missing = columns.filter((name) => lines[0] !== undefined && !(name in lines[0]))
  if (lines.length === 0 || missing.length > 0) {
    return yield* new LedgerError({ message: `${path} needs a header ${columns.join(",")} and at least one line.` })
  }
  const seen = new Map<string, number>()
  const complaints: Array<string> = []
  const openings = lines.map((line, index): Opening => {
    const number = index + 2
    const ipcId = line["ipc"]?.trim() ?? ""
    const certificate = line["certificate"]?.trim() ?? ""
    const amount = Amount.read(line["amount"] ?? "", Amount.Money)
    if (ipcId === "") complaints.push(`line ${number}: no ipc`)
    if (Limits.isTooLong(ipcId)) complaints.push(`line ${number}: the ipc is longer than ${Limits.longestId} bytes`)
    if (certificate === "") complaints.push(`line ${number}: no certificate`)
    if (![ipcId, certificate].every(Limits.isText)) complaints.push(`line ${number}: it holds a NUL`)
    if (amount === undefined || Amount.toUnits(amount) <= 0n)
      complaints.push(`line ${number}: the amount must be a number above zero`)
    const before = seen.get(ipcId)
    if (before !== undefined) complaints.push(`line ${number}: ${named(ipcId)} is in line ${before} already`)
    seen.set(ipcId, number)
    return { ipcId, amount: amount ?? "", certificate }
  })
  if (complaints.length === 0) return openings
  const shown = complaints.slice(0, mostComplaints).join("; ")
  return yield* new LedgerError({
    message: `${path} is not usable: ${shown}${complaints.length > mostComplaints ? "; …" : ""}.`
  })
})

/** Safe to print on a terminal. */
const named = (ipcId: string): string => Text.cut(Text.visible(ipcId), mostColumns)
