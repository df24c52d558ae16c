/**
 * `siteledger principal rotate NAME`: gives a principal a new token, optionally with other roles.
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { json } from "../Options.ts"
import { name, print, role } from "./Issued.ts"

const flags = { name, roles: Flag.atLeast(role, 0), json }

export const rotate = Command.make("rotate", flags, ({ json: asJson, name, roles }) =>
  Effect.flatMap(ask("principal-rotate", roles.length === 0 ? { name } : { name, roles }, Alone.principals), (issued) =>
    print(issued, asJson)
  )
).pipe(
  Command.withDescription("Give a principal a new token; the old one ends at once"),
  Command.withExamples([
    { command: "siteledger principal rotate ada > ada.token", description: "A new token, with the same roles" },
    { command: "siteledger principal rotate ada --role read", description: "From now on, ada only reads" }
  ])
)
