/**
 * `siteledger export`: writes a consistent export to the lake now. The outcome is one JSON document on stdout.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "./Alone.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import * as Print from "./Print.ts"

export const exportNow = Command.make("export", {}, () =>
  Effect.flatMap(ask("export", {}, Alone.exporting), Print.document)
).pipe(
  Command.withDescription("Write a consistent export to the lake now"),
  Command.withExamples([
    { command: "siteledger export", description: "Write an export now instead of tonight" },
    { command: "siteledger export && siteledger lake verify", description: "Write one and check every value of it" }
  ]),
  Command.provide(Log.layerSettings)
)
