/**
 * `siteledger ledger sink replay [ENTRY]`: one entry, or all, are sent again now.
 */
import { Effect, Option, Record } from "effect"
import { Argument, CliError, Command } from "effect/cli"
import * as Alone from "../../Alone.ts"
import { ask } from "../../Ask.ts"
import { entry, toggle } from "../../Options.ts"
import * as Print from "../../Print.ts"

const given = { entry: Argument.optional(entry), all: toggle("all", "All that wait") }

const oneOrAll = new CliError.UserError({ cause: "Say which entry, or --all." })

export const replay = Command.make("replay", given, ({ all, entry: start }) =>
  Effect.gen(function* () {
    if (all === Option.isSome(start)) return yield* oneOrAll
    yield* Effect.flatMap(ask("sink-replay", Record.getSomes({ entry: start }), Alone.outbox), Print.laidOut)
  })
).pipe(Command.withDescription("Send again now what was refused or waits out its pause"))
