/**
 * `siteledger ledger close MONTH`: closes the books up to the end of a month. Entries that take effect before that
 * wait, or go into the open period.
 */
import { Effect, Record } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { by, json, month, why } from "../Options.ts"
import * as Said from "../Said.ts"

export const close = Command.make("close", { month, by, reason: why, json }, ({ json: asJson, reason, ...change }) =>
  Effect.flatMap(
    ask("ledger-close", { ...change, ...Record.getSomes({ reason }) }, Alone.books),
    Said.answer(asJson, Said.period)
  )
).pipe(
  Command.withDescription("Close the books up to the end of a month, on all workers at once"),
  Command.withExamples([
    {
      command: 'siteledger ledger close 2026-09 --by "Ada Lovelace"',
      description: "Nothing is posted to September any more"
    },
    { command: 'siteledger ledger close 2026-09 --reason "audited"', description: "And say why" }
  ])
)
