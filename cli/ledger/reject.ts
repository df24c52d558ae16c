/**
 * `siteledger ledger reject HOLD`: denies what the hold asks about.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { by, hold, json, reason } from "../Options.ts"
import * as Said from "../Said.ts"
import { dryRun, foreseen } from "./Foreseen.ts"

export const reject = Command.make(
  "reject",
  { hold, by, reason, dryRun, json },
  ({ dryRun: isDry, json: asJson, ...decision }) =>
    isDry
      ? foreseen({ ...decision, verdict: "reject" }, asJson)
      : Effect.flatMap(ask("ledger-reject", decision, Alone.books), Said.answer(asJson, Said.posted))
).pipe(
  Command.withDescription("Reject what a hold asks about"),
  Command.withExamples([
    {
      command: 'siteledger ledger reject 3f2a --reason "paid twice"',
      description: "Never post what this hold asks about"
    },
    { command: 'siteledger ledger reject 3f2a --reason "not ours" --by "Ada Lovelace"', description: "Say who decides" }
  ])
)
