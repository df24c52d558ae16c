/**
 * `siteledger ledger sink settle ENTRY`: it is not sent any more, as the accounting system has it.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../../Alone.ts"
import { ask } from "../../Ask.ts"
import { by, entry, reason } from "../../Options.ts"
import * as Print from "../../Print.ts"

export const settle = Command.make("settle", { entry, by, reason }, (given) =>
  Effect.flatMap(ask("sink-settle", given, Alone.outbox), Print.laidOut)
).pipe(Command.withDescription("Say that the accounting system has this entry: it counts as delivered"))
