/**
 * `siteledger principal`: who may ask the workers for what, each with a token and roles. A change takes effect at once,
 * on all workers of a database.
 *
 * A token is printed once, when it is created; what is stored can only verify a token.
 */
import { Command } from "effect/cli"
import * as Log from "./Log.ts"
import { add } from "./principal/add.ts"
import { list } from "./principal/list.ts"
import { revoke } from "./principal/revoke.ts"
import { rotate } from "./principal/rotate.ts"

export const principal = Command.make("principal").pipe(
  Command.withDescription("Who may ask the workers for what, each with a token of their own"),
  Command.withSubcommands([list, add, rotate, revoke]),
  Command.provide(Log.layerSettings)
)
