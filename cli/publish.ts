/**
 * `siteledger publish`: makes a fresh copy for analysts now.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { json } from "./Options.ts"
import * as Said from "./Said.ts"

export const publish = Command.make("publish", { json }, ({ json: asJson }) =>
  Effect.flatMap(
    ask("publish", {}, Alone.exporting),
    Said.answer(asJson, ({ at }) => [`The copy for analysts is as of ${at ?? "never"}.`])
  )
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
