/**
 * `siteledger ledger open MONTH`: opens the books again from the beginning of a month. Entries that waited because it
 * was closed are asked again, or posted.
 */
import { Effect, Record } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { by, json, month, why } from "../Options.ts"
import * as Said from "../Said.ts"

export const open = Command.make("open", { month, by, reason: why, json }, ({ json: asJson, reason, ...change }) =>
  Effect.flatMap(
    ask("ledger-open", { ...change, ...Record.getSomes({ reason }) }, Alone.books),
    Said.answer(asJson, Said.period)
  )
).pipe(
  Command.withDescription("Open the books again from the beginning of a month"),
  Command.withExamples([
    { command: 'siteledger ledger open 2026-09 --by "Ada Lovelace"', description: "Post to September again" },
    { command: 'siteledger ledger open 2026-09 --reason "a certificate came late"', description: "And say why" }
  ])
)
