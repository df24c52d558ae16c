/**
 * `siteledger ledger sink settle ENTRY`: stops sending an entry that the accounting system already has.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../../Alone.ts"
import { ask } from "../../Ask.ts"
import { by, entry, json, reason } from "../../Options.ts"
import * as Said from "../../Said.ts"

export const settle = Command.make("settle", { entry, by, reason, json }, ({ json: asJson, ...payload }) =>
  Effect.flatMap(
    ask("sink-settle", payload, Alone.outbox),
    Said.answer(asJson, ({ settled }) => [`Entry ${settled} counts as delivered.`])
  )
).pipe(
  Command.withDescription("Record that the accounting system has this entry; it counts as delivered"),
  Command.withExamples([
    {
      command: 'siteledger ledger sink settle 9c41 --reason "entered by hand"',
      description: "Accounting has it already"
    },
    {
      command: 'siteledger ledger sink settle 9c41 --reason "entered by hand" --by "Ada Lovelace"',
      description: "Say who knows"
    }
  ])
)
