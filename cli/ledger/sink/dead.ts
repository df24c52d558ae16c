/**
 * `siteledger ledger sink dead`: what was refused for good.
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../../Alone.ts"
import { ask } from "../../Ask.ts"
import { json } from "../../Options.ts"
import * as Print from "../../Print.ts"

const columns = ["sequence", "entry_id", "ipc_id", "queued_at", "waiting_behind", "reason"]

export const dead = Command.make("dead", { json: json() }, ({ json: asJson }) =>
  Effect.flatMap(ask("sink-dead", {}, Alone.outbox), (letters) =>
    asJson ? Print.document(letters) : Console.log(Print.aligned(columns, letters))
  )
).pipe(Command.withDescription("Entries that the accounting system refused for good, and why"))
