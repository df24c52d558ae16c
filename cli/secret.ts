/**
 * `siteledger secret`: the webhook secrets with which deliveries may be signed. Goes through the running worker, where
 * a change applies from the next delivery on, or takes the lock here.
 *
 * A secret is never printed: people tell secrets apart by their fingerprints.
 */
import { Command } from "effect/cli"
import * as Log from "./Log.ts"
import { add } from "./secret/add.ts"
import { list } from "./secret/list.ts"
import { retire } from "./secret/retire.ts"

export const secret = Command.make("secret").pipe(
  Command.withDescription("The webhook secrets that deliveries may be signed with"),
  Command.withSubcommands([list, add, retire]),
  Command.provide(Log.layerSettings)
)
