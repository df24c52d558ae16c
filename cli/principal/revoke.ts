/**
 * `siteledger principal revoke NAME`: its token ends at once, and its name is never used again.
 */
import { Effect } from "effect"
import { Command } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { json } from "../Options.ts"
import * as Said from "../Said.ts"
import { name } from "./Issued.ts"

export const revoke = Command.make("revoke", { name, json }, ({ json: asJson, ...given }) =>
  Effect.flatMap(
    ask("principal-revoke", given, Alone.principals),
    Said.answer(asJson, () => [`${given.name} can do nothing any more; the name is never used again.`])
  )
).pipe(
  Command.withDescription("End a principal's token at once and permanently, on all workers"),
  Command.withExamples([
    { command: "siteledger principal revoke ada", description: "ada may do nothing any more" },
    {
      command: "siteledger principal revoke nightly-job && siteledger principal list",
      description: "End it, and check"
    }
  ])
)
