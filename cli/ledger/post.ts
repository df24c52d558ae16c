/**
 * `siteledger ledger post IPC`: adds an entry that no event reports.
 */
import { Effect, Record } from "effect"
import { Command, Flag } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { argument, by, json, optionalText, reason } from "../Options.ts"
import * as Said from "../Said.ts"

const flags = {
  ipc: argument("ipc", "The IPC's id"),
  amount: Flag.String("amount").pipe(Flag.withDescription("The amount, like 1234.50 or -80 (required)")),
  currency: optionalText("currency", "The currency, like EUR, if the payment has none yet"),
  reference: optionalText("reference", "The payment's reference, if it isn't the IPC's own payment"),
  debit: optionalText("debit", "The account that it debits, if it isn't the configured one"),
  credit: optionalText("credit", "The account that it credits, if it isn't the configured one"),
  evidence: Flag.String("evidence").pipe(Flag.withDescription("What proves it (required); recorded permanently")),
  by,
  reason,
  json
}

export const post = Command.make("post", flags, ({ credit, currency, debit, json: asJson, reference, ...posting }) =>
  Effect.flatMap(
    ask("ledger-post", { ...posting, ...Record.getSomes({ credit, currency, debit, reference }) }, Alone.books),
    Said.answer(asJson, Said.posted)
  )
).pipe(
  Command.withDescription("Add an entry by hand; above the limit, a second person accepts it"),
  Command.withExamples([
    {
      command: 'siteledger ledger post IPC-7 --amount 1234.50 --evidence "bank statement 9" --reason "no event came"',
      description: "Add an entry for which no event came"
    },
    {
      command:
        'siteledger ledger post IPC-7 --amount -80 --debit 1200 --credit 1400 --evidence "letter of 3 May" --reason "retention released"',
      description: "On other accounts than the configured ones"
    }
  ])
)
