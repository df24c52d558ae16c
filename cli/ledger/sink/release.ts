/**
 * `siteledger ledger sink release [ENTRY]`: releases one draft, or all, to go to the accounting system as posted.
 */
import { Effect, Option, Record } from "effect"
import { Argument, Command } from "effect/cli"
import type { Answer } from "../../../src/Operate/AdminApi.ts"
import * as Alone from "../../Alone.ts"
import { ask } from "../../Ask.ts"
import { by, entry, json, oneOrAll, reason, toggle } from "../../Options.ts"
import * as Said from "../../Said.ts"

const flags = {
  entry: Argument.optional(entry),
  all: toggle("all", "All drafts that were never sent"),
  by,
  reason,
  json
}

export const release = Command.make("release", flags, ({ all, entry: start, json: asJson, ...signed }) =>
  Effect.gen(function* () {
    if (all === Option.isSome(start)) return yield* oneOrAll
    const payload = { ...signed, ...Record.getSomes({ entry: start }) }
    yield* Effect.flatMap(ask("sink-release", payload, Alone.books), Said.answer(asJson, page))
  })
).pipe(
  Command.withDescription("Send waiting drafts as posted, where the accounting system has no drafts"),
  Command.withExamples([
    { command: 'siteledger ledger sink release 9c41 --reason "reviewed"', description: "Send one draft as posted" },
    { command: 'siteledger ledger sink release --all --reason "reviewed"', description: "Send all of them" }
  ])
)

const page = ({ others, released }: Answer<"sink-release">) => [
  `Released ${Said.counted(released, "draft")}.`,
  ...(others === null ? [] : [others])
]
