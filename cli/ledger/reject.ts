/**
 * `siteledger ledger reject HOLD`: what the hold asks is not so.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { by, hold, reason } from "../Options.ts"
import * as Print from "../Print.ts"

export const reject = Command.make("reject", { hold, by, reason }, (given) =>
  Effect.flatMap(ask("ledger-reject", given, Alone.books), Print.laidOut)
).pipe(Command.withDescription("Reject what a hold asks"))
