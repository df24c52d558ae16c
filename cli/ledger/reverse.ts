/**
 * `siteledger ledger reverse ENTRY`: reverses an entry by another one.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { by, entry, json, reason } from "../Options.ts"
import * as Said from "../Said.ts"

export const reverse = Command.make("reverse", { entry, by, reason, json }, ({ json: asJson, ...payload }) =>
  Effect.flatMap(ask("ledger-reverse", payload, Alone.books), Said.answer(asJson, Said.posted))
).pipe(
  Command.withDescription("Take back an entry; above the limit, a second person accepts it"),
  Command.withExamples([
    {
      command: 'siteledger ledger reverse 9c41 --reason "wrong project"',
      description: "Take an entry back by another one"
    },
    { command: 'siteledger ledger reverse 9c41 --reason "bounced" --by "Ada Lovelace"', description: "Say who decides" }
  ])
)
