/**
 * `siteledger ledger preview`: the books as today's configuration would make them.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { json } from "../Options.ts"
import * as Said from "../Said.ts"

export const preview = Command.make("preview", { json }, ({ json: asJson }) =>
  Effect.flatMap(ask("ledger-preview", {}, Alone.books), Said.answer(asJson, Said.outline))
).pipe(
  Command.withDescription("Show what today's configuration would post from all known facts; posts nothing"),
  Command.withExamples([
    { command: "siteledger ledger preview", description: "What today's configuration would post" },
    {
      command: "SITELEDGER_LEDGER_FILE=new.json siteledger ledger preview",
      description: "What another file would change"
    }
  ])
)
