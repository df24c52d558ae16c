/**
 * `siteledger ledger accept HOLD`: what the hold asks is so.
 */
import { Effect, Record } from "effect"
import { Command, Flag } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { by, hold, reason } from "../Options.ts"
import * as Print from "../Print.ts"

const amount = Flag.String("amount").pipe(Flag.withDescription("As the hold asks for it, like 1234.50"), Flag.optional)
const currency = Flag.String("currency").pipe(
  Flag.withDescription("Where the hold asks for it, like EUR"),
  Flag.optional
)

export const accept = Command.make(
  "accept",
  { hold, amount, currency, by, reason },
  ({ amount: units, currency: unit, ...given }) =>
    Effect.flatMap(
      ask("ledger-accept", { ...given, ...Record.getSomes({ amount: units, currency: unit }) }, Alone.books),
      Print.laidOut
    )
).pipe(Command.withDescription("Accept what a hold asks, with the amount or the currency that it needs"))
