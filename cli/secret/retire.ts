/**
 * `siteledger secret retire`: ends a secret at once, or after a time during which its successor takes over.
 */
import { Effect, Record } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { argument, json, optionalText, toggle } from "../Options.ts"
import * as Said from "../Said.ts"
import * as Secrets from "./Secrets.ts"

const flags = {
  fingerprint: argument("fingerprint", "As `siteledger secret list` shows it"),
  in: optionalText("in", 'How long it stays valid, like "24 hours" (default: it ends at once)'),
  force: toggle("force", "Retire even the last valid secret; every delivery is then refused"),
  json
}

export const retire = Command.make("retire", flags, ({ fingerprint, force, in: after, json: asJson }) =>
  Effect.flatMap(
    ask("secret-retire", { fingerprint, force, ...Record.getSomes({ in: after }) }, Alone.secrets),
    Said.answer(asJson, ({ retired }) => Secrets.table(retired))
  )
).pipe(
  Command.withDescription("End a secret, or record that its subscription has been deleted"),
  Command.withExamples([
    { command: 'siteledger secret retire 4f9c --in "24 hours"', description: "End it a day from now" },
    { command: "siteledger secret retire 4f9c", description: "End it at once" }
  ])
)
