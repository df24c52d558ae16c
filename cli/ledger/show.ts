/**
 * `siteledger ledger show ID`: an entry or a hold, and what it is based on.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { argument, json } from "../Options.ts"
import * as Said from "../Said.ts"

const id = argument("id", "The id of an entry or a hold, or its first characters")

export const show = Command.make("show", { id, json }, ({ json: asJson, ...payload }) =>
  Effect.flatMap(ask("ledger-show", payload, Alone.books), Said.answer(asJson, Said.outline))
).pipe(
  Command.withDescription("Show one entry or hold, and the events that it is based on"),
  Command.withExamples([
    { command: "siteledger ledger show 9c41", description: "An entry, and the events that it is based on" },
    { command: "siteledger ledger show 3f2a > hold.json", description: "A hold, in a file" }
  ])
)
