/**
 * `siteledger ledger preview`: the books as today's configuration would make them.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import * as Print from "../Print.ts"

export const preview = Command.make("preview", {}, () =>
  Effect.flatMap(ask("ledger-preview", {}, Alone.books), Print.indented)
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
