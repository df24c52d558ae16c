/** `siteledger query` in a process of its own, for Query.test.ts: the verb alone under a root command. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Settings from "../../config/Settings.ts"
import { query } from "../../src/Cli/query.ts"

Command.make("siteledger").pipe(
  Command.withSubcommands([query]),
  Command.run({ version: "0.0.0" }),
  Effect.provide(Settings.layer),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain
)
