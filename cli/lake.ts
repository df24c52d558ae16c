/**
 * `siteledger lake`: the exports in the lake. Its verbs read only the lake: no lock, no stores, whether or not a worker
 * runs. Control characters in a file never reach the terminal.
 */
import { Layer } from "effect"
import { Command } from "effect/cli"
import { lake as configured } from "../pipelines/nightly.ts"
import { list } from "./lake/list.ts"
import { sql } from "./lake/sql.ts"
import { verify } from "./lake/verify.ts"
import * as Log from "./Log.ts"

export const lake = Command.make("lake").pipe(
  Command.withDescription("The exports in the lake"),
  Command.withSubcommands([list, verify, sql]),
  Command.provide(configured.pipe(Layer.provideMerge(Log.layerSettings)))
)
