/**
 * `siteledger ledger sink send`: what was posted while no sink was configured.
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Alone from "../../Alone.ts"
import { ask } from "../../Ask.ts"
import * as Print from "../../Print.ts"

const from = Flag.Int("from").pipe(Flag.withDescription("From this number of the journal on (needed); 1 for all"))

export const send = Command.make("send", { from }, (given) =>
  Effect.flatMap(ask("sink-send", given, Alone.outbox), Print.laidOut)
).pipe(Command.withDescription("Send what was posted before there was a sink"))
