/**
 * `siteledger ledger show ID`: an entry or a hold, and what it rests on.
 */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import * as Print from "../Print.ts"

const id = Argument.String("id").pipe(Argument.withDescription("Of an entry or a hold, or how it begins"))

export const show = Command.make("show", { id }, (given) =>
  Effect.flatMap(ask("ledger-show", given, Alone.books), Print.laidOut)
).pipe(Command.withDescription("One entry or hold, with the events that it rests on"))
