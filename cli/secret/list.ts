/**
 * `siteledger secret list`: all known secrets, by their fingerprints.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import * as Print from "../Print.ts"

export const list = Command.make("list", {}, () =>
  Effect.flatMap(ask("secret-list", {}, Alone.secrets), Print.document)
).pipe(Command.withDescription("List the fingerprints of all webhook secrets, with their source, end and last use"))
