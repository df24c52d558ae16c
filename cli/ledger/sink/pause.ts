/**
 * `siteledger ledger sink pause`: sends nothing until a person has compared.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../../Alone.ts"
import { ask } from "../../Ask.ts"
import { by, reason } from "../../Options.ts"
import * as Print from "../../Print.ts"

export const pause = Command.make("pause", { by, reason }, (payload) =>
  Effect.flatMap(ask("sink-pause", payload, Alone.outbox), Print.indented)
).pipe(
  Command.withDescription(
    "Send nothing until `compare`: after a store was put back to an earlier state by other means"
  ),
  Command.withExamples([
    {
      command: "siteledger ledger sink pause --reason 'put back'",
      description: "Send nothing until somebody has compared"
    },
    {
      command: "siteledger ledger sink pause --reason restored && siteledger ledger sink compare accounting.csv",
      description: "And compare"
    }
  ])
)
