/**
 * `siteledger principal add NAME`: creates a principal, and prints its token.
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import * as Alone from "../Alone.ts"
import { ask } from "../Ask.ts"
import { json } from "../Options.ts"
import { name, print, role } from "./Issued.ts"

const flags = { name, roles: Flag.atLeast(role, 1), json }

export const add = Command.make("add", flags, ({ json: asJson, ...given }) =>
  Effect.flatMap(ask("principal-add", given, Alone.principals), (issued) => print(issued, asJson))
).pipe(
  Command.withDescription("Add a principal, and print its token, once"),
  Command.withExamples([
    {
      command: "siteledger principal add ada --role decide > ada.token",
      description: "A person who decides about money"
    },
    {
      command: "siteledger principal add nightly-job --role read --role operate --json",
      description: "A program that exports, with its token in JSON"
    }
  ])
)
