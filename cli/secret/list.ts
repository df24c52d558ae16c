/**
 * `siteledger secret list`: all known secrets, by their fingerprints.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { json } from "../Options.ts"
import * as Said from "../Said.ts"
import * as Secrets from "./Secrets.ts"

export const list = Command.make("list", { json }, ({ json: asJson }) =>
  Effect.flatMap(
    ask("secret-list", {}, Alone.secrets),
    Said.answer(asJson, ({ secrets }) => Secrets.table(secrets))
  )
).pipe(
  Command.withDescription("List the fingerprints of all webhook secrets, with their source, end and last use"),
  Command.withExamples([
    { command: "siteledger secret list", description: "Fingerprints, ends and last uses" },
    {
      command: "siteledger secret list && siteledger secret retire 4f9c",
      description: "Find the one to end, and end it"
    }
  ])
)
