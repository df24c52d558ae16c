/**
 * `siteledger rebuild`: rebuilds the warehouse from the inbox and a fresh walk.
 */
import { Console, Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { store } from "../pipelines/stores.ts"
import { Restart } from "../src/Runtime/Restart.ts"
import { ask } from "./Ask.ts"
import * as Log from "./Log.ts"
import { json } from "./Options.ts"
import * as Said from "./Said.ts"

const alone = Layer.merge(store, Restart.layer)

const nextStart = Console.error("No worker is running: the next start rebuilds the warehouse.")

export const rebuild = Command.make("rebuild", { json }, ({ json: asJson }) =>
  Effect.flatMap(
    ask("rebuild", {}, alone, nextStart),
    Said.answer(asJson, () => ["The warehouse will be rebuilt; `siteledger status --watch` shows how far it is."])
  )
).pipe(
  Command.withDescription("Rebuild the warehouse from the inbox and a fresh walk; the old file is kept"),
  Command.withExamples([
    { command: "siteledger rebuild", description: "Make the warehouse again from all deliveries and a new walk" },
    { command: "siteledger rebuild && siteledger ledger verify", description: "And compare the books afterwards" }
  ]),
  Command.provide(Log.layerSettings)
)
