/**
 * `siteledger lake`: the exports on the lake. Its verbs read the lake alone: no lock, no stores, whether a worker runs
 * or not. Whatever a file says of itself, no control character reaches the terminal.
 */
import { Layer } from "effect"
import { Command } from "effect/cli"
import { lake as configured } from "../pipelines/nightly.ts"
import { list } from "./lake/list.ts"
import { sql } from "./lake/sql.ts"
import { verify } from "./lake/verify.ts"
import * as Log from "./Log.ts"

export const lake = Command.make("lake").pipe(
  Command.withDescription("The exports on the lake"),
  Command.withSubcommands([list, verify, sql]),
  Command.provide(configured.pipe(Layer.provideMerge(Log.layerSettings)))
)
