/**
 * `siteledger ledger accept HOLD`: confirms what the hold asks about.
 */
import { Effect, Record } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { by, hold, json, optionalText, reason } from "../Options.ts"
import * as Said from "../Said.ts"
import { dryRun, foreseen } from "./Foreseen.ts"

const amount = optionalText("amount", "The amount, if the hold asks for one, like 1234.50")
const currency = optionalText("currency", "The currency, if the hold asks for one, like EUR")

export const accept = Command.make(
  "accept",
  { hold, amount, currency, by, reason, dryRun, json },
  ({ amount: units, currency: unit, dryRun: isDry, json: asJson, ...given }) => {
    const decision = { ...given, ...Record.getSomes({ amount: units, currency: unit }) }
    if (isDry) return foreseen({ ...decision, verdict: "accept" }, asJson)
    return Effect.flatMap(ask("ledger-accept", decision, Alone.books), Said.answer(asJson, Said.posted))
  }
).pipe(
  Command.withDescription("Accept what a hold asks about, with the amount or currency that it needs"),
  Command.withExamples([
    {
      command: 'siteledger ledger accept 3f2a --amount 1234.50 --reason "certificate 12, page 3"',
      description: "Post it with the amount that the hold asks for"
    },
    {
      command: 'siteledger ledger accept 3f2a --amount 1234.50 --reason "certificate 12" --dry-run',
      description: "Only show what that would post"
    },
    { command: 'siteledger ledger accept 3f2a --reason "checked" --by "Ada Lovelace"', description: "Say who decides" }
  ])
)
