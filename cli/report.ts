/**
 * `siteledger report NAME`: the books for a bookkeeper, as of a day: as a table, as `--csv` for a spreadsheet, or as
 * `--json`.
 */
import { Console, Effect, Record, Stdio, Stream } from "effect"
import { Argument, Command } from "effect/cli"
import type { Answer } from "../src/Operate/AdminApi.ts"
import { guarded } from "../src/Ledger/Journal.ts"
import { names } from "../src/Ledger/Reports/Report.ts"
import { csv } from "../src/Query/Writer.ts"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { json, optionalText, toggle } from "./Options.ts"
import * as Print from "./Print.ts"

const parameters = {
  name: Argument.Literals("name", names).pipe(
    Argument.withDescription(
      "trial-balance (by account), balances (by account, project and month), statement (by project), aged (what is open, and since when), unposted (what waits), repaired (after a gap)"
    )
  ),
  asOf: optionalText("as-of", "The last day that counts, like 2026-09-30 (default: today)"),
  project: optionalText("project", "Only this project; for balances"),
  account: optionalText("account", "Only this account, by its name or its code; for balances"),
  month: optionalText("month", "Only this month, like 2026-09; for balances"),
  csv: toggle("csv", "CSV with a header"),
  json
}

export const report = Command.make("report", parameters, ({ csv: asCsv, json: asJson, name, ...only }) =>
  Effect.flatMap(ask("report", { name, ...Record.getSomes(only) }, Alone.books), (found) =>
    asJson ? Print.document(found.rows) : asCsv ? printed(csvOf(found)) : Console.log(tableOf(found))
  )
).pipe(
  Command.withDescription(
    "Show the trial balance, balances by month, statements, what is open, what waits or what was repaired, as of a day"
  ),
  Command.withExamples([
    {
      command: "siteledger report trial-balance --as-of 2026-09-30",
      description: "The balance of each account on a day"
    },
    {
      command: "siteledger report balances --project 12 --month 2026-09",
      description: "What moved on each account of a project in a month, and its balance at the end"
    },
    { command: "siteledger report aged --csv > aged.csv", description: "What is open, for a spreadsheet" }
  ]),
  Command.provide(Log.layerSettings)
)

const tableOf = ({ columns, rows }: Answer<"report">): string =>
  rows.length === 0 ? "There is nothing to report." : Print.aligned(columns, rows)

const csvOf = ({ columns, rows }: Answer<"report">): string => {
  const writer = csv()
  const heading = writer.columns({ columns: columns.map((name) => ({ name, isNumber: false })), isPlan: false })
  return heading + rows.map((row) => writer.row(columns.map((name) => textOf(row[name])))).join("")
}

const isNumber = /^-?\d+(\.\d+)?$/

const textOf = (value: string | number | null | undefined): string | null => {
  if (value == null) return null
  const text = String(value)
  return isNumber.test(text) ? text : guarded(text)
}

const printed = (text: string) =>
  Effect.flatMap(Stdio.Stdio, (stdio) => Stream.run(Stream.make(text), stdio.stdout({ endOnDone: false })))
