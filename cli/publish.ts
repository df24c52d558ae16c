/**
 * `siteledger publish`: makes a fresh copy for analysts now. The outcome is one JSON document on stdout.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import * as Print from "./Print.ts"

export const publish = Command.make("publish", {}, () =>
  Effect.flatMap(ask("publish", {}, Alone.exporting), Print.document)
).pipe(
  Command.withDescription("Publish a fresh analytics.duckdb now"),
  Command.withExamples([
    { command: "siteledger publish", description: "Make the copy for analysts now" },
    {
      command: 'siteledger publish && siteledger query "select count(*) from construction.ipcs"',
      description: "And ask it at once"
    }
  ]),
  Command.provide(Log.layerSettings)
)
