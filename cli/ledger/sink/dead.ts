/**
 * `siteledger ledger sink dead`: what was refused permanently.
 */
import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../../Alone.ts"
import { ask } from "../../Ask.ts"
import { json } from "../../Options.ts"
import * as Print from "../../Print.ts"

const columns = ["sequence", "entry_id", "ipc_id", "queued_at", "waiting_behind", "reason"]

export const dead = Command.make("dead", { json }, ({ json: asJson }) =>
  Effect.flatMap(ask("sink-dead", {}, Alone.outbox), (messages) =>
    asJson ? Print.document(messages) : Console.log(Print.aligned(columns, messages))
  )
).pipe(
  Command.withDescription("List entries that the accounting system refused permanently, and why"),
  Command.withExamples([
    { command: "siteledger ledger sink dead", description: "What accounting refused, and why" },
    { command: "siteledger ledger sink dead --json", description: "The same for a program" }
  ])
)
