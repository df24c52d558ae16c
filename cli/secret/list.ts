/**
 * `siteledger secret list`: all that are known, by their fingerprints.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import * as Print from "../Print.ts"

export const list = Command.make("list", {}, () =>
  Effect.flatMap(ask("secret-list", {}, Alone.secrets), Print.document)
).pipe(Command.withDescription("Fingerprints of all webhook secrets: where from, until when, last used when"))
