/**
 * `siteledger rebuild`: rebuilds the warehouse from the inbox and a fresh walk.
 */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { store } from "../pipelines/stores.ts"
import { Restart } from "../src/Runtime/Restart.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import * as Print from "./Print.ts"

const alone = Layer.merge(store, Restart.layer)

const nextStart = Console.error("No worker is running: the next start rebuilds the warehouse.")

export const rebuild = Command.make("rebuild", {}, () =>
  Effect.flatMap(ask("rebuild", {}, alone, nextStart), Print.document)
).pipe(
  Command.withDescription("Rebuild the warehouse from the inbox and a fresh walk; the old file is kept"),
  Command.withExamples([
    { command: "siteledger rebuild", description: "Make the warehouse again from all deliveries and a new walk" },
    { command: "siteledger rebuild && siteledger ledger verify", description: "And compare the books afterwards" }
  ]),
  Command.provide(Log.layerSettings)
)
