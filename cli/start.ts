/**
 * `siteledger start`: runs the worker until SIGTERM or SIGINT. It then stops accepting, finishes what is in progress and
 * exits with 0.
 */
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as Settings from "../config/Settings.ts"
import * as Log from "./Log.ts"
import { runWorker } from "./Worker.ts"

export const start = Command.make("start", {}, () =>
  runWorker(Effect.never).pipe(Effect.provide(Log.layer.pipe(Layer.provideMerge(Settings.layerAll))))
).pipe(
  Command.withDescription("Run the worker: backfill, live events, nightly exports"),
  Command.withExamples([
    { command: "siteledger start", description: "Run the worker until SIGTERM or ctrl-c" },
    { command: "siteledger doctor && siteledger start", description: "Check everything first" }
  ])
)
