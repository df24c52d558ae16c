/**
 * `siteledger ledger sink replay [ENTRY]`: sends one entry, or all, again now.
 */
import { Effect, Option, Record } from "effect"
import { Argument, Command } from "effect/cli"
import * as Alone from "../../Alone.ts"
import { ask } from "../../Ask.ts"
import { entry, json, oneOrAll, toggle } from "../../Options.ts"
import * as Said from "../../Said.ts"

const flags = { entry: Argument.optional(entry), all: toggle("all", "All refused and delayed entries"), json }

export const replay = Command.make("replay", flags, ({ all, entry: start, json: asJson }) =>
  Effect.gen(function* () {
    if (all === Option.isSome(start)) return yield* oneOrAll
    yield* Effect.flatMap(
      ask("sink-replay", Record.getSomes({ entry: start }), Alone.outbox),
      Said.answer(asJson, ({ replayed }) => [`Sending ${Said.counted(replayed, "entry", "entries")} again.`])
    )
  })
).pipe(
  Command.withDescription("Send refused and delayed entries again now"),
  Command.withExamples([
    { command: "siteledger ledger sink replay 9c41", description: "Send one refused entry again" },
    { command: "siteledger ledger sink replay --all", description: "Send all of them again" }
  ])
)
