/**
 * `siteledger ledger preview`: the books as today's configuration would have made them.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import * as Print from "../Print.ts"

export const preview = Command.make("preview", {}, () =>
  Effect.flatMap(ask("ledger-preview", {}, Alone.books), Print.laidOut)
).pipe(Command.withDescription("What would be posted from all that is known, by today's configuration; posts nothing"))
