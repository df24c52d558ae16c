/**
 * `siteledger ledger sink pause`: sends nothing until a person has compared.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../../Alone.ts"
import { ask } from "../../Ask.ts"
import { by, json, reason } from "../../Options.ts"
import * as Said from "../../Said.ts"

export const pause = Command.make("pause", { by, reason, json }, ({ json: asJson, ...payload }) =>
  Effect.flatMap(
    ask("sink-pause", payload, Alone.outbox),
    Said.answer(asJson, () => ["Nothing is sent until you have compared: `siteledger ledger sink compare FILE`."])
  )
).pipe(
  Command.withDescription(
    "Send nothing until `compare`, after a store was put back to an earlier state by other means"
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
